#!/usr/bin/env bash
# One step of making the default model: nano.sh STEP ARGUMENTS..., in the order of docs/nano.md.
#
#   assets bank plain train export evalset evaluate chat agree fits     python3 -m nano.STEP
#   sentences train_w export_w agree_w recordings                       the same, for nano-w
#   check                                                          all of them, tiny, on a CPU: `make nano-check`
# NANO_PYTHON names another python3 with torch (a GPU's); NANO_SITE a folder that already holds gguf and tokenizers.
set -euo pipefail
# shellcheck source=../setup/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup/lib.sh"
# shellcheck source=../setup/cache.sh
source "$setup/cache.sh"
# shellcheck source=../setup/models.sh
source "$setup/models.sh"

python=${NANO_PYTHON:-/usr/bin/python3}
base=$models/$base_model
work=$repo/build/nano-check
program=$repo/build/release/bin/nano_ask

# The pinned wheels, unpacked: nothing is installed.
site() {
  local package file sha key
  key=$(sha_of "$setup/pins/nano.txt" | cut -c1-16)
  if [[ ! -d $deps/nano-site-$key ]]; then
    for package in gguf tokenizers; do
      fetch nano "$package" --only-binary=:all: >&2
    done
    entry "nano-site-$key" unpack_wheels
  fi
  echo "$deps/nano-site-$key"
}

unpack_wheels() {
  local package file sha
  for package in gguf tokenizers; do
    read -r file sha < <(pinned_file nano "$package")
    python3 -m zipfile -e "$downloads/$file" "$work/out"
  done
}

# One thread: torch's threads wait spinning, and on busy cores that costs many times the work.
step_of() {
  PYTHONPATH=$repo/tools:$packages OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} "$python" -B -m "nano.$1" "${@:2}"
}

check() {
  mkdir -p "$work"
  step_of assets "$work/assets" "$base"
  step_of bank "$work/assets" "$work/bank" --config tiny
  step_of plain "$work/assets" "$base" "$work/bank/plain.json" --count 8 --tokens 40
  step_of fits "$work/assets" "$work/bank" "$base" "$work/weights"
  step_of export "$work/weights" "$work/gguf"
  step_of agree "$work/weights" "$work/gguf" "$work/assets" "$base" "$program" "$work/scratch"
  step_of agree_w "$repo/models/nano/mmproj-nano.gguf" "$base" "$program" "$work/scratch"
  step_of chat "$base" "$base" --every 60 --tokens 4
  # A run that is cut and resumed ends where it should.
  rm -f "$work/state.pt"
  train_tiny() { step_of train "$work/assets" "$work/bank" "$base" "$work/state.pt" "$work/resumed" --config tiny --workers 1 train.steps=4 "$@"; }
  train_tiny --until 2
  train_tiny | tee "$work/resumed.log"
  grep -q '^from step 2 to 4 ' "$work/resumed.log"
  echo "nano-check: passed"
}

[[ $# -gt 0 ]] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
packages=${NANO_SITE:-$(site)}
if [[ $1 == check ]]; then
  check
else
  step_of "$@"
fi
