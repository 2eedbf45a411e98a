# Everything a person does here, by name. `make` lists it.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help

.PHONY: help install quickstart test test-fast check format docs bench-quality ui clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,experiments,local,peers,ray,serve,sql]'
	@touch $@

install: .venv/.installed ## Install everything into .venv, versions pinned by constraints.txt

quickstart: install ## Fetch the embedded model, compile on the sample turns, show recall@5 (some 6 minutes on two cores)
	$(BIN)/anaphora model pull qwen2.5-coder-1.5b
	$(BIN)/anaphora index data/sample/corpus.jsonl --store stores/sample
	$(BIN)/anaphora compile experiments/quickstart.yaml
	@echo "The run is in MLflow: make ui"

test: install ## Run every test, the real 0.5B model and a headless Chromium (where there is one) included
	$(BIN)/anaphora model pull qwen2.5-coder-0.5b
	$(BIN)/python -m pytest -m "not lm" -n 2
	ANAPHORA_REQUIRE_LM=1 $(BIN)/python -m pytest -m lm

test-fast: install ## Run the tests that need no language model
	$(BIN)/python -m pytest -m "not lm" -n 2

check: install ## Lint, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install ## Write docs/cli.md and docs/settings.md anew from the commands and the settings
	$(BIN)/typer cli.main utils docs --name anaphora --title "Command line" --output docs/cli.md
	$(BIN)/python -m cli.settings_page > docs/settings.md

bench-quality: install ## Measure recall@5 on ../shared/data and the sample set (hours; resumes)
	$(BIN)/python -m experiments.bench.quality

ui: install ## Open MLflow on the local runs
	$(BIN)/mlflow ui --backend-store-uri $${MLFLOW_TRACKING_URI:-sqlite:///mlruns/mlflow.db}

clean: ## Remove what commands wrote, not the model store or caches
	rm -rf artefacts stores mlruns build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
