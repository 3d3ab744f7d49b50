# Touchstone. Two commands to know: make demo, make test.
PYTHON ?= python3.11
PORT ?= 8000
# BLENDER=0 leaves out the background set-up of Blender (about 1 GB).
BLENDER ?= 1
PY := .venv/bin/python

.PHONY: help demo test test-fast lint types setup render-setup pins screenshots sheets body bench coverage

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 16

demo: setup  ## the whole loop on http://127.0.0.1:8000 (PORT=9000 moves it); Ctrl-C stops it
	@exec $(PY) manage.py demo --port $(PORT) --blender $(BLENDER)

test: setup-test  ## every test, on SQLite, PostgreSQL with Redis, and in Chromium
	@exec $(PY) tests/run.py

test-fast: setup-test  ## the inner loop: SQLite only, no browser, under a minute
	@exec $(PY) tests/run.py --fast

lint: setup-test  ## format check, linter, import rules, types
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"
	$(PY) -m mypy .

setup:  ## .venv with what the demo needs
	@command -v $(PYTHON) >/dev/null || { echo "Touchstone needs Python 3.11 as $(PYTHON); or: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) config/bootstrap.py base

.PHONY: setup-test
setup-test:
	@command -v $(PYTHON) >/dev/null || { echo "Touchstone needs Python 3.11 as $(PYTHON); or: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) config/bootstrap.py test

render-setup:  ## .venv-render with Blender (bpy)
	@$(PYTHON) config/bootstrap.py render

screenshots: setup-test  ## docs/images anew, from a demo of their own
	@exec $(PY) docs/make_screenshots.py

sheets: setup  ## docs/images/sheet-*.webp anew: every look, eight actions, five generators
	@exec $(PY) docs/make_contact_sheets.py

body: setup  ## rendering/body/human.npz anew, from our own code; the same bytes where nothing changed
	@$(PYTHON) config/bootstrap.py body
	@exec .venv-body/bin/python -m rendering.body.build

bench: setup  ## us beside our peers in one run; writes docs/performance.md and docs/performance-drawing.md
	@$(PYTHON) config/bootstrap.py bench
	@.venv-bench/bin/python tests/bench/run.py
	@exec .venv-bench/bin/python tests/bench/drawing.py

coverage: setup  ## do 95 % intervals hold the truth 95 times in 100? Writes docs/coverage.md
	@exec $(PY) tests/bench/coverage.py

PIN := $(PY) -m piptools compile --quiet --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
pins: setup  ## write config/pins/*.txt anew from pyproject.toml
	$(PY) -m pip install --quiet pip-tools
	cd config/pins && ../../$(PIN) --upgrade --output-file base.txt ../../pyproject.toml
	cd config/pins && ../../$(PIN) --upgrade --extra test --constraint base.txt --output-file test.txt ../../pyproject.toml
	cd config/pins && ../../$(PIN) --upgrade --extra labelstudio --constraint base.txt --output-file labelstudio.txt ../../pyproject.toml
	cd config/pins && ../../$(PIN) --upgrade --extra bench --constraint base.txt --output-file bench.txt ../../pyproject.toml
	cd config/pins && ../../$(PIN) --upgrade --extra body --constraint base.txt --output-file body.txt ../../pyproject.toml
	cd config/pins && echo 'bpy==5.0.1' | ../../$(PIN) --upgrade --output-file render.txt -
