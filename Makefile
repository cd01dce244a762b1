# `make` alone lists the targets. Everything happens in .venv, from the locks in requirements/:
# a target installs and compiles what it needs, and no more.

PYTHON ?= python3
ARGS ?=
# Of fuzz-engines: how many plans (0: until Ctrl-C), and the seed of the first.
N ?= 10000
SEED ?= 0

BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
VENV := .venv/.made
PROJECT := .venv/.project
COMPILED := .venv/.compiled
RUN := ready
TEST := $(RUN) .venv/.deps-test
ALL := $(TEST) .venv/.deps-notebooks
# What setup.py compiles; a change here asks for a new build, nothing else does.
CPP := setup.py $(shell find simulator -name '*.hpp' -o -name '*.cpp')

LOCK_VENV := build/lock-venv
LOCK := $(LOCK_VENV)/bin/uv pip compile pyproject.toml --universal --generate-hashes --no-header \
	--no-emit-index-url --no-annotate --quiet --python-version 3.11 --fork-strategy fewest
EXTRAS := grids darshan dask search completion
LOWEST := build/lowest
LOWEST_EXTRAS := frames $(EXTRAS) test

# Where Python may keep no bytecode (as in many containers), each worker would compile all tests and
# rewrite their assertions anew: 12 CPU seconds; and each start of nwtsim what changed since `ready`.
unexport PYTHONDONTWRITEBYTECODE

# Whether the native engine is compiled; where it is not, runs take 100 times as long.
ENGINE_IS_COMPILED := $(BIN)/python -c "import simulator.native as own; exit(not own.has_kernel())"

# All processors; a test that is not begun goes to whoever is idle, and modules mostly stay whole.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
SANITIZED := build/sanitized
# Python itself is not compiled so: the sanitizer has to be there before it, and to see what it allots.
SANITIZER = PYTHONPATH="$(CURDIR)/$(SANITIZED)" LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc
# Tests of what stands above the compiled modules.
ABOVE := sizing answers benchmarks cli docs experiments measure python replay report study
# What a build with sanitizers cannot run: children with a limit of memory, or without its libraries; and dd, which they end.
UNSANITIZED := --ignore=tests/traces/test_report_darshan.py \
  --deselect tests/traces/test_record.py::test_a_program_is_run_twice_and_traced_the_second_time \
  --deselect tests/properties/test_metamorphic.py::test_M13_whatever_the_process_and_the_order_of_its_sets
UNCOPIED := *.so *.pyd __pycache__ .[a-z]*_cache ./.git ./.venv ./.hypothesis ./build ./dist

.DELETE_ON_ERROR:
.PHONY: ready plugins help setup tables test test-slow test-long test-lowest test-all sanitize fuzz-engines fuzz-inputs mutants notebook site lint format notebooks validation assumptions demanding checkpoint demanding reality bench instructions dist lock clean python-ok

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

tables: $(RUN) ## reproduce the published NWT tables, and the other studies in short
	@$(BIN)/nwtsim reproduce nwt
	@echo; echo "The other studies in short, a line each (a minute or more):"; \
	if $(ENGINE_IS_COMPILED); then \
	    $(BIN)/nwtsim reproduce pagecache sr8000 orion ninf ssken merge --short; \
	else \
	    $(BIN)/nwtsim reproduce orion ninf ssken --short; \
	    echo "Left out, since they take minutes each without a C++ compiler: nwtsim reproduce pagecache sr8000 merge"; \
	fi

test: $(TEST) ## run the quick tests and doctests: 230 CPU seconds; ARGS="-k sweep" for some
	$(PYTEST) -m "not slow and not long" $(ARGS)

test-slow: $(TEST) ## run what `make test` leaves out: slow tests, and properties and drawn plans on a quarter of their examples
	$(PYTEST) -m "(slow or hypothesis or drawn) and not long" --hypothesis-profile=quarter $(ARGS)

test-long: $(TEST) ## run what takes minutes by itself: theory with all samples, thousands of drawn plans, properties on all examples (half an hour)
	$(PYTEST) -m "long or hypothesis or drawn" --hypothesis-profile=full -o faulthandler_timeout=3600 $(ARGS)

# Old packages warn of new ones below them, which are not ours to mend: warnings are no errors here.
test-lowest: $(TEST) ## run the quick tests with the oldest packages that pyproject.toml allows, in build/lowest
	@rm -rf $(LOWEST) && mkdir -p build
	$(BIN)/uv pip compile pyproject.toml --quiet $(LOWEST_EXTRAS:%=--extra %) --resolution lowest-direct --python-version 3.11 \
	  --generate-hashes --no-header --no-annotate --only-binary :all: -o $(LOWEST).lock
	$(PYTHON) -m venv $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --require-hashes --no-deps -r $(LOWEST).lock
	$(LOWEST)/bin/python -m pytest -n auto --dist worksteal -W default -m "not slow and not long" $(ARGS)

