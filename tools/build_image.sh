#!/usr/bin/env bash
# Builds a container image with docker, podman or buildah, whichever is there, from a base that its digest pins.
# usage: tools/build_image.sh DOCKERFILE BASE_IMAGE IMAGE [OPTION OF THE BUILDER...]
set -euo pipefail
cd "$(dirname "$0")/.."
dockerfile=$1 base=$2 image=$3
shift 3

if [[ ! $base =~ @sha256:[0-9a-f]{64}$ ]]; then
  cat >&2 <<EOF
error: BASE_IMAGE is '$base', but must name the base image by its digest, as in
  make image BASE_IMAGE=docker.io/library/debian@sha256:DIGEST
The digest of a tag: docker buildx imagetools inspect debian:12-slim, or skopeo inspect docker://debian:12-slim
What a base must have: docs/guides/container-image.md
EOF
  exit 2
fi

if docker info >/dev/null 2>&1; then
  # Before version 23 docker needs to be asked for BuildKit, which knows --mount.
  build=(env DOCKER_BUILDKIT=1 docker build)
elif command -v podman >/dev/null; then
  build=(podman build)
elif command -v buildah >/dev/null; then
  build=(buildah build --layers)
else
  echo "error: neither docker with a running daemon nor podman nor buildah is here; install one of them" >&2
  exit 2
fi

echo "building $image by ${build[*]} from $dockerfile and $base"
"${build[@]}" --file "$dockerfile" --tag "$image" \
  --build-arg "BASE_IMAGE=$base" \
  --build-arg "VERSION=$(sed -n 's/^VERSION = "\(.*\)"$/\1/p' charts/rlinf_charts/version.py)" \
  --build-arg "REVISION=$(git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || true)" \
  "$@" .
