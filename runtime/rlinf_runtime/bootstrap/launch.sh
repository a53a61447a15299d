#!/bin/sh
# Runs the bootstrap that lies beside this file: the folder, whatever its name, is the Python package.
# usage: launch.sh [head|worker|submit|preflight|stop|verify] [--print]
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd -- "$(dirname -- "$folder")"
exec python3 -u -m "$(basename -- "$folder")" "$@"
