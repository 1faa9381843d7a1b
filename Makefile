# Two commands do everything: `make demo` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
NL := $(BIN)/nightledger
FUZZ_PYTHON ?= $(BIN)/python
IN := $${HOME_DIR:+--home "$$HOME_DIR"}
export PYTHONPATH := scripts:.
# Compiled modules are kept: each process that a test starts would compile them anew.
unexport PYTHONDONTWRITEBYTECODE
# Tests write into memory where the system has 2 GB of it to run programs from: half of their time goes to a disk.
IN_MEMORY = TMPDIR="$${TMPDIR:-$$( { ! grep -q '/dev/shm .*noexec' /proc/mounts \
  && [ "$$(df -Pk /dev/shm | awk 'NR == 2 {print $$4}')" -gt 2000000 ] && echo /dev/shm; } 2>/dev/null )}"
# Without TERM a readline that another test has loaded shows the last part of a long prompt only.
PYTEST = TERM=xterm $(IN_MEMORY) $(BIN)/pytest
SPREAD := -n auto --dist worksteal

.DEFAULT_GOAL := help

# ---------------------------------------------------------------- setting up
.stamps/runtime: requirements.lock Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: Python 3.11 or newer is needed; this is $$($(PYTHON) --version)"; echo "hint: make PYTHON=/path/to/python3.11 setup"; exit 2; }
	@echo "setting up .venv (once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@printf '#!/bin/sh\nexec "%s/.venv/bin/python" "%s/scripts/command.py" "$$@"\n' "$(CURDIR)" "$(CURDIR)" > $(NL) && chmod 755 $(NL)
	@mkdir -p .stamps && touch $@

.stamps/dev: requirements-dev.lock .stamps/runtime
	@echo "setting up what tests need (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.lock
	@mkdir -p .stamps && touch $@

.stamps/doors: requirements-doors.lock .stamps/runtime
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-doors.lock
	@mkdir -p .stamps && touch $@

setup-doors: .stamps/doors ## the MCP server's package, from its lock file, with hashes

.stamps/model: requirements-model.lock
	@echo "setting up a server of models (once, 35 MB)"
	@$(PYTHON) -m venv --clear $@-env
	@$@-env/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r $<
	@touch $@

setup: .stamps/runtime ## make .venv from the lock file, with hashes

# ---------------------------------------------------------------- for operators
demo: .stamps/runtime ## ten recorded days of an agent, and what was checked in them (DEMO_HOME=dir)
	@$(BIN)/python scripts/demo.py $${DEMO_HOME:+--home "$$DEMO_HOME"}

start: .stamps/runtime ## set up an agent's home, step by step (HOME_DIR=path; every target below takes it, else $NIGHTLEDGER_HOME)
	@$(NL) init --guide $(IN)

night: .stamps/runtime ## run the jobs that are due (HOME_DIR=path)
	@$(NL) night $(IN)

review: .stamps/runtime ## read what is proposed, answer, sign once
	@$(NL) review $(IN)

approve: .stamps/runtime ## approve one proposal (ID=p-... ONLY=1,3)
	@$(NL) approve "$$ID" $${ONLY:+--only "$$ONLY"} $(IN)

reject: .stamps/runtime ## reject one proposal (ID=p-... REASON="...")
	@$(NL) reject "$$ID" --reason "$$REASON" $(IN)

apply: .stamps/runtime ## apply what is signed and has cooled
	@$(NL) apply $${ID:+"$$ID"} $(IN)

prune: .stamps/runtime ## propose to let go of weak links, closed entries, old daily logs (HOME_DIR=path)
	@$(NL) prune $(IN)

stage: .stamps/runtime ## put together what the agent will need next (HOME_DIR=path)
	@$(NL) stage $(IN)

undo: .stamps/runtime ## take an applied change back (ID=p-..., or ID=p-...:2 for one change)
	@$(NL) undo "$$ID" $(IN)

verify: .stamps/runtime ## check the audit log, its signatures and the gated files
	@$(NL) verify $(IN)

status: .stamps/runtime ## what waits, what ran, what needs you
	@$(NL) status $(IN)

doctor: .stamps/runtime ## what is set up, what is not, what it does not prove
	@$(NL) doctor $(IN)

check-memory: .stamps/runtime ## check up an existing MEMORY.md
	@$(NL) check $(IN)

schedule: .stamps/runtime ## print the lines for cron (FORMAT=systemd or launchd for others)
	@$(NL) schedule --print "$${FORMAT:-cron}" $(IN)

