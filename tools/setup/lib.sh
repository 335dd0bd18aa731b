# shellcheck shell=bash disable=SC2034,SC2154
# Shared by the set-up scripts: where things go, how a step reports, how the cache stays whole. Sourced, not run.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
setup=$repo/tools/setup
cache=${XDG_CACHE_HOME:-$HOME/.cache}/braid
downloads=$cache/downloads
deps=$cache/deps
models=$cache/models
log=${BRAID_SETUP_LOG:-$repo/build/setup.log}
mkdir -p "$downloads" "$deps" "$models" "$(dirname "$log")"

step_number=0
step_total=1

# die SENTENCE: end with the one sentence that names the cure.
die() {
  printf 'braid setup: %s\n' "$1" >&2
  exit 1
}

# explain FILE: turn what a failed command printed into that sentence.
explain() {
  if grep -q 'No space left on device' "$1"; then
    echo "the disk is full: free 4 GB under $cache and $repo, then run the same command again."
  elif grep -qE 'DO NOT MATCH THE HASHES|checksum differs' "$1"; then
    echo "a download differs from its pinned sha256: a proxy or mirror changed it, so use another one and run again."
  elif grep -qiE 'Temporary failure (in name )?resol|Could not resolve|Connection (refused|timed out)|Network is unreachable|NewConnectionError|No matching distribution|Failed to fetch' "$1"; then
    echo "the package servers cannot be reached: check that 'pip download --no-deps silero-vad' and 'apt-get update' work here, then run again."
  elif grep -q 'Unable to locate package' "$1"; then
    echo "this system's packages lack one that is needed ($(sed -n 's/.*Unable to locate package //p' "$1" | head -n 1)): use Debian 12, or install it by hand and run with BRAID_NO_PACKAGES=1."
  elif grep -qE 'dpkg was interrupted|Could not get lock' "$1"; then
    echo "apt is busy or half done: wait for it or run 'dpkg --configure -a', then run again."
  elif grep -qE 'Killed signal| Killed |Cannot allocate memory|out of memory' "$1"; then
    echo "memory ran out, or something ended the build: give the machine 4 GB or set CMAKE_BUILD_PARALLEL_LEVEL=1, then run again."
  else
    echo "see the end of $log for what failed, then run the same command again."
  fi
}

# step WHAT COMMAND...: one line with the time it took; everything the command prints goes to the log.
step() {
  local what=$1 start=$SECONDS status=0 reason
  shift
  step_number=$((step_number + 1))
  printf '[%d/%d] %s … ' "$step_number" "$step_total" "$what" >&2
  piece=$(mktemp "$log.XXXXXX")
  trap 'rm -f "$piece"' EXIT
  # Not as a condition: inside one, bash ignores errexit.
  set +e
  export BRAID_IN_STEP=1
  (set -e; "$@") </dev/null >"$piece" 2>&1
  status=$?
  unset BRAID_IN_STEP
  set -e
  { printf '=== %s\n' "$what"; cat "$piece"; } >>"$log"
  if [[ $status -ne 0 ]]; then
    reason=$(sed -n 's/^braid setup: //p' "$piece" | tail -n 1)
    [[ -n $reason ]] || reason=$(explain "$piece")
  fi
  rm -f "$piece"
  printf '%s%s\n' "$([[ $status -eq 0 ]] || echo 'failed after ')" "$(minutes $((SECONDS - start)))" >&2
  [[ $status -eq 0 ]] || die "$reason"
}

# logged COMMAND...: what it prints goes to the log; inside a step, to the step's part of it.
logged() {
  if [[ ${BRAID_IN_STEP:-0} == 1 ]]; then "$@" >&2; else "$@" >>"$log" 2>&1; fi
}

# minutes SECONDS: as people say it. A step of less than a second had found its work done.
minutes() {
  if [[ $1 -lt 1 ]]; then
    printf 'there already'
  elif [[ $1 -lt 60 ]]; then
    printf '%d s' "$1"
  else
    printf '%d min %d s' $(($1 / 60)) $(($1 % 60))
  fi
}
