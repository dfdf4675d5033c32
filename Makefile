# The front door. CMake and Ninja do the work; tools/ holds the few scripts behind these targets.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 600
SOAK_SECONDS ?= 60
PYTHON ?= python3
# A virtual environment that already has what tests/requirements.txt lists; made when not given.
TENON_VENV ?= $(CURDIR)/build/venv

export TENON_VENV FUZZ_SECONDS
MAKEFLAGS += --no-print-directory

.PHONY: all help run test test-zoo test-gpu results bench install asan ubsan tsan fuzz soak coverage format lint clean

all: ## build the libraries, the tool, the plugins and the examples into build/
	@tools/setup.sh build
	@tools/build.sh default src/all cli/all tools/all plugins/all examples/all

help: ## this list
	@awk -F ':.*## ' '/^[a-z -]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

run: all ## run a plugin that ships with the project
	@tools/tour.sh

test: all ## every test, with a sanitized build of the unit tests
	@tools/setup.sh test
	@tools/test.sh default 'unit|peer|house|docs' asan unit

test-zoo: all ## published plugin binaries (downloads them)
	@tools/setup.sh test
	@TENON_RESULTS=1 tools/test.sh default zoo

test-gpu: all ## the CUDA device and kernels on it, on a machine with a GPU
	@tools/build.sh default gpu_kernels test_cuda test_device
	@build/tests/cuda
	@build/tests/device

results: all ## docs/results: programs on JAX's CUDA plugin, by a PYTHON (python3) that has both, on a machine with a GPU
	@tools/build.sh default bench_pjrt_raw
	@$(PYTHON) tools/pjrt_results.py

bench: all ## every benchmark, with its peer in the same run
	@tools/setup.sh test bench
	@tools/bench.sh

install: all ## install under PREFIX (/usr/local), below DESTDIR
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'
	@[ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || ldconfig

asan ubsan tsan: ## unit tests under one sanitizer
	@tools/setup.sh build
	@tools/test.sh $@ unit

fuzz: ## each fuzz target for FUZZ_SECONDS (600), then its coverage
	@tools/setup.sh build fuzz
	@tools/fuzz.sh

soak: all ## a hostile plugin for SOAK_SECONDS (60) a test, a million ops on four streams; plain and sanitized
	@TN_TEST_SOAK_SECONDS=$(SOAK_SECONDS) TN_TEST_TIMEOUT=$$(($(SOAK_SECONDS) + 300)) \
	  tools/test.sh default soak asan soak

coverage: ## lines covered by the tests, room by room
	@tools/setup.sh test
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@tools/test.sh coverage 'unit|peer'
	@python3 tools/coverage.py build/coverage

format: ## put every C file into the project's format
	@tools/setup.sh lint
	@git ls-files '*.c' '*.h' '*.cc' '*.hpp' | xargs clang-format -i

lint: ## formatting, clang-tidy, cppcheck, shellcheck
	@tools/setup.sh build lint
	@tools/build.sh default
	@tools/lint.sh

clean: ## remove build/
	rm -rf build
