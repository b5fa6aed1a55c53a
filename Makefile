# Thin front of CMake's presets (CMakePresets.json): `make test` and `make demo` work on a fresh Debian 12
# or Ubuntu 24.04, since they first install what is missing (scripts/setup).

PRESET ?= release
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 20
PORT ?= 8000
MAKEFLAGS += --no-print-directory

.PHONY: help setup setup-dev build test demo python web site serve test-web sanitize fuzz bench bench-web check-layers format check-format clean

help:
	@echo 'make demo          build Tamis, run the command line on a year of weather data, then a tour of the library'
	@echo 'make test          build and run all tests, C++ and Python'
	@echo 'make build         build the library, tests and examples in build/$(PRESET)'
	@echo 'make python        build the Python module into build/python and run its tests'
	@echo 'make web           build the library for JavaScript, WebAssembly and all, into build/web'
	@echo 'make site          build the site into build/site: explorer, playground and documentation'
	@echo 'make serve         build it and serve it on this machine, on port PORT (8000)'
	@echo 'make test-web      test both in Node and in Chromium, on the CPU and on WebGPU'
	@echo 'make sanitize      build with clang and run the tests under AddressSanitizer and UBSan, with warnings as errors'
	@echo 'make fuzz          in the same build, fuzz each parser for FUZZ_SECONDS (20), starting from fuzz/corpus'
	@echo 'make bench         compare with PyTorch, NumPy and xtensor; BENCH_ARGS=--help lists the options'
	@echo 'make bench-web     compare with TensorFlow.js, jax-js and plain JavaScript, in Chromium'
	@echo 'make format        format the sources; make check-format only checks them'
	@echo 'make check-layers  check that includes point downward only'
	@echo 'make setup         install missing packages (the targets above do this automatically)'
	@echo 'make clean         remove build/'
	@echo 'PRESET=debug|ci|tsan selects another preset for build and test, JOBS=n another number of jobs'

setup:
	@scripts/setup --test

setup-dev:
	@scripts/setup --test --dev

build: setup
	@cmake --preset $(PRESET)
	@cmake --build --preset $(PRESET) --parallel $(JOBS)

test: build
	@ctest --preset $(PRESET) --parallel $(JOBS)

# Needs less than the tests do; what it builds, `make test` uses too.
demo:
	@scripts/setup
	@cmake --preset release -DTAMIS_BUILD_TESTS=OFF -DTAMIS_BUILD_PYTHON=OFF -DTAMIS_BUILD_BENCH=OFF
	@cmake --build --preset release --parallel $(JOBS) --target tour make_data tamis_cli
	@scripts/demo build/release build/demo
	@build/release/examples/tour
	@echo 'demo: done; the commands and the whole tour ran'

python: setup
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target tamis_python
	@ctest --preset release --parallel $(JOBS) --tests-regex '^(python|torch)'

# The module, by a toolchain that is made once, then the package around it.
web:
	@scripts/setup --web
	@scripts/web-toolchain $(JOBS)
	@cmake --preset web
	@cmake --build --preset web --parallel $(JOBS) --target tamis_web tamis_web_maker
	@scripts/shrink-wasm build/web/tamis.wasm build/web/small.wasm
	@node web/size.mjs build/web/small.wasm
	@node web/make_package.mjs build/web/small.wasm build/web/maker.wasm build/web/package
	@cd build/web && npm pack ./package --silent

site: web
	@node web/make_site.mjs build/web/package build/site

serve: site
	@echo 'the site is at http://localhost:$(PORT)/; Ctrl-C ends it'
	@python3 -m http.server --bind 127.0.0.1 --directory build/site $(PORT)

test-web: setup
	@scripts/setup --web-test
	@$(MAKE) site
	@cmake --preset $(PRESET)
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target tamis_web_record
	@cmake --build --preset web --parallel $(JOBS) --target tamis_web_tests
	@scripts/test-web $(PRESET)

sanitize: setup-dev
	@CXX=$$(command -v clang++-14 || command -v clang++) cmake --preset sanitize
	@cmake --build --preset sanitize --parallel $(JOBS)
	@ctest --preset sanitize --parallel $(JOBS) $(CTEST_ARGS)

# What it finds goes to build/fuzz: new inputs to corpus/, one that fails to crash-*.
fuzz: setup-dev
	@CXX=$$(command -v clang++-14 || command -v clang++) cmake --preset sanitize
	@cmake --build --preset sanitize --parallel $(JOBS) --target fuzz
	@ls fuzz/corpus | xargs -P $(JOBS) -I {} scripts/fuzz {} $(FUZZ_SECONDS)

bench:
	@scripts/setup --test --bench
	@cmake --preset release -DTAMIS_BENCH_PEERS=ON
	@cmake --build --preset release --parallel $(JOBS) --target tamis_python tamis_bench tamis_cli
	@/usr/bin/python3 bench/run.py $(BENCH_ARGS)

bench-web: web
	@scripts/setup --test --web-test
	@npm ci --prefix bench/web --ignore-scripts --no-audit --no-fund --loglevel=error
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target tamis_python
	@node bench/web/run.mjs $(BENCH_ARGS)

check-layers:
	@python3 tests/layers_test.py

format:
	@scripts/setup --dev
	@scripts/format

check-format:
	@scripts/setup --dev
	@scripts/format --check

clean:
	rm -rf build
