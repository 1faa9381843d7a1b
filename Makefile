# Two commands do everything: `make demo` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
HOME_DIR ?=
BIN := .venv/bin
RUN := $(BIN)/python -m nightledger.surfaces.cli
export PYTHONPATH := scripts

.DEFAULT_GOAL := help

# ---------------------------------------------------------------- setting up
.stamps/runtime: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: Python 3.11 or newer is needed; this is $$($(PYTHON) --version)"; echo "hint: make PYTHON=/path/to/python3.11 setup"; exit 2; }
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@mkdir -p .stamps && touch $@

.stamps/dev: requirements-dev.lock .stamps/runtime
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.lock
	@mkdir -p .stamps && touch $@

setup: .stamps/runtime ## make .venv from the lock file, with hashes

# ---------------------------------------------------------------- for developers
lint: .stamps/dev ## formatting, lint, types and import contracts
	$(BIN)/ruff format --check scripts tests bench
	$(BIN)/ruff check scripts tests bench
	$(BIN)/mypy
	PYTHONPATH=scripts $(BIN)/lint-imports

test: .stamps/dev lint ## everything that must hold: lint, types, import contracts, tests
	$(BIN)/pytest

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  \1	\2/' | expand -t 20

.PHONY: setup lint test help
