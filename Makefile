# Everything a person or a machine does with this checkout. `make help` lists it.
# Each target sets up what it needs; a stamp file says that it is there already.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= $(firstword $(shell command -v python3.11 python3))
WORKERS ?= 2
BIN := .venv/bin
UV := .venv/uv/bin/uv
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help
help:  ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

# --- what people come for ---------------------------------------------------------------------------------------------

.PHONY: demo
demo: .venv/.stamp  ## set up, then play, record, verify and tamper with whole matches over gRPC
	dominohall demo

.PHONY: test
test: .venv/.stamp .venv/.node .venv/.servers  ## set up, then run every test but the slow ones
	pytest -n $(WORKERS) --dist loadfile -m 'not slow'

.PHONY: test-slow
test-slow: .venv/.stamp .venv/.node .venv/.servers  ## the long forms of the tests as well
	pytest -n $(WORKERS) --dist loadfile

.PHONY: check
check: check-code check-proto check-deployment check-docs  ## every check that is not a test; a warning is an error

.PHONY: bench
bench: .venv/.stamp .venv/.peers .venv/.compiled  ## the product beside its peers, in ratios, every target with its verdict (BENCH="--quick")
	python -m dominohall_loadtest.bench $(BENCH)

.PHONY: loadtest
loadtest: .venv/.stamp  ## play whole matches against a service for 20 seconds, with thresholds
	python -m dominohall_loadtest

MINUTES ?= 30
.PHONY: soak
soak: .venv/.stamp  ## play for long (MINUTES=30): memory must stay flat, and every replay verify
	python -m dominohall_loadtest.soak --minutes $(MINUTES) --report build/soak

.PHONY: chaos
chaos: .venv/.stamp  ## kill servers, cut connections, restart the store; then hold every log against what hosts were told
	python -m dominohall_loadtest.chaos --minutes 5

.PHONY: docs
docs: check-docs  ## build the documentation into site/

.PHONY: wheel
wheel: .venv/.stamp  ## build the wheel and the source distribution into dist/
	hatchling build -d dist

.PHONY: wheel-compiled
wheel-compiled: .venv/.stamp  ## build the wheel with its hot modules compiled, for bulk work (needs a C compiler)
	DOMINOHALL_COMPILE=1 hatchling build -t wheel -d dist

.PHONY: clean
clean:  ## remove all that the targets made, the environment too
	rm -rf .venv dist build site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis demo-replays bench-results
	find . -name node_modules -prune -exec rm -rf {} +
	find . -name __pycache__ -prune -exec rm -rf {} +

# --- the checks, one room each ----------------------------------------------------------------------------------------

.PHONY: check-code
check-code: .venv/.stamp
	ruff check .
	ruff format --check .
	mypy
	lint-imports

.PHONY: check-proto
check-proto: .venv/.stamp
	cd proto && buf lint && buf format --diff --exit-code && buf breaking --against baseline.binpb
	python proto/generate.py --check

.PHONY: baseline
baseline: .venv/.stamp  ## at a release: what the wire promises from then on
	cd proto && buf breaking --against baseline.binpb && buf build --exclude-source-info -o baseline.binpb

.PHONY: check-deployment
check-deployment: .venv/.stamp
	hadolint Dockerfile loadtest/Dockerfile
	pytest -q tests/chart

.PHONY: check-docs
check-docs: .venv/.stamp
	mkdocs build --strict

# --- the set-up -------------------------------------------------------------------------------------------------------

# uv reads no pip.conf: where the only index is named there, uv fails and pip takes the same hashed list.
.venv/.stamp: requirements.lock pyproject.toml | $(UV)
	@test -d $(BIN) || "$(PYTHON)" -m venv .venv
	$(UV) pip install -q --python $(BIN)/python --require-hashes -r requirements.lock \
	  || $(BIN)/python -m pip install -q --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -q --no-index --no-deps --no-build-isolation -e .
	@touch $@

$(UV): requirements-build.lock
	@"$(PYTHON)" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer with venv is needed (Debian: apt-get install python3 python3-venv)' >&2; exit 1; }
	"$(PYTHON)" -m venv .venv
	"$(PYTHON)" -m venv .venv/uv
	.venv/uv/bin/pip install -q --require-hashes -r requirements-build.lock
	@touch $@

# The client in another language. Without npm its tests are skipped, and pytest's summary says so.
NODE_LOCKS := $(wildcard docs/examples/*/package-lock.json tests/service/*/package-lock.json)
.venv/.node: $(NODE_LOCKS) | .venv/.stamp
	@command -v npm >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq nodejs npm >/dev/null; } \
	  || echo 'npm is missing (Debian: apt-get install nodejs npm): the tests of the Node client will be skipped' >&2
	@if command -v npm >/dev/null; then \
	  for lock in $(NODE_LOCKS); do (cd "$$(dirname "$$lock")" && npm ci --silent --no-audit --no-fund); done; touch $@; fi

# The real parts of the tests that are Debian's: a browser, a database, the checker of alert rules. Without them, and
# without the right to install them, their tests are skipped, and pytest's summary says so.
DEBIAN := $(if $(shell command -v chromium),,chromium fonts-dejavu-core) \
	$(if $(wildcard /usr/lib/postgresql/*/bin/postgres),,postgresql) $(if $(shell command -v promtool),,prometheus)
.venv/.servers: | .venv/.stamp
	@test -z "$(strip $(DEBIAN))" || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
	  apt-get install -y -qq --no-install-recommends $(DEBIAN) >/dev/null; } && touch $@ \
	  || echo 'missing, and their tests will be skipped (Debian: apt-get install $(strip $(DEBIAN)))' >&2

# What the benchmark holds the product against, in an environment of its own, and the tools that it measures with. What
# can't be installed is said by the rows that would need it.
TOOLS := $(if $(shell command -v h2load),,nghttp2-client) $(if $(shell command -v valgrind),,valgrind) \
	$(if $(shell command -v gcc),,gcc libc6-dev) $(if $(shell command -v npm),,nodejs npm)
.venv/.peers: loadtest/peers/requirements.lock loadtest/peers/package-lock.json | .venv/.stamp
	@test -z "$(strip $(TOOLS))" || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq \
	  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(TOOLS) >/dev/null; } \
	  || echo 'missing, and their rows will say so (Debian: apt-get install $(strip $(TOOLS)))' >&2
	@test -x .venv/peers/bin/python || "$(PYTHON)" -m venv .venv/peers
	@{ $(UV) pip install -q --python .venv/peers/bin/python --require-hashes -r $< \
	  || .venv/peers/bin/python -m pip install -q --require-hashes -r $<; } \
	  && cp loadtest/peers/package.json loadtest/peers/package-lock.json loadtest/peers/.npmrc .venv/peers/ \
	  && (cd .venv/peers && npm ci --silent --no-audit --no-fund) && touch $@ \
	  || echo 'not all peers could be installed: their rows will say so' >&2

# The compiled build, unpacked beside the plain one: nothing but the benchmark reads it.
.venv/.compiled: hatch_build.py $(wildcard $(foreach room,engine replays,$(room)/*/*.py $(room)/*/*/*.py)) | .venv/.stamp
	@rm -rf .venv/compiled
	@DOMINOHALL_COMPILE=1 hatchling build -t wheel -d .venv/compiled/wheel >/dev/null \
	  && python -m zipfile -e .venv/compiled/wheel/*.whl .venv/compiled && touch $@ \
	  || echo 'the compiled build could not be made: its rows will say so' >&2

COMPILE = $(UV) pip compile -q --universal --generate-hashes --python-version 3.11 --custom-compile-command 'make lock' \
	$(UPGRADE)
.PHONY: lock
lock: | $(UV)  ## pin and hash what pyproject.toml asks for (UPGRADE=--upgrade takes newer versions)
	$(COMPILE) pyproject.toml --all-extras --group dev -o requirements.lock
	$(COMPILE) pyproject.toml --extra service --extra postgresql --extra archive --extra native -c requirements.lock -o requirements-service.lock
	$(COMPILE) pyproject.toml --extra loadtest -c requirements.lock -o requirements-loadtest.lock
	$(COMPILE) --group build -c requirements.lock -o requirements-build.lock
	$(COMPILE) proto/generator.in -o proto/generator.txt
	$(COMPILE) loadtest/peers/requirements.in -o loadtest/peers/requirements.lock
