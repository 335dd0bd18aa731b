#!/usr/bin/env bash
# The fault suite at full length: first the scripted engine under AddressSanitizer and UBSan, then the default model.
# FAULTS_REQUESTS (10,000) and FAULTS_SEED (1) choose how many and which.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=checks/sanitized.sh
source tools/checks/sanitized.sh
sanitized_build address,undefined
sanitized_targets braid_scripted

requests=${FAULTS_REQUESTS:-10000}
export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1
echo "faults: the scripted engine under sanitizers, $requests requests" >&2
BRAID_BINARY=$build/bin/braid_scripted FAULTS_SANITIZED=1 FAULTS_REQUESTS=$requests python3 -B tests/faults_test.py -v
# A tenth of them: here each that is valid costs a prefill and an answer.
echo "faults: the default model, $((requests / 10)) requests" >&2
BRAID_BINARY=build/release/bin/braid FAULTS_REQUESTS=$((requests / 10)) python3 -B tests/faults_test.py -v
echo "faults: killed 50 times" >&2
BRAID_BINARY=build/release/bin/braid DURABILITY_KILLS=50 python3 -B tests/durability_test.py -v Kills
