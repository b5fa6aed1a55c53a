# Thin front of CMake's presets (CMakePresets.json): `make test` and `make demo` work on a fresh Debian 12
# or Ubuntu 24.04, since they first install what is missing (scripts/setup).

PRESET ?= release
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 20
CLANG ?= $(or $(shell command -v clang++-14),clang++)
MAKEFLAGS += --no-print-directory

.PHONY: help setup setup-dev build test demo python sanitize fuzz bench clang check-layers format check-format clean

help:
	@echo 'make demo          build and run the command line on a year of weather, then the tour of the library'
	@echo 'make test          build and run all tests, C++ and Python'
	@echo 'make build         build library, tests and examples in build/$(PRESET)'
	@echo 'make python        build the Python module into build/python and run its tests'
	@echo 'make sanitize      the tests under AddressSanitizer and UBSan'
	@echo 'make fuzz          fuzz each parser for FUZZ_SECONDS (20), beginning with fuzz/corpus'
	@echo 'make bench         compare with PyTorch, NumPy and xtensor; BENCH_ARGS=--help has the options'
	@echo 'make clang         compile the library with clang, warnings as errors'
	@echo 'make format        format the sources; make check-format only looks'
	@echo 'make check-layers  check that includes point downward only'
	@echo 'make setup         install missing packages (the targets above do it by themselves)'
	@echo 'make clean         remove build/'
	@echo 'PRESET=debug|ci|tsan with build and test uses another preset, JOBS=n another number of jobs'

setup:
	@scripts/setup

# After setup, not beside it: apt allows one at a time.
setup-dev: setup
	@scripts/setup --dev

build: setup
	@cmake --preset $(PRESET)
	@cmake --build --preset $(PRESET) --parallel $(JOBS)

test: build
	@ctest --preset $(PRESET) --parallel $(JOBS)

demo: setup
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target tour make_data tamis_cli
	@scripts/demo build/release build/demo
	@build/release/examples/tour
	@echo 'demo: done, the commands and the whole tour ran'

python: setup
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target tamis_python
	@ctest --preset release --parallel $(JOBS) --tests-regex '^(python|torch)[.]'

sanitize: setup
	@cmake --preset sanitize
	@cmake --build --preset sanitize --parallel $(JOBS)
	@ctest --preset sanitize --parallel $(JOBS)

# What it finds goes to build/fuzz: new inputs to corpus/, one that fails to crash-*.
fuzz: setup-dev
	@cmake --preset fuzz -DCMAKE_CXX_COMPILER=$(CLANG)
	@cmake --build --preset fuzz --parallel $(JOBS)
	@set -e; for seeds in fuzz/corpus/*; do \
	  target=$$(basename $$seeds); found=build/fuzz/corpus/$$target; log=build/fuzz/$$target.log; \
	  mkdir -p $$found; \
	  build/fuzz/fuzz/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 \
	    -artifact_prefix=build/fuzz/ $$found $$seeds >$$log 2>&1 || { tail -n 40 $$log; exit 1; }; \
	  echo "fuzz: $$target: $$(sed -n 's/stat::number_of_executed_units: *//p' $$log) inputs, no fault"; \
	done

bench:
	@scripts/setup --bench
	@cmake --preset release -DTAMIS_BENCH_PEERS=ON
	@cmake --build --preset release --parallel $(JOBS) --target tamis_python tamis_bench tamis_cli
	@/usr/bin/python3 bench/run.py $(BENCH_ARGS)

clang: setup-dev
	@cmake --preset clang -DCMAKE_CXX_COMPILER=$(CLANG)
	@cmake --build --preset clang --parallel $(JOBS)

check-layers: setup
	@python3 tests/layers_test.py

format: setup-dev
	@scripts/format

check-format: setup-dev
	@scripts/format --check

clean:
	rm -rf build
