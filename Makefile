# The verbs of this repository. `make help` lists them; what they need is installed and cached by tools/setup.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PREPARE := tools/setup/prepare.sh
NPROC := $(shell nproc)
FUZZ_SECONDS ?= 20
COUNT ?= 20000
SEED ?= 7
PREFIX ?= /usr/local
CLIP ?= models/nano/samples/clip.mp4
# CUDA=ON builds llama.cpp with its CUDA backend.
export BRAID_CUDA := $(if $(CUDA),$(CUDA),OFF)

.PHONY: help demo build model model-w test bench faults soak torture mutations fuzz sanitize tsan format check nano-check clean install

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## watch the sample clip and answer three questions about it (sets everything up first)
	@$(PREPARE) demo
	@build/release/bin/braid watch $(CLIP) --ask "When did the umbrella appear?" \
	  --ask "What did the speaker say?" --ask "What do you see now?"

build: ## build the braid binary, release, as build/release/bin/braid
	@$(PREPARE) build

model: ## prepare the default model in the cache
	@$(PREPARE) demo

model-w: ## prepare nano-w too: the default model with whisper-base's ears, for people's voices (133 MB more to fetch)
	@$(PREPARE) model-w

test: ## build and run every test
	@$(PREPARE) test
	@ctest --test-dir build/release --output-on-failure --no-tests=error -j $(NPROC)

bench: ## compare speed with llama.cpp (QUICK=1: fewer rounds; BENCH=serving, BENCH=clock, BENCH=memory, media, offsets, paths, turns: that part; UPDATE_DOCS=1: into docs/performance.md)
	@$(PREPARE) demo
	@tools/bench.sh

faults: ## 10,000 broken requests and events against the server, sanitized and with the default model (20 minutes)
	@$(PREPARE) test
	@tools/faults.sh

soak: ## a day of virtual time, then ten minutes on the default model: nothing grows, nothing gets slower
	@$(PREPARE) test
	@tools/soak.sh

torture: ## 400 files of every kind, whole and broken, read under AddressSanitizer and UBSan
	@$(PREPARE) test
	@tools/torture.sh

mutations: ## 20,000 random changes of the torture set's files, each decoded in a process of its own (COUNT=, SEED=; 20 minutes)
	@$(PREPARE) test
	@PYTHONPATH=tools python3 -B -m torture.mutate build/release/bin/braid_ingest_outcomes --count $(COUNT) --seed $(SEED)

fuzz: ## run each fuzz target for FUZZ_SECONDS (20)
	@$(PREPARE) dev
	@tools/checks/fuzz.sh $(FUZZ_SECONDS)

sanitize: ## unit and scenario tests under AddressSanitizer and UBSan
	@$(PREPARE) dev
	@tools/checks/sanitize.sh address,undefined

tsan: ## tests of pipes and sessions under ThreadSanitizer
	@$(PREPARE) dev
	@tools/checks/sanitize.sh thread

format: ## lay out the sources by .clang-format
	@$(PREPARE) dev
	@tools/checks/format.sh -i

check: ## layout, clang-tidy, module rules, shell scripts
	@$(PREPARE) dev
	@$(PREPARE) libraries
	@tools/checks/check.sh

nano-check: ## train a tiny model on the CPU, export it, and compare torch with libmtmd
	@$(PREPARE) nano
	@tools/nano/nano.sh check

clean: ## remove build results; the cache of dependencies and models stays
	rm -rf build

install: ## install binary, library and model data under PREFIX (/usr/local)
	@$(PREPARE) demo
	@cmake --install build/release --prefix $(PREFIX)

.PHONY: metrics-check package package-check
metrics-check: ## promtool over deploy/, and a real Prometheus that scrapes a real server
	@$(PREPARE) test
	@ctest --test-dir build/release --output-on-failure --no-tests=error -R '^program/metrics'

package: ## a Debian package and a tarball, in build/release/package
	@$(PREPARE) demo
	@$(PREPARE) dev
	@cd build/release && cpack --config CPackConfig.cmake

package-check: package ## install the package in a fresh Debian 12, start the server there and ask it (root)
	@tools/package_check.sh