test-all: test test-slow test-long ## run all tests

sanitize: $(TEST) ## run the quick tests of what is compiled in a copy made with gcc's sanitizers, then N=10000 random plans: nothing may be reported (half an hour)
	@rm -rf $(SANITIZED) && mkdir -p $(SANITIZED)
	@tar -cf - $(UNCOPIED:%=--exclude='%') . | tar -xf - -C $(SANITIZED)
	cd $(SANITIZED) && NWTSIM_SANITIZE=1 NWTSIM_OPT=1 "$(CURDIR)"/$(BIN)/python setup.py --quiet build_ext --inplace
	cd $(SANITIZED) && $(SANITIZER) "$(CURDIR)"/$(PYTEST) -m "not slow and not long and not real" tests simulator $(ABOVE:%=--ignore=tests/%) $(UNSANITIZED) $(ARGS)
	cd $(SANITIZED) && $(SANITIZER) "$(CURDIR)"/$(BIN)/python -m tests.fuzz_engines --engines native --plans $(N) --seed $(SEED)

fuzz-engines: $(TEST) ## compare the engines on N=10000 random plans from SEED=0 on
	$(BIN)/python -m tests.fuzz_engines --plans $(N) --seed $(SEED)

fuzz-inputs: $(TEST) ## give files with random damage to the commands that read them, for SECONDS=3600
	$(BIN)/python -m tests.fuzz_inputs --seconds $(or $(SECONDS),3600) $(if $(filter-out 0,$(SEED)),--seed $(SEED))

mutants: $(TEST) ## put errors into copies of the model, one at a time: the tests must notice all (half an hour)
	$(BIN)/python -m tests.mutants $(ARGS)

notebook: $(ALL) ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab notebooks/

notebooks: $(ALL) ## execute all notebooks and write their outputs; ARGS=lesson2 for one
	$(BIN)/python -m tests.render_notebooks $(ARGS)

lint: .venv/.deps-lint ## ruff (lint and format) and mypy --strict
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict simulator nwtsim experiments

format: .venv/.deps-lint ## let ruff format and repair what it can
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

site: $(RUN) .venv/.deps-site ## build the documentation as a website in build/site; with ARGS=--no-gallery without its pictures
	$(BIN)/python -m docs.site.build $(ARGS)

validation: $(TEST) ## compare the simulator with papers and theory, and write docs/validation.md and docs/validation/
	$(BIN)/python -m experiments.validation.page --out docs/validation.md $(ARGS)
	$(BIN)/python -m experiments.validation.modelerror

assumptions: $(TEST) ## draw machines from what the studies assume (twenty minutes), for the next `make validation`; ARGS=nwt for one study
	@for study in $(or $(ARGS),pagecache nwt sr8000 orion ninf ssken merge); do \
		$(BIN)/nwtsim reproduce $$study --assumptions --format json > build/$$study.json && \
		mv build/$$study.json experiments/$$study/assumptions.json || exit; done

demanding: $(TEST) ## try the studies' claims on machines of any rates (ten minutes), which decides what counts as predicted; ARGS=nwt for one study
	@for study in $(or $(ARGS),pagecache nwt sr8000 orion ninf ssken merge); do \
		$(BIN)/nwtsim reproduce $$study --demanding --format json > build/$$study.json && \
		mv build/$$study.json experiments/$$study/demanding.json || exit; done

checkpoint: $(TEST) ## run the sweeps of experiments/checkpoint and write experiments/checkpoint/README.md
	$(BIN)/python -m experiments.checkpoint.page --out experiments/checkpoint/README.md

reality: $(TEST) ## time real slow programs and their cures beside what is predicted (half an hour; needs strace)
	$(BIN)/python -m experiments.reality build -o experiments/reality/twenty.json $(ARGS)
	$(BIN)/python -m experiments.reality build --suite unseen -o experiments/reality/unseen.json $(ARGS)
	$(BIN)/python -m experiments.reality build --suite ten -o experiments/reality/ten.json $(ARGS)
	$(BIN)/python -m experiments.reality build --suite more -o experiments/reality/more.json $(ARGS)
	$(BIN)/python -m experiments.reality build --suite further -o experiments/reality/further.json $(ARGS)
	$(BIN)/python -m experiments.reality build --suite fresh -o experiments/reality/fresh.json $(ARGS)
	$(BIN)/python -m experiments.reality build --suite earlier -o experiments/reality/results.json $(ARGS)
	$(BIN)/python -m experiments.validation.reality experiments/reality/results.json --page docs/validation/reality.md

bench: $(ALL) ## measure how fast it is (half an hour), write docs/performance.md
	$(BIN)/python -m benchmarks.report --out docs/performance.md $(ARGS)

instructions: $(TEST) ## count an operation's instructions beside the program in C++: at most 5 % over what is recorded (valgrind; a minute or two)
	$(BIN)/python -m benchmarks.instructions --check $(ARGS)

