# shellcheck shell=bash
# clang_tool NAME: the newest NAME-VERSION there is, or plain NAME. Layout stays with version 14, so that all lay out alike.
# Sourced by the checks.
clang_tool() {
  local version
  [[ $1 == clang-format ]] && command -v clang-format-14 && return
  for version in 21 20 19 18 17 16; do
    command -v "$1-$version" && return
  done
  command -v "$1" || { echo "$1 is not installed: run tools/setup/prepare.sh dev" >&2; return 1; }
}