# ---------------------------------------------------------------- for developers
lint: .stamps/dev ## formatting, lint, types and import contracts
	$(BIN)/ruff format --check scripts tests bench
	$(BIN)/ruff check scripts tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/python -m bench.size --check

size: .stamps/dev ## code lines (neither blank, comment nor docstring) and modules by room, each with its ceiling
	@$(BIN)/python -m bench.size

test-quick: .stamps/dev
	$(PYTEST) -q $(SPREAD) -m "not slow"

test: .stamps/dev ## lint, types, import contracts, and a test of everything that a change may break: in minutes
	@$(MAKE) --no-print-directory -j 2 lint test-quick
	@echo "not run: make test-all (slow tests, the whole of each sweep, 100 examples a property; corpora, vectors, hosts, fuzzing)"
	@echo "not run: make mutants, make coverage"

test-all: lint ## every test and the whole of each sweep, for hours; what VECTORS, CORPORA, LITEWITNESS, CLAUDE ... name
	env -u CLAUDE -u CODEX -u OPENCLAW -u HERMES -u MCP_CLIENTS -u LITEWITNESS -u MODEL_PYTHON \
	  -u CHROMEDRIVER -u CHROMIUM -u GECKODRIVER -u FIREFOX NIGHTLEDGER_WHOLE=1 $(PYTEST) -q $(SPREAD) --ignore tests/faults
	@$(MAKE) --no-print-directory test-faults scorecard
	@$(call NAMED,$$VECTORS,test-vectors VECTORS=dir)
	@$(call NAMED,$$CORPORA,test-corpora CORPORA=dir)
	@$(call NAMED,$$LITEWITNESS,test-interop LITEWITNESS=dir)
	@$(call NAMED,$$CLAUDE$$CODEX$$OPENCLAW$$HERMES$$MCP_CLIENTS,test-hosts CLAUDE=path CODEX=path OPENCLAW=dir HERMES=dir MCP_CLIENTS=dir)
	@$(call NAMED,$(MODEL_PYTHON)$(wildcard .stamps/model),test-model)
	@$(call NAMED,$$(command -v chromedriver),test-doors CHROMEDRIVER=path CHROMIUM=path)
	@$(call NAMED,$$($(FUZZ_PYTHON) -c 'import atheris; print(1)' 2>/dev/null),fuzz FUZZ_PYTHON=python-with-atheris)

# Make a target where what it needs is named, else say how.
NAMED = if [ -n "$(1)" ]; then $(MAKE) --no-print-directory $(firstword $(2)); else echo "not run: make $(2)"; fi

coverage: .stamps/dev ## branch coverage of every test: 95 % of all, 100 % of domain, gate and trust
	$(BIN)/coverage erase
	NIGHTLEDGER_WHOLE=1 $(IN_MEMORY) $(BIN)/coverage run -m pytest -q $(SPREAD)
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --include='*/domain/*,*/gate/*,*/trust/*' --fail-under=100; rules=$$?; \
	  $(BIN)/coverage report && exit $$rules

test-vectors: .stamps/dev ## large public vector sets (VECTORS=dir; tests/vectors/README.md)
	NIGHTLEDGER_VECTORS="$$(realpath "$$VECTORS")" $(BIN)/pytest -q tests/vectors

test-interop: .stamps/dev ## a witness of another make cosigns a home (LITEWITNESS=dir; tests/interop/README.md)
	LITEWITNESS="$$(realpath "$$LITEWITNESS")" $(BIN)/pytest -q tests/interop

test-hosts: .stamps/dev ## our hooks under the real hosts, without a network, and our MCP server under others' clients (CLAUDE=path CODEX=path OPENCLAW=dir HERMES=dir MCP_CLIENTS=dir; tests/interop/README.md)
	CLAUDE="$${CLAUDE:+$$(realpath "$$CLAUDE")}" CODEX="$${CODEX:+$$(realpath "$$CODEX")}" \
	OPENCLAW="$${OPENCLAW:+$$(realpath "$$OPENCLAW")}" HERMES="$${HERMES:+$$(realpath "$$HERMES")}" \
	MCP_CLIENTS="$${MCP_CLIENTS:+$$(realpath "$$MCP_CLIENTS")}" \
	  $(BIN)/pytest -q -rs tests/interop/test_coding_hosts.py tests/interop/test_claude_code.py tests/interop/test_codex.py tests/interop/test_mcp_hosts.py \
	  tests/interop/test_mcp_clients.py tests/interop/test_openclaw_program.py tests/interop/test_hermes_program.py

