# Everything hinge needs is installed into .venv, here, at the versions of constraints.txt.
# A machine needs Python 3.11 or newer, make and pip. Nothing outside this folder is touched.

PYTHON ?= python3
BIN    := .venv/bin
READY  := .venv/ready

# The rooms with compiled loops: their tests run a second time with every index checked.
ENGINE_TESTS = $(wildcard $(foreach room,rows steps focus space task round engine linear constraints,tests/test_$(room)*.py))

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_CACHE_DIR := 1
export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo test test-compiled test-interpreted test-boundscheck check lint-fix bench clean

help: ## show this list
	@echo "make PYTHON=python3.12 ... chooses the Python of a new .venv; targets:"
	@sed -n 's/^\([a-z-]*\):.*## /  \1@/p' Makefile | column -t -s @ 2>/dev/null || grep -h '## ' Makefile

setup: $(READY) ## make .venv and install hinge with all it needs

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "hinge needs Python 3.11 or newer; $(PYTHON) is: $$($(PYTHON) --version 2>&1)." \
	       "Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python || if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then $(PYTHON) -m venv .venv; \
	  else $(PYTHON) -m venv --without-pip .venv && $(PYTHON) -m pip --python .venv install --quiet pip; fi
	$(BIN)/python -m pip install --quiet --constraint constraints.txt pip hatchling editables
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[all]' --group dev
	@touch $@

demo: $(READY) ## learn a real stream of messages and show what came of it
	$(BIN)/python -m hinge.demo

test: test-compiled test-interpreted test-boundscheck ## run every test, in three ways

test-compiled: $(READY) ## the whole suite, the docstrings and the README, compiled
	$(BIN)/python -m pytest --doctest-glob=README.md -n 2 --dist loadfile tests src README.md

test-interpreted: $(READY) ## the same in plain Python, which gives the coverage
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run --branch --source=src/hinge \
	  -m pytest --doctest-glob=README.md tests src README.md
	$(BIN)/python -m coverage report --skip-covered

test-boundscheck: $(READY) ## the engine's tests, compiled with every index checked
	@test -n "$(ENGINE_TESTS)" || { echo "no tests of the engine found (ENGINE_TESTS in the Makefile)" >&2; exit 1; }
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest $(ENGINE_TESTS)

check: $(READY) ## lint, types, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src/hinge
	$(BIN)/lint-imports

lint-fix: $(READY) ## repair what the linter can repair by itself
	$(BIN)/ruff check --fix .

bench: $(READY) ## measure against peers, side by side in one run
	$(BIN)/python benchmarks/run.py

clean: ## remove .venv and everything that was generated
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage demo-output
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
