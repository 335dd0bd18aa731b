#!/usr/bin/env bash
# Sessions that live long: SOAK_HOURS (24) of virtual time on the scripted engine, then SOAK_SECONDS (600) on the default
# model. Prints a table of each fifth; fails if the last is 5 % worse than the first. For an idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BRAID_SOAK_BUILD:-build/release}

echo "soak: ${SOAK_HOURS:-24} h of virtual time, some minutes" >&2
BRAID_SOAK_HOURS=${SOAK_HOURS:-24} "$build/bin/serve_test" --gtest_brief=1 --gtest_filter='Soak.*'
echo "soak: ${SOAK_SECONDS:-600} s on the default model" >&2
BRAID_BINARY=$build/bin/braid SOAK_SECONDS=${SOAK_SECONDS:-600} python3 -B tests/soak_test.py -v
