#!/bin/sh
# Runs the bootstrap that lies beside this file: the folder, whatever its name, is the Python package.
# usage: launch.sh [head|worker|submit|preflight|stop|verify] [--print]
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

# Without its Python the bootstrap can say nothing, so this says it in its manner: see finish.py and exit_codes.py.
if ! python3 -E -S -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
	found=$(python3 --version 2>&1) || found="none"
	sentence="the bootstrap needs Python 3.10 or newer as python3, but on PATH ($PATH) is $found: \
choose another image in image.repository, or let PATH in extraEnv begin with the folder of its Python"
	log=${RLINF_TERMINATION_LOG:-/dev/termination-log}
	if [ -f "$log" ]; then echo "PREFLIGHT: $sentence" >"$log"; fi
	echo "$sentence (exit code 11, PREFLIGHT)"
	exit 11
fi

cd -- "$(dirname -- "$folder")"
exec python3 -u -m "$(basename -- "$folder")" "$@"