test-model: .stamps/dev $(if $(MODEL_PYTHON),,.stamps/model) ## our client, a real server, a model of noise: proves the wire, not the wisdom (MODEL_PYTHON=path: with xllamacpp; else it is fetched)
	MODEL_PYTHON="$${MODEL_PYTHON:-.stamps/model-env/bin/python}" $(PYTEST) -q -rs tests/interop/test_small_model.py

test-doors: .stamps/dev ## the review page in a real Chromium and Firefox (CHROMEDRIVER=path CHROMIUM=path GECKODRIVER=path FIREFOX=path; SHOTS=dir for screenshots, AXE=axe.min.js)
	CHROMEDRIVER="$${CHROMEDRIVER:-$$(command -v chromedriver)}" CHROMIUM="$${CHROMIUM:-$$(command -v chromium chromium-browser google-chrome | head -1)}" \
	GECKODRIVER="$${GECKODRIVER:-$$(command -v geckodriver)}" FIREFOX="$${FIREFOX:-$$(command -v firefox firefox-esr | head -1)}" \
	  $(BIN)/pytest -q -rsP tests/doors

test-faults: .stamps/dev ## the whole sweeps: kills, errors, power failures, attacks (some want strace or root, and say so)
	@rm -rf .stamps/faults
	NIGHTLEDGER_WHOLE=1 NIGHTLEDGER_FAULTS="$$PWD/.stamps/faults" $(BIN)/pytest -q -p no:randomly -n auto --dist loadfile tests/faults

fuzz: .stamps/dev ## search every parser for crashes, guided by coverage (TIME=seconds for each TARGET=name; needs atheris)
	@NIGHTLEDGER_FAULTS="$$PWD/.stamps/faults" $(FUZZ_PYTHON) -m tests.faults.fuzz.command --work .stamps/fuzz --seconds "$${TIME:-60}" $${TARGET:+--target "$$TARGET"}

report-faults: .stamps/dev ## what 'make test-faults' tried, as a table; also put into docs/threat-model.md
	@$(BIN)/python -m bench.faults_report --rows .stamps/faults

test-corpora: .stamps/dev ## public corpora of attacks through the promotion path (CORPORA=dir; bench/poison_corpora.py)
	@$(BIN)/python -m bench.poisoning --corpora "$$CORPORA" $${ONLY:+--only "$$ONLY"}

scorecard: .stamps/dev ## attack a small audit log in every place: what was tried, found and rightly named
	@$(BIN)/python -m bench.scorecard

mutants: .stamps/dev ## break 200 random lines of domain, gate and trust, or MUTANTS_ONLY=recall,jobs/stage; the tests must notice
	$(BIN)/python -m bench.mutants

bench: .stamps/dev ## what one thing costs: log, append, verify, link, a year of homes, growth (the others: bench-NAME)
	@for program in log append verify link year growth; do echo "== bench_$$program"; $(BIN)/python -m bench.bench_$$program || exit 1; done

bench-retention: .stamps/dev ## half a year of an invented agent: what retention keeps of what helps
	@$(BIN)/python -m bench.retention_months

bench-consolidate: .stamps/dev ## score proposals on labelled workspaces (LABELS=dir WORKSPACES=dir, WITHOUT=dev-b or FOLDS=12)
	$(BIN)/python -m bench.bench_consolidate --labels "$$LABELS" --workspaces "$$WORKSPACES" $${WITHOUT:+--without "$$WITHOUT"} $${FOLDS:+--folds "$$FOLDS"}

bench-confidence: .stamps/dev ## what a score is worth: signed shares by score, before and after calibration (LABELS=dir WORKSPACES=dir for the halves)
	@$(BIN)/python -m bench.fit_confidence $${LABELS:+--labels "$$LABELS" --workspaces "$$WORKSPACES"}

bench-prune: .stamps/dev ## prune, apply, undo over workspaces of others: byte for byte back? (WORKSPACES=dir NAMES="a b")
	@$(BIN)/python -m bench.bench_prune "$$WORKSPACES" $$NAMES

bench-stage: .stamps/dev ## what staging would have had ready (WORKSPACE=dir with memory/.dreams/events.jsonl), and what a run costs in a year of logs, and where nothing changed
	@$(BIN)/python -m bench.bench_stage $${WORKSPACE:+--workspace "$$WORKSPACE"}