setup: $(ALL) ## only install and compile, in .venv

dist: .venv/.deps-release ## build sdist and wheel in dist/, and check both
	@rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/abi3audit --strict dist/*.whl
	@if [ "$$(uname -s)" = Linux ]; then \
		PATH="$(BIN):$$PATH" $(BIN)/auditwheel repair --plat manylinux_2_17_$$(uname -m) --wheel-dir dist/repaired dist/*.whl && \
		mv dist/repaired/*.whl dist/ && rm -rf dist/repaired dist/*-linux_*.whl; fi
	@ls -l dist

lock: | python-ok ## pin the requirements anew; ARGS=--upgrade for the newest versions
	@test -x $(LOCK_VENV)/bin/uv || { echo "Installing uv in $(LOCK_VENV)"; \
		$(PYTHON) -m venv $(LOCK_VENV) && \
		$(LOCK_VENV)/bin/python -m pip --quiet --disable-pip-version-check install uv; }
	@$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > build/build.in
	@{ echo uv; cat build/build.in; } > build/uv.in
	@test -f build/all.lock || cat requirements/*.lock > build/all.lock 2>/dev/null || true
	$(LOCK) build/uv.in --extra all --extra test --extra lint --extra site --extra release $(ARGS) -o build/all.lock
	$(LOCK_VENV)/bin/uv pip compile build/uv.in $(filter-out pyproject.toml,$(wordlist 4,99,$(LOCK))) -c build/all.lock -o requirements/uv.lock
	$(LOCK) build/build.in -c build/all.lock -o requirements/tables.lock
	$(LOCK) build/build.in $(EXTRAS:%=--extra %) --extra test -c build/all.lock -o requirements/test.lock
	$(LOCK) $(EXTRAS:%=--extra %) --extra lint -c build/all.lock -o requirements/lint.lock
	$(LOCK) --extra notebook --extra test -c build/all.lock -o requirements/notebooks.lock
	$(LOCK) --extra site -c build/all.lock -o requirements/site.lock
	$(PYTHON) -m docs.site.lab > build/lab.in
	$(LOCK_VENV)/bin/uv pip compile build/lab.in --generate-hashes --no-header --no-emit-index-url --no-annotate --quiet \
	  --python-version 3.14 -o requirements/lab.lock
	$(LOCK) build/build.in --extra release -c build/all.lock -o requirements/release.lock

clean: ## remove .venv and everything that was built or cached
	rm -rf .venv build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find nwtsim simulator experiments tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	find simulator \( -name '*.so' -o -name '*.pyd' \) -delete

python-ok:
	@command -v "$(PYTHON)" >/dev/null || \
		{ echo "nwtsim needs Python 3.11 or later, and there is no $(PYTHON); say which: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.version_info >= (3, 11) or sys.exit("nwtsim needs Python 3.11 or later, and $(PYTHON) is %d.%d; say which: make PYTHON=python3.12" % sys.version_info[:2])'
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module (on Debian or Ubuntu: apt install python3-venv)" >&2; exit 1; }

# Compiling takes longest: it goes on while packages are installed, also without -j.
ready: $(VENV)
	@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j2) $(COMPILED) $(PROJECT)

# uv installs in a tenth of pip's time; where it cannot be had, or fails, pip does the same. Both
# compile modules to bytecode: where Python may not (PYTHONDONTWRITEBYTECODE, as in many containers),
# each start of nwtsim would, which doubles its time.
$(VENV): requirements/uv.lock | python-ok
	@echo "Making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear .venv
	@$(PIP) install --require-hashes --only-binary :all: --no-deps -r $< 2>/dev/null || \
		{ echo "There is no uv for this machine; pip installs instead, more slowly"; \
		$(PIP) install --require-hashes --no-deps -r requirements/tables.lock; }
	@touch $@

.venv/.deps-%: requirements/%.lock $(VENV)
	@echo "Installing $$(grep -c '^[^ ]*==' $<) packages of $< (some seconds; by pip a minute or two)"
	@{ test -x $(BIN)/uv && $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes --no-deps -r $<; } || \
		$(PIP) install --require-hashes --no-deps -r $<
	@touch $@

$(PROJECT): .venv/.deps-tables pyproject.toml simulator/__init__.py
	@NWTSIM_PURE=1 $(PIP) install --no-build-isolation --no-deps --no-index --editable .
	@$(BIN)/python -m compileall -q nwtsim simulator experiments
	@touch $@

# Without a C++ compiler no stamp is made: the next `make` looks again, and says so again. What
# changed of a user's kinds (docs/extending.md), setup.py knows.
$(COMPILED): $(VENV) $(CPP) $(if $(NWTSIM_PLUGINS),plugins)
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@if ls simulator/native/kernel*.so >/dev/null 2>&1; then touch $@; fi
