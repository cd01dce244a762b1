# `make` alone lists the targets. Everything happens in .venv, from requirements.lock.

PYTHON ?= python3
ARGS ?=
# Of fuzz-engines: how many plans (0: until Ctrl-C), and the seed of the first.
N ?= 10000
SEED ?= 0

BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
DEPS := .venv/.deps-installed
READY := .venv/.project-installed
# What setup.py compiles; a change here asks for a new build, nothing else does.
PXD := $(shell find simulator -name '*.pxd')
COMPILED := $(PXD) $(PXD:.pxd=.py)

LOCK_VENV := build/lock-venv
LOCK_FLAGS := --universal --generate-hashes --no-header --no-emit-index-url --quiet \
	--extra dev --extra notebook --extra traces --extra darshan --python-version 3.11 --fork-strategy fewest

.DELETE_ON_ERROR:
.PHONY: help setup tables test test-pure fuzz-engines notebook lint format notebooks validation checkpoint bench lock clean python-ok

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

tables: $(READY) ## reproduce the published NWT tables, and all studies in short (installs what it needs, in .venv)
	$(BIN)/nwtsim reproduce nwt
	$(BIN)/nwtsim reproduce all

test: $(READY) ## run all tests and doctests; ARGS="-m 'not slow'" for the quick ones
	$(BIN)/python -m pytest $(ARGS)

test-pure: $(READY) ## the same on interpreted code; the next target compiles again
	@find simulator \( -name '*.so' -o -name '*.pyd' \) -delete
	@rm $(READY)
	$(BIN)/python -m pytest $(ARGS)

fuzz-engines: $(READY) ## compare the engines on N=10000 random plans from SEED=0 on
	$(BIN)/python -m tests.fuzz_engines --plans $(N) --seed $(SEED)

notebook: $(READY) ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab notebooks/

notebooks: $(READY) ## execute all notebooks and write their outputs; ARGS=02 for one
	$(BIN)/python -m notebooks.render $(ARGS)

lint: $(READY) ## ruff (lint and format) and mypy --strict
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict simulator

format: $(READY) ## let ruff format and repair what it can
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

validation: $(READY) ## compare the simulator with theory and write docs/validation.md
	$(BIN)/python -m simulator.study.validation --out docs/validation.md

checkpoint: $(READY) ## run the sweeps of experiments/checkpoint and write docs/checkpoint.md
	$(BIN)/python -m simulator.report.checkpoint --out docs/checkpoint.md

bench: $(READY) ## measure how fast it is, and write docs/performance.md
	$(BIN)/python -m benchmarks.report --out docs/performance.md

setup: $(READY) ## only install into .venv

lock: | python-ok ## pin the requirements anew; ARGS=--upgrade for the newest versions
	@test -x $(LOCK_VENV)/bin/uv || { echo "Installing uv in $(LOCK_VENV)"; \
		$(PYTHON) -m venv $(LOCK_VENV) && \
		$(LOCK_VENV)/bin/python -m pip --quiet --disable-pip-version-check install uv; }
	$(LOCK_VENV)/bin/uv pip compile $(LOCK_FLAGS) $(ARGS) -o requirements.lock pyproject.toml

clean: ## remove .venv and everything that was built or cached
	rm -rf .venv build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find simulator tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	find simulator \( -name '*.so' -o -name '*.pyd' \) -delete

python-ok:
	@command -v "$(PYTHON)" >/dev/null || \
		{ echo "nwtsim needs Python 3.11 or later, and there is no $(PYTHON); say which: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.version_info >= (3, 11) or sys.exit("nwtsim needs Python 3.11 or later, and $(PYTHON) is %d.%d; say which: make PYTHON=python3.12" % sys.version_info[:2])'
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module (on Debian or Ubuntu: apt install python3-venv)" >&2; exit 1; }

$(DEPS): requirements.lock | python-ok
	@echo "Making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear .venv
	@echo "Installing $$(grep -c '==' requirements.lock) packages from requirements.lock (a minute or two)"
	@$(PIP) install --require-hashes --no-deps -r requirements.lock
	@touch $@

$(READY): $(DEPS) pyproject.toml setup.py simulator/__init__.py $(COMPILED)
	@echo "Installing nwtsim itself (editable)"
	@find simulator \( -name '*.so' -o -name '*.pyd' \) -delete # never leave one of an older source
	@$(PIP) install --no-build-isolation --no-deps --no-index --editable .
	@touch $@
