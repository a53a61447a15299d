#!/usr/bin/env bash
# Fails when a generated file is stale, and names the command that makes it anew.
set -euo pipefail
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
rlinf-eks synth --output "$fresh/chart"
if ! diff --recursive --brief dist/chart "$fresh/chart"; then
  echo "dist/chart is stale: run 'make chart' and commit what it changes" >&2
  exit 1
fi
