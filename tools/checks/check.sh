#!/usr/bin/env bash
# Every static check: layout, module rules, shell scripts, clang-tidy. All are run; any failure fails the whole.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=clang.sh
source tools/checks/clang.sh

failed=()
run() {
  local what=$1 start=$SECONDS
  shift
  if "$@"; then echo "check: $what passed ($((SECONDS - start)) s)"; else failed+=("$what"); fi
}

run "layout (cure: make format)" tools/checks/format.sh
run "module rules" python3 tools/checks/modules.py
run "shell scripts" bash -c 'git ls-files -z "*.sh" .ci/run | xargs -0 shellcheck -x'
run "clang-tidy" python3 tools/checks/tidy.py --tool "$(clang_tool clang-tidy)"

if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'check: failed: %s\n' "${failed[@]}"
  exit 1
fi
echo "check: all passed"
