# Everything works from a fresh clone with Python 3.11 to 3.14 and make; `make` alone lists the targets.

PYTHON ?= python3
BIN := .venv/bin
PIP = $(BIN)/python -m pip install -qq --disable-pip-version-check
# `make run` installs the program only, in seconds; the test tools take minutes and include a browser.
PROGRAM := .venv/.program
INSTALLED := .venv/.installed

POLICIES := --policy uniform --policy apt --policy lsa --policy fwt-sqrt --policy stopping
BUDGETS := $(addprefix --budget ,100 200 500 1000 2000)
LATER_BUDGETS := $(addprefix --budget ,500 750 1000 1250 1500 1750 2000)

.DEFAULT_GOAL := help
.PHONY: help setup run test test-fast chaos lint bench figures screenshots replay docs changelog dist nightly clean

help: ## List the targets
	@echo "make <target>"
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; do \
	  printf '  %-11s %s\n' "$$name" "$$text"; done

setup: $(INSTALLED) ## Install thresher and the test tools into .venv (again only when pyproject.toml changes)

$(PROGRAM): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' || { \
	  echo "thresher needs Python 3.11, 3.12, 3.13 or 3.14, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1);" \
	       "choose another one: make setup PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot create virtual environments; on Debian and Ubuntu run: apt install python3-venv" >&2; exit 1; }
	@echo "Installing thresher into .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv
	@$(PIP) --editable '.[service]'
	@touch $@

$(INSTALLED): $(PROGRAM)
	@echo "Installing the test tools; the first time takes a few minutes"
	@$(PIP) --upgrade 'pip>=25.1'
	@$(PIP) --editable '.[all]' --group dev
	@$(BIN)/python tools/chromium.py
	@touch $@
	@echo "Ready: $(BIN)/thresher"

run: $(PROGRAM) ## Run a real campaign: which compression settings are fast enough on this machine
	@$(BIN)/python examples/compression/run.py --out out

# One worker more than cores, because tests wait for processes and browsers. Tests of a group run in one worker and share its servers.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
SHARED = -n $(WORKERS) --dist loadgroup

# The linters run next to the tests, and their output comes last. A shell starts background jobs without SIGINT, so Ctrl-C needs the
# trap. Not `$(MAKE)`, because of which `make -n test` would run the tests.
LINT_LOG := .cache/lint.log

test: setup ## Run all tests except the nightly ones, and the linters next to them
	@mkdir -p $(dir $(LINT_LOG))
	@make --no-print-directory lint >$(LINT_LOG) 2>&1 & linters=$$!; \
	trap 'kill $$linters; exit 130' INT TERM; \
	failed=; \
	$(BIN)/pytest $(SHARED) || failed=" tests"; \
	wait $$linters || failed="$$failed lint"; \
	trap - INT TERM; \
	echo; echo "make lint:"; cat $(LINT_LOG); \
	echo; [ -z "$$failed" ] || { echo "make test: FAILED:$$failed"; exit 1; }; \
	echo "make test: tests and lint passed"

# No simulation, browser, server or other process: one that fails here fails soon.
FAST := $(addprefix tests/unit/,campaign dashboard problem policy/index report research/papers service test_errors.py test_streams.py) \
  tests/unit/cli tests/contract/test_campaigns.py tests/recorded/test_campaigns.py tests/docs/test_style.py tests/docs/test_names.py

test-fast: setup ## Run, within a minute, the tests that find most mistakes
	@$(BIN)/pytest -n $(WORKERS) --dist loadgroup -k "not Postgres" $(FAST)

NO_HURRY := -o timeout=3600 -o faulthandler_timeout=3700  # seconds for one test of the thorough suites

chaos: setup ## Run the full fault-injection suites and print their figures (ten minutes, more on a busy machine)
	@$(BIN)/pytest $(SHARED) $(NO_HURRY) --full -m 'nightly or not nightly' tests/chaos tests/contract/test_interleavings.py

lint: setup ## Check style, types and import layers
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup ## Run the benchmarks; figures are ratios within one run
	@$(BIN)/python -m benchmarks.startup
	@$(BIN)/python -m benchmarks.storage.bench_ask_tell
	@$(BIN)/python -m benchmarks.storage.bench_readers
	@$(BIN)/python -m benchmarks.storage.bench_sizing
	@$(BIN)/python -m benchmarks.compare.bench_simulator --out out/bench
	@$(BIN)/python -m benchmarks.service.bench_http
	@$(BIN)/python -m benchmarks.service.bench_page

figures: setup ## Draw the pictures of the docs, and every figure of the paper into out/figures
	@mkdir -p docs/images
	@$(BIN)/thresher simulate linear $(POLICIES) $(BUDGETS) --runs 5000 --plot docs/images/mistakes-linear.png
	@$(BIN)/thresher simulate constant:K=50,gap=0.3 --policy oracle --policy stopping --policy sprt \
	  $(LATER_BUDGETS) --runs 10000 --seed 1 --plot docs/images/why-adaptive.png
	@$(BIN)/python -m benchmarks.shared_items $(DATA) --figure docs/images/shared-items.png \
	  --headline docs/images/headline.png
	@$(BIN)/python -m benchmarks.repeats --figure docs/images/repeats.png
	@$(BIN)/python -m benchmarks.hero_picture $(DATA) docs/images
	@$(BIN)/thresher reproduce --out out/figures --force

screenshots: setup ## Take the pictures of the dashboard in the docs with a real browser; all pages go to out/screenshots
	@PYTHONPATH=. $(BIN)/python tools/screenshots.py out/screenshots --docs docs/images

DATA ?= ../shared/data

replay: setup ## Compare with uniform sampling on recorded data (DATA=folder)
	@$(BIN)/python -m benchmarks.replay $(DATA)
	@$(BIN)/python -m benchmarks.shared_items $(DATA)

# Not with --quiet: that hides warnings from --strict too.
docs: setup ## Build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html"

changelog: setup ## Show what the next release would add to CHANGELOG.md; .venv/bin/towncrier build writes it
	@$(BIN)/towncrier build --draft

EXTRAS ?=

dist: setup ## Build sdist and wheel into dist/, and use the wheel in a clean environment with each extra (EXTRAS="plots service")
	@rm -rf dist
	@$(BIN)/python -m build --outdir dist
	@$(BIN)/python tools/check_dist.py $(EXTRAS)

nightly: setup ## Run all tests, including slow ones, with twenty times the random examples
	@$(BIN)/pytest $(SHARED) $(NO_HURRY) --hypothesis-profile thorough -m 'nightly or not nightly'

clean: ## Remove generated files, except .venv
	rm -rf out site dist build .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
