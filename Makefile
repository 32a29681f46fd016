# Every target sets up what it needs; a machine with Python ≥ 3.11 and make is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
ARGS   ?=
CHROMIUM ?=
export CHROMIUM
BOUNDS ?= not slow
KILLS  ?= 500
PYTEST := $(BIN)/pytest -n auto --dist worksteal

.PHONY: serve paper test coverage test-slow test-bounds torture lint format bench docs pictures chromium clean help

help: ## What there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "duels needs Python 3.11 or newer, got $$($(PYTHON) --version). Use: make PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

serve: $(READY) ## The page for people with a demo, until Ctrl-C (ARGS="flats.csv --port 8001")
	$(BIN)/duels serve $(ARGS)

paper: $(READY) ## The paper's experiments, figures and claims (ARGS="--replications 100")
	$(BIN)/duels paper $(ARGS)

test: $(READY) chromium ## Tests that are not slow: compiled, then the kernels once more uncompiled
	$(PYTEST) -m 'not slow' $(ARGS)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m 'kernels and not slow' $(ARGS)

coverage: $(READY) chromium ## The same, and which lines and branches they run, which takes longer
	$(PYTEST) -m 'not slow' --cov --cov-report= $(ARGS)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m 'kernels and not slow' --cov --cov-append --cov-report=term:skip-covered $(ARGS)

test-slow: $(READY) chromium ## Slow tests: statistics over many sessions, and a real JupyterLab
	$(PYTEST) -m slow $(ARGS)

test-bounds: $(READY) chromium ## Tests that are not slow, with every index of the kernels checked (BOUNDS=kernels: only theirs)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.bounds-cache $(PYTEST) -m '$(BOUNDS)' $(ARGS)

torture: $(READY) ## Servers killed 500 times under load, and databases stopped (KILLS=2000 for more)
	DUELS_KILLS=$(KILLS) $(PYTEST) -m torture $(ARGS)

lint: $(READY) ## Formatting, style, types, and which room imports which
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## Format the sources
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## Speeds, side by side with duelpy
	$(BIN)/python -m benchmarks $(ARGS)

chromium:
	@.ci/chromium

pictures: $(READY) chromium ## The screenshots in the documentation, taken again by the tests of pages
	DOCS_PICTURES=1 $(PYTEST) -m browser $(ARGS)

docs: $(READY) ## Build the documentation into site/
	$(BIN)/mkdocs build --strict

clean: ## Forget everything that was made
	rm -rf $(VENV) .venv-duelpy site paper-results .bounds-cache .mypy_cache .ruff_cache .pytest_cache
