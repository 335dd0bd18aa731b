#!/usr/bin/env bash
# The torture set, whole: made in the cache, then read by ingest under AddressSanitizer and UBSan, file by file.
# torture.sh [NAME...]: the files or groups that are named.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/sanitize-address
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DBRAID_SANITIZE=address,undefined \
  -DBRAID_LLAMA=OFF >"$build/configure.log" || { tail -n 20 "$build/configure.log"; exit 1; }
cmake --build "$build" --target braid_ingest_report >"$build/build.log" || { tail -n 50 "$build/build.log"; exit 1; }

export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
TORTURE_SANITIZED=1 PYTHONPATH=tools python3 -B -m torture "$build/bin/braid_ingest_report" "$@"
