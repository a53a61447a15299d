#!/bin/sh
# Whether the bootstrap's loop still turns: it writes the status file every few seconds, however slow the engine is.
# usage: alive.sh SECONDS
set -eu
file=${RLINF_STATUS_FILE:-/tmp/rlinf-status.json}
age_s=$(($(date +%s) - $(stat -c %Y "$file")))
if [ "$age_s" -ge "$1" ]; then
	echo "the bootstrap has not written $file for $age_s s" >&2
	exit 1
fi
