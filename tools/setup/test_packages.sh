# shellcheck shell=bash disable=SC2154
# Python packages of tests alone: tests/requirements.txt under build/test-packages. Sourced after lib.sh.

test_packages=$repo/build/test-packages

# Whole or not at all, and anew when the list changes. Nothing is installed into the system's Python.
install_test_packages() {
  local key work=$test_packages.$$
  key=$(sha_of "$repo/tests/requirements.txt")
  [[ ! -f $test_packages/.made-from || $(<"$test_packages/.made-from") != "$key" ]] || return 0
  rm -rf "$work"
  python3 -m pip install --quiet --no-deps --require-hashes --only-binary=:all: --no-cache-dir \
    --disable-pip-version-check --target "$work" -r "$repo/tests/requirements.txt"
  echo "$key" >"$work/.made-from"
  rm -rf "$test_packages"
  mv "$work" "$test_packages"
}