bench-checkup: .stamps/dev ## score the check-up on labelled workspaces (LABELS=dir WORKSPACES=dir EXCHANGE=dir: with a model)
	$(BIN)/python -m bench.bench_checkup

bench-contradictions: .stamps/dev ## what finds contradictions, on changed facts and memories of others (FACTS=file WORKSPACES=dir)
	@$(BIN)/python -m bench.bench_contradictions

bench-audit: .stamps/dev ## what the code auditor catches and what it takes for hostile (CORPUS=file SET=name for another)
	@$(BIN)/python -m bench.bench_audit $${CORPUS:+--corpus "$$CORPUS"} $${SET:+--set "$$SET"}

bench-hook: .stamps/dev ## CPU of the prompt hook beside an empty Python; its threshold on LoCoMo (LOCOMO=locomo10.json); names (CASES=, BELIEFS=)
	@$(BIN)/python -m bench.bench_hook
	@if [ -n "$$LOCOMO" ]; then $(BIN)/python -m bench.bench_relevance && $(BIN)/python -m bench.relevance_rules; fi
	@if [ -n "$$CASES" ]; then $(BIN)/python -m bench.bench_names; fi

bench-report: .stamps/dev ## bytes of the report and CPU to make it: by associations, and of a home of three years
	@$(BIN)/python -m bench.bench_report

bench-import: .stamps/dev ## CPU and memory of reading 100 MB of transcripts beside decoding them, and of reading them again
	@$(BIN)/python -m bench.bench_import

bench-outcomes: .stamps/dev ## outcomes derived from public runs beside what their judges say (RUNS=dir)
	@$(BIN)/python -m bench.bench_outcomes "$$RUNS"

bench-index: .stamps/dev ## the search index beside plain FTS5; archived text found as before (WORKSPACE=dir)
	@$(BIN)/python -m bench.bench_index
	@$(BIN)/python -m bench.bench_pruned $${WORKSPACE:+--workspace "$$WORKSPACE"}

bench-recall: .stamps/dev ## how well search finds what answers, on LoCoMo (LOCOMO=locomo10.json; MEANING=url MODEL=name: with an embedding server)
	@$(BIN)/python -m bench.bench_recall "$$LOCOMO" $${MEANING:+--meaning "$$MEANING" --model "$$MODEL"}

bench-mcp: .stamps/dev ## our MCP server beside others: size of the tools, start, recall (RIVALS='--rival NAME=COMMAND ... --tokens COMMAND')
	@eval "$(BIN)/python -m bench.bench_mcp $$RIVALS"

bench-think: .stamps/dev ## rules and a recorded model on the same invented days; RECORD=1 asks what has no answer (or WORKSPACE=dir and EXCHANGE=dir or RULES=1)
	@$(BIN)/python -m bench.bench_think $${RECORD:+--record} $${WORKSPACE:+--workspace "$$WORKSPACE"} $${RULES:+--rules} $${EXCHANGE:+--exchange "$$EXCHANGE"}

bench-mornings: .stamps/dev ## what an operator would have seen each morning of a workspace's history (WORKSPACE=dir OUT=dir ANSWERS=file MEMORY=file)
	@$(BIN)/python -m bench.bench_mornings "$$WORKSPACE" "$$OUT" $${ANSWERS:+--answers "$$ANSWERS"} $${MEMORY:+--memory "$$MEMORY"}

bench-blocks: .stamps/dev ## summaries of long entries held against them (WORKSPACES="dir ..."; EXCHANGE=dir: a model's answers)
	@$(BIN)/python -m bench.bench_blocks $$WORKSPACES $${EXCHANGE:+--exchange "$$EXCHANGE"}

pin-dependencies: ## pin every dependency anew, with hashes (needs uv)
	uv pip compile -q --universal --generate-hashes --no-annotate --custom-compile-command "make pin-dependencies" pyproject.toml -o requirements.lock
	uv pip compile -q --universal --generate-hashes --no-annotate -c requirements.lock --extra doors --custom-compile-command "make pin-dependencies" pyproject.toml -o requirements-doors.lock
	uv pip compile -q --universal --generate-hashes --no-annotate -c requirements.lock --extra dev --custom-compile-command "make pin-dependencies" pyproject.toml -o requirements-dev.lock
	uv pip compile -q --universal --generate-hashes --no-annotate --group model --custom-compile-command "make pin-dependencies" -o requirements-model.lock

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 22

.PHONY: $(shell sed -nE 's/^([a-z-]+):.*/\1/p' Makefile)
