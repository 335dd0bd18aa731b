#!/usr/bin/env bash
# sanitize.sh address,undefined | thread: builds the tests with these sanitizers and the scripted engine, and runs them.
# Under ThreadSanitizer only what runs threads is built: FFmpeg's own threads are not instrumented.
set -euo pipefail
cd "$(dirname "$0")/../.."

which=$1
# shellcheck source=sanitized.sh
source tools/checks/sanitized.sh
sanitized_build "$which"

targets=(all) select=()
if [[ $which == thread ]]; then
  mapfile -t targets < <(ninja -C "$build" -t targets all | sed -n 's/^bin\/\([a-z_]*\(test\|scenarios\)\): .*/\1/p' |
    grep -E '^(base|net|tensor|flow|engine|schedule|deliver|serve|scenario).*' | sort -u)
  select=(-R '^(base|net|tensor|flow|engine|schedule|deliver|serve|scenario)')
fi
sanitized_targets "${targets[@]}"

# ThreadSanitizer cannot map its shadow on kernels that spread addresses widely; where it may, run without the spreading.
plain=()
if setarch -R true 2>/dev/null; then plain=(setarch -R); fi
export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
"${plain[@]}" ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(nproc)" "${select[@]}"
