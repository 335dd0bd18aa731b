#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: builds the fuzz targets and runs each for that long. fuzz/corpus/TARGET holds seeds; what a
# run finds worth keeping goes to build/fuzz/corpus, inputs that fail to build/fuzz/failures.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=clang.sh
source tools/checks/clang.sh

seconds=$1
shift
build=build/fuzz
mkdir -p "$build/failures"
CC=$(clang_tool clang) CXX=$(clang_tool clang++) cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBRAID_FUZZ=ON -DBRAID_TESTS=OFF \
  -DBRAID_LLAMA=OFF >"$build/configure.log" 2>&1 || { tail -n 20 "$build/configure.log"; exit 1; }
cmake --build "$build" >"$build/build.log" || { tail -n 50 "$build/build.log"; exit 1; }

targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(find "$build/bin" -name '*_fuzz' -printf '%f\n' | sort)
[[ ${#targets[@]} -gt 0 ]] || { echo "fuzz: no target was built; fuzz/ has no *_fuzz.cpp"; exit 1; }

run_target() {
  local target=$1 corpus=$build/corpus/$1 seeds=()
  mkdir -p "$corpus"
  [[ -d fuzz/corpus/$target ]] && seeds=("fuzz/corpus/$target")
  if ! "$build/bin/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/failures/$target-" "$corpus" "${seeds[@]}" >"$build/$target.log" 2>&1; then
    tail -n 40 "$build/$target.log"
    echo "fuzz: $target failed; repeat with: $build/bin/$target $(find "$build/failures" -name "$target-*" | tail -n 1)"
    return 1
  fi
  echo "fuzz: $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log") inputs in $seconds s, none failed"
}

# One a core.
running=0 failed=0
for target in "${targets[@]}"; do
  run_target "$target" &
  running=$((running + 1))
  [[ $running -lt $(nproc) ]] && continue
  wait -n || failed=1
  running=$((running - 1))
  [[ $failed -eq 0 ]] || break
done
while [[ $running -gt 0 ]]; do
  wait -n || failed=1
  running=$((running - 1))
done
[[ $failed -eq 0 ]] || exit 1
echo "fuzz: ${#targets[@]} targets passed"
