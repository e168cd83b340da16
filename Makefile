# Every target does its own set-up: a bare machine needs only python3 (3.11 or newer) and make.
# Stamp files in the environment make later runs start at once.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEV    := $(VENV)/.stamp-dev
DOCS   := $(VENV)/.stamp-docs
NOTEBOOKS := $(VENV)/.stamp-notebooks
NVRTC  := $(VENV)/.stamp-nvrtc
TVMENV ?= .venv-tvm
TVM    := $(TVMENV)/.stamp-tvm
PIP    := -m pip install --quiet --disable-pip-version-check

# Tests and commands start many Python processes: without byte code each of them compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-thorough test-gpu test-tvm nightly nightly-tvm verified lint format rules docs notebooks playground spec examples bench clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "refrelax needs Python 3.11 or newer; '$(PYTHON)' is `$(PYTHON) --version`. Try: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { echo "'$(PYTHON) -m venv' failed (on Debian: apt-get install python3-venv)"; exit 2; }

$(DEV): pyproject.toml | $(BIN)/python
	@echo "setting up $(VENV) …"
	@$(BIN)/python $(PIP) -e '.[dev]'
	@touch $@

$(DOCS): pyproject.toml | $(DEV)
	@$(BIN)/python $(PIP) -e '.[docs]'
	@touch $@

$(NOTEBOOKS): pyproject.toml | $(DEV)
	@$(BIN)/python $(PIP) -e '.[notebooks]'
	@touch $@

# NVIDIA's compiler of kernels: 58 MB, no GPU needed. Where it cannot be had its tests are skipped, and say so.
$(NVRTC): | $(DEV)
	@$(BIN)/python $(PIP) 'nvidia-cuda-nvrtc==13.*' && touch $@ || echo "NVRTC cannot be installed: its tests will be skipped"

$(TVMENV)/bin/python:
	@$(PYTHON) -m venv $(TVMENV)

$(TVM): pyproject.toml | $(TVMENV)/bin/python
	@echo "setting up $(TVMENV) (TVM and PyTorch) …"
	@$(TVMENV)/bin/python $(PIP) -e '.[tvm,numpy]' torch
	@touch $@

setup: $(DEV) ## make the environment

demo: $(DEV) ## the main job on real models: parse, check, run, compile, judge
	@$(BIN)/refrelax demo

test: $(DEV) $(NVRTC) ## the tie between spec, code and cases, then the test suite (no TVM needed; what takes long: make test-thorough)
	@$(BIN)/refrelax rules check & tie=$$!; $(BIN)/python -m pytest -n 2; found=$$?; wait $$tie && exit $$found

test-thorough: $(DEV) $(NVRTC) ## what takes long and has a quicker sibling in make test; CI runs both
	@$(BIN)/python -m pytest -n 2 -m "thorough and not nightly and not tvm"

# On a bare machine with a device, without pip: sh tools/on_gpu.sh python3
test-gpu: $(DEV) ## all that needs a CUDA device, in 8 minutes: tests, compute-sanitizer, measurements (installs CuPy)
	@$(BIN)/python $(PIP) -e '.[cuda]'
	@sh tools/on_gpu.sh $(BIN)/python

test-tvm: $(DEV) $(TVM) ## the tests against real TVM 0.27 (the long ones: make nightly-tvm)
	@REFRELAX_TVM_PYTHON=$(abspath $(TVMENV)/bin/python) $(BIN)/python -m pytest -m "tvm and not nightly"

nightly: $(DOCS) $(NOTEBOOKS) ## the long campaigns, and every property on many examples
	@HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -m "nightly and not tvm"
	@HYPOTHESIS_PROFILE=many $(BIN)/python -m pytest -m "hypothesis and not nightly and not tvm"

nightly-tvm: $(DEV) $(TVM) ## the long campaigns against real TVM 0.27
	@REFRELAX_TVM_PYTHON=$(abspath $(TVMENV)/bin/python) $(BIN)/python -m pytest -m "nightly and tvm"

verified: $(DEV) ## the checker of certificates that is proved in Coq: proofs, program, agreement (needs coq, ocaml; else says so)
	@sh verified/build.sh
	@$(BIN)/python -m pytest -m "nightly and not tvm" tests/shape_solver/test_verified.py

lint: $(DEV) ## ruff, mypy --strict and the drawing of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "ruff format would change files: make format"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/mypy tests/release/typed_user.py
	@$(BIN)/python -m pytest -m "" tests/repo/test_layers.py

format: $(DEV) ## let ruff rewrite what it can
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

rules: $(DEV) ## the tie: every rule has prose, code, and cases
	@$(BIN)/refrelax rules check

docs: $(DOCS) ## the site, in build/site: text, rules, steppers, pictures, notebooks, playground (with npm); links checked
	@$(BIN)/mkdocs build --strict --quiet --site-dir build/site

notebooks: $(NOTEBOOKS) ## the tutorial as notebooks, in build/notebooks, each run in a kernel; a stale one fails
	@$(BIN)/python tools/site/notebooks.py build/notebooks --check

playground: $(DEV) ## a page that runs the package in a browser, in build/playground (Pyodide from npm)
	@$(BIN)/python tools/make_playground.py build/playground

spec: $(DOCS) ## the specification as one HTML file, and as a PDF, in build/spec; AGAINST=COMMIT: change bars against that text
	@$(BIN)/python tools/make_spec.py --out build/spec $(if $(AGAINST),--against $(AGAINST))

examples: $(TVM) ## print the example models anew with real TVM and PyTorch
	@$(TVMENV)/bin/python tools/make_examples.py
	@$(TVMENV)/bin/python tools/make_paper_models.py

bench: $(DEV) ## the benchmarks that the notes quote
	@for each in interpreter small_program readings decoder arrays "solver --lowering" pointwise; do \
	  set -- $$each; name=$$1; shift; echo "== $$name $$*"; $(BIN)/python benchmarks/$$name.py "$$@" || exit 1; done

clean: ## remove the environments and caches
	rm -rf $(VENV) $(TVMENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
