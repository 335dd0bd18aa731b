#!/usr/bin/env bash
# format.sh: says which sources clang-format would change, and fails if any. format.sh -i: changes them.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=clang.sh
source tools/checks/clang.sh
mode=(--dry-run --Werror)
[[ ${1:-} == -i ]] && mode=(-i)
git ls-files -z --cached --others --exclude-standard '*.cpp' '*.h' '*.c' | 
  xargs -0 -n 16 -P "$(nproc)" "$(clang_tool clang-format)" "${mode[@]}"
