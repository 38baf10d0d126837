# Every target makes what it needs: .venv with the packages of pyproject.toml. A second run makes nothing again.
# `make PYTHON=/path/to/python3.12 …` chooses the interpreter of a new .venv.

VENV   := .venv
RUN    := $(VENV)/bin/python -m
PIP    := $(RUN) pip --quiet --disable-pip-version-check
PYTHON :=
IMAGE  := nvcr.io/nvidia/tritonserver:26.06-py3

.PHONY: help demo test bench oracle conformance docker clean

help:
	@echo 'make demo    lint the NV-12 repository and show what is found'
	@echo 'make test    ruff, mypy --strict, pytest'
	@echo 'make bench   measure the speed and write the table of the README'
	@echo 'make oracle  compare the parser with every Triton release that is to be had (downloads some 1.5 GB)'
	@echo 'make conformance  ask six real Tritons about every fixture and 3,000 repositories, and lint too (some 20 minutes)'
	@echo 'make docker  restart a real Triton in Docker (needs root on Debian or Ubuntu, or a running engine)'
	@echo 'make clean   remove what the others made'

# Exit code 1 is what the demo is for: findings. Any other but 0 is a failure.
demo: $(VENV)/installed
	@$(RUN) tritoncheck lint fixtures/repositories/nv12 --image $(IMAGE) || test $$? -eq 1

test: $(VENV)/installed-dev
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) pytest -n 2 --dist loadfile

bench: $(VENV)/installed
	@$(RUN) tests.benchmarks

oracle: $(VENV)/installed-dev
	$(RUN) pytest -m all_servers

conformance: $(VENV)/installed-dev
	$(RUN) tests.conformance --keep
	$(VENV)/bin/python scripts/update_readme.py

docker: $(VENV)/installed-dev
	$(RUN) pytest -m docker

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find rules scripts tests tritoncheck -name __pycache__ -prune -exec rm -rf {} +

# Debian and Ubuntu keep the venv module in a package of its own: root gets it, others are told which.
$(VENV)/made:
	@for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    package=$$($$python -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	    if ! $$python -c 'import ensurepip, venv' 2>/dev/null && test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	        echo "installing $$package" >&2; \
	        { apt-get install -qq -y $$package || { apt-get update -qq && apt-get install -qq -y $$package; }; } \
	            >/dev/null 2>&1 </dev/null || true; \
	    fi; \
	    if $$python -c 'import ensurepip, venv' 2>/dev/null; then \
	        $$python -m venv $(VENV) && touch $@; exit; \
	    fi; \
	    lacking=$${lacking:-$$package}; \
	done; \
	echo "This needs Python 3.11 or newer with its venv module: apt-get install $${lacking:-python3-venv}" >&2; \
	exit 1

$(VENV)/installed: $(VENV)/made pyproject.toml
	@$(PIP) install --editable .
	@touch $@

# `--group` came with pip 25.1.
$(VENV)/installed-dev: $(VENV)/installed pyproject.toml
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --group dev
	@touch $@
