#!/usr/bin/env bash
# prepare.sh GOAL: makes what the goal needs, from nothing if need be, and says each step with its time.
#
#   libraries  packages, llama.cpp and OpenVINO      build  those and the braid binary
#   demo       build and the default model           test   demo and the test programs
#   dev        packages for checks and fuzzing only  nano   libraries and what tools/nano needs
#   model-w    demo and nano-w's encoders
# Safe to run again, to interrupt and to run twice at once. BRAID_NO_PACKAGES=1 leaves the system's packages alone.
set -euo pipefail
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=cache.sh
source "$setup/cache.sh"
# shellcheck source=packages.sh
source "$setup/packages.sh"
# shellcheck source=models.sh
source "$setup/models.sh"
# shellcheck source=test_packages.sh
source "$setup/test_packages.sh"

goal=${1:-demo}
build=$repo/build/release
build_target=braid build_what=Braid
case $goal in
  libraries | build | demo | model-w | dev) ;;
  nano) build_target=nano_ask ;;
  test) build_target=all build_what="Braid and its tests" ;;
  *) die "unknown goal '$goal'; use libraries, build, demo, model-w, test, nano or dev." ;;
esac
stamp=$repo/build/.prepared-$goal

# One set-up at a time in a clone; the cache has locks of its own, for clones that share it.
exec {only_one}>"$repo/build/.prepare.lock"
if ! flock -n "$only_one"; then
  echo "waiting for another set-up of this clone to end" >&2
  flock "$only_one"
fi

# What set-up was done for; when this is unchanged and its results are still there, only ninja runs.
fingerprint() {
  { find "$setup" "$repo/cmake/patches" -type f -print0 | sort -z | xargs -0 cat
    grep -m 2 -E '^(model name|flags)' /proc/cpuinfo
    echo "$repo $cache ${CC:-cc} ${CXX:-c++} ${BRAID_CUDA:-OFF}"
    "${CXX:-c++}" --version
    sha_of "$repo/tests/requirements.txt"
    [[ $goal != model-w ]] || cat "${wide_parts[@]}"
    [[ ! -f $lora ]] || sha_of "$lora"; } 2>/dev/null | sha256sum
}

is_prepared() {
  local place
  [[ -f $stamp && $(head -n 1 "$stamp") == "$(fingerprint)" ]] || return 1
  while read -r place; do
    [[ -e $place ]] || return 1
  done < <(tail -n +2 "$stamp")
}

remember() {
  { fingerprint; printf '%s\n' "$@"; } >"$stamp.$$"
  mv "$stamp.$$" "$stamp"
}

require_space() {
  local folder free
  for folder in "$cache" "$repo"; do
    free=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1048576) }')
    [[ $free -ge 3 ]] || die "$folder has $free GB free and set-up needs 3: free some, then run again."
  done
}

packages() {
  require_space
  [[ ${BRAID_NO_PACKAGES:-0} == 1 ]] || install_packages "$@"
}

compile() {
  cmake --build "$build" --target "$@"
}

configure_and_compile() {
  cmake -S "$repo" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBRAID_CUDA="${BRAID_CUDA:-OFF}"
  compile "$@"
}

libraries() {
  step "installing missing Debian packages" packages "$setup/apt-packages.txt"
  step "building llama.cpp (once; 7 to 10 minutes on 2 cores)" "$setup/llama.sh"
  step "unpacking OpenVINO" "$setup/openvino.sh"
}

model() {
  step "fetching the base model and the speech detector" fetch_models
  step "merging the default model (once)" merge_model "$build/bin/braid"
}

# No && here: bash would then ignore the errors inside each step.
prepare() {
  case $goal in
    libraries)
      step_total=3
      libraries
      ;;
    build)
      step_total=4
      libraries
      step "building Braid" configure_and_compile braid
      ;;
    demo | test)
      step_total=6
      [[ $goal == demo ]] || step_total=7
      libraries
      step "building $build_what" configure_and_compile "$build_target"
      model
      [[ $goal == demo ]] || step "installing the tests' Python packages" install_test_packages
      ;;
    model-w)
      step_total=8
      libraries
      step "building $build_what" configure_and_compile "$build_target"
      model
      step "installing the packages of nano-w" packages "$setup/apt-packages-nano-w.txt"
      step "fetching whisper-base and joining its encoder with ours (once)" wide_encoders
      ;;
    nano)
      step_total=6
      libraries
      step "installing the packages of tools/nano" packages "$setup/apt-packages-nano.txt"
      step "building nano_ask" configure_and_compile nano_ask
      step "fetching the base model and the speech detector" fetch_models
      ;;
    dev)
      step_total=1
      step "installing missing Debian packages" packages "$setup"/apt-packages{,-dev}.txt
      ;;
  esac
}

# What must still be there for the next run to skip all this.
results() {
  [[ $goal != dev ]] || return 0
  "$setup/llama.sh"
  "$setup/openvino.sh"
  [[ $goal =~ ^(demo|model-w|test)$ ]] || return 0
  [[ $goal != model-w ]] || echo "$models/$wide_mmproj"
  merged_model
  printf '%s\n' "$models/nano-q8_0.gguf" "$models/$speech_model" "$models/$turn_model" "$models/$text_model"
  [[ $goal != test ]] || echo "$test_packages"
}

if ! is_prepared; then
  prepare
  mapfile -t made < <(results)
  remember "${made[@]}"
elif [[ $goal =~ ^(build|demo|model-w|test|nano)$ ]]; then
  step "building what changed" compile "$build_target"
fi
