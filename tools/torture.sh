#!/usr/bin/env bash
# The torture set, whole: made in the cache, then read by ingest under AddressSanitizer and UBSan, file by file.
# Without names also cameras whose lines fail, over minutes. torture.sh [NAME...]: the files or groups that are named.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=checks/sanitized.sh
source tools/checks/sanitized.sh
sanitized_build address,undefined
sanitized_targets braid_ingest_report

export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
TORTURE_SANITIZED=1 PYTHONPATH=tools python3 -B -m torture "$build/bin/braid_ingest_report" "$@"
if [ $# -eq 0 ]; then
  for lines in rtsp http; do BRAID_BINARY="$build/bin/braid_ingest_report" LINES=long /usr/bin/python3 -B "tests/${lines}_lines_test.py"; done
fi
