# make demo    run the programs of the demo on photographs
# make quick   lint, and a part of each test that needs no device: a minute or so, while you work
# make test    lint, types, tests: before you hand a change in
# make test-all  the same with every test: wide searches, simulated devices; what continuous integration runs
# make fuzz    random programs against NumPy for SECONDS (60), from SEED (0) on, PROGRAMS (500) in a process (docs/testing.md)
# make bench   measure, against the machine's limits and other libraries
#
# also: setup (.venv alone), lint, types, tests, tests-all (single steps), format, wheel, lock (pin new versions), clean
#
# Each target sets up .venv first; that takes time once, and again only after pyproject.toml or requirements.lock change.
# Variables: PYTHON (the interpreter that makes .venv), PYTEST_ARGS, BENCH_ARGS, DEMO_ARGS, FUZZ_ARGS.

PYTHON ?= python3
PYTEST_ARGS ?= -n auto --maxprocesses 8
BENCH_ARGS ?= --suite spine
DEMO_ARGS ?=
SECONDS ?= 60
SEED ?= 0
PROGRAMS ?= 500
FUZZ_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
QUIET := --quiet --quiet --disable-pip-version-check
# Byte code is kept, whatever the environment says: without it each worker compiles all there is, and rewrites each
# assertion, before its first test.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest

.PHONY: help setup demo quick test test-all lint types tests tests-all fuzz format bench wheel lock clean
.DEFAULT_GOAL := help

help:
	@sed -n '/^$$/q; s/^# \{0,1\}//p' Makefile

setup: $(READY)

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "lazyarr needs Python 3.11 or later: make PYTHON=/path/to/python3" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "setting up $(VENV) (once; a few minutes at most)"; $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install $(QUIET) --requirement requirements.lock
	@$(BIN)/python -m pip install $(QUIET) --no-build-isolation --no-deps --editable .
	@touch $@

demo: $(READY)
	$(BIN)/python -m lazyarr demo $(DEMO_ARGS)

# What each tier of tests is: docs/testing.md. Types are looked at beside the tests: that takes one processor a minute.
quick: $(READY)
	@$(MAKE) --no-print-directory lint
	$(PYTEST) --tier quick $(PYTEST_ARGS)

test: $(READY)
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory -j 2 types tests

test-all: $(READY)
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory -j 2 types tests-all

lint: $(READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

types: $(READY)
	$(BIN)/python -m mypy

tests: $(READY)
	$(PYTEST) --tier test $(PYTEST_ARGS)

tests-all: $(READY)
	$(PYTEST) --tier all $(PYTEST_ARGS)

fuzz: $(READY)
	$(BIN)/python -m tests.programs --seconds $(SECONDS) --seed $(SEED) --programs $(PROGRAMS) $(FUZZ_ARGS)

format: $(READY)
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

# Setuptools copies into build/ and never removes from it; a stale file there would end up in the wheel.
wheel: $(READY)
	@rm -rf build
	$(BIN)/python -m pip wheel $(QUIET) --no-build-isolation --no-deps --wheel-dir dist .
	@rm -rf build

# The newest versions that pyproject.toml allows, resolved in an environment of their own.
lock:
	@rm -rf $(VENV)-lock
	@$(PYTHON) -m venv $(VENV)-lock
	@$(VENV)-lock/bin/python -m pip install $(QUIET) '.[dev]'
	@{ echo "# Versions of everything 'make' installs. Written by 'make lock'."; \
	   $(VENV)-lock/bin/python -m pip freeze --all --exclude lazyarr --exclude pip \
	   | sed -E "s/^((pocl|oclgrind)-binary-distribution==.*)$$/\1; sys_platform == 'linux' and platform_machine == 'x86_64'/"; \
	 } > requirements.lock.new
	@mv requirements.lock.new requirements.lock
	@rm -rf $(VENV)-lock build

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +
