# What a user and a contributor run. `make help` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CACHE := $(or $(FRAZIL_CACHE),$(HOME)/.cache/frazil)
PYTHON := $(CACHE)/venv/bin/python
BENCH_PYTHON := $(CACHE)/venv-bench/bin/python
# Suites that lie beside the checkout, if they do: acceptance, conformance, benchmark.
SUITES := $(or $(FRAZIL_SUITES),$(abspath $(CURDIR)/../shared))
RELEASE := build/release/bin/frazil
export PYTHONDONTWRITEBYTECODE := 1

# Several targets write to the same build folder; ninja runs things side by side as it is.
.NOTPARALLEL:

.PHONY: help setup build demo test check unit product ratchet acceptance conformance clients clients-quick tpc bench bench-functions bench-udf format lint asan tsan wheel docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: ## install what is missing: Debian packages, Python environment, DuckDB, Arrow, Spark Connect messages
	@tools/setup/setup.sh

build: setup ## build the release: build/release/bin/frazil
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release

demo: build ## the flights of 2013 through an Iceberg table: load, correct, compare versions, read back
	@tools/demo.sh

test: setup check build unit ratchet product clients-quick ## everything CI runs: source rules, unit tests, product tests, ratchet

check: ## the rules of the source: includes, names, lengths, formatting
	@tools/check_includes.py
	@tools/check_source.py
	@tools/compatibility.py --check
	@tools/check_format.sh

unit: build ## unit tests only
	@ctest --preset release

product: build ## product tests only: the real pyspark-client against the built server
	@$(PYTHON) -m pytest tests -q

ratchet: build ## what once passed in the suites must still pass (a quick part of it)
	@$(PYTHON) tools/ratchet.py --suites "$(SUITES)" --quick

acceptance: build ## the acceptance suite, whole
	@$(PYTHON) tools/ratchet.py --suites "$(SUITES)" --only acceptance

conformance: build ## the acceptance suite, Spark's golden files, PySpark's doctests and the function examples, whole
	@$(PYTHON) tools/ratchet.py --suites "$(SUITES)"

# $(1): the tests to run with each of the other clients.
with_clients = @tools/setup/setup.sh clients && for client in "$(CACHE)"/clients/*; do \
	  echo "pyspark-client $$(basename "$$client")"; \
	  PYTHONPATH="$$client" $(PYTHON) -m pytest $(1) -q || exit 1; \
	done

clients: build ## product tests with the oldest and the newest pyspark-client that must work
	$(call with_clients,tests/connect tests/features tests/package)

clients-quick: build ## the part of them that hangs most on the version: the protocol, Python functions
	$(call with_clients,tests/connect/test_protocol.py tests/features/test_python_udfs.py)

tpc: build ## TPC-H (scale 1) and TPC-DS (scale 0.1), every answer compared with DuckDB's
	@tools/setup/setup.sh bench
	@$(BENCH_PYTHON) tools/tpc.py --suites "$(SUITES)"

bench: build ## the benchmark's TPC-H and commit workloads on this server, Sail and DuckDB
	@tools/setup/setup.sh bench
	@$(BENCH_PYTHON) tools/bench.py --suites "$(SUITES)"

bench-functions: build ## what the most used functions cost over 10 M rows beside DuckDB's own; none more than thrice, but for a reason
	@$(PYTHON) tools/function_bench.py

bench-udf: build ## rows a second through Python functions; beside a real Spark with SPARK=sc://host:port SPARK_PID=N
	@$(PYTHON) tools/udf_bench.py $(if $(SPARK),--spark $(SPARK)) $(if $(SPARK_PID),--spark-pid $(SPARK_PID))

format: ## format the C++ sources
	@git ls-files --cached --others --exclude-standard 'src/*.cc' 'src/*.h' | xargs -r clang-format -i

lint: setup ## formatting of all sources, clang-tidy over those that differ from the main branch
	@tools/lint.sh

asan: setup ## unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@[ -f build/asan/build.ninja ] || cmake --preset asan
	@cmake --build --preset asan
	@ctest --preset asan

tsan: setup ## unit tests under ThreadSanitizer
	@[ -f build/tsan/build.ninja ] || cmake --preset tsan
	@cmake --build --preset tsan
	@ctest --preset tsan

wheel: build ## a self-contained wheel in dist/, tried in an empty environment
	@$(PYTHON) tools/wheel_file.py --binary $(RELEASE) --output dist
	@$(PYTHON) -m pytest tests/wheel -q --wheel dist

docs: build ## the generated pages of docs/
	@$(PYTHON) tools/generate_docs.py --binary $(RELEASE)

clean: ## remove everything that was built
	@rm -rf build dist
