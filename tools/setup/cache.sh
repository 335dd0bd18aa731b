# shellcheck shell=bash disable=SC2034,SC2154
# The download and build cache: every entry appears whole or not at all. Sourced after lib.sh.

# entry NAME-KEY BUILDER ARGS...: build $deps/NAME-KEY once. The builder fills $work/out; the rename makes it appear whole,
# and a killed run leaves only the work folder, which the next one goes on with.
entry() {
  local path=$deps/$1 work=$deps/.work-$1 lock
  shift
  [[ -d $path ]] && return 0
  exec {lock}>"$work.lock"
  flock "$lock"
  if [[ ! -d $path ]]; then
    mkdir -p "$work"
    rm -rf "$work/out"
    work=$work "$@"
    mv "$work/out" "$path"
    rm -rf "$work"
  fi
  exec {lock}>&-
}

sha_of() { sha256sum "$1" | cut -d' ' -f1; }

# pinned_file PINS PACKAGE: the file name and sha256 that a pins file states for a package, as "file sha256".
pinned_file() {
  awk -v package="$2" '$1 == "#" && $2 == package { file = $3 }
       index($1, package "==") == 1 { sub(/.*sha256:/, ""); print file, $1; exit }' "$setup/pins/$1.txt"
}

have_download() { [[ -f $downloads/$1 && $(sha_of "$downloads/$1") == "$2" ]]; }

# fetch PINS PACKAGE PIP-ARGS...: the pinned file in $downloads. pip checks the hash, and so do we: a cached file can rot.
fetch() {
  local pins=$1 package=$2 file sha lock partial
  shift 2
  read -r file sha < <(pinned_file "$pins" "$package")
  exec {lock}>"$downloads/.$file.lock"
  flock "$lock"
  if ! have_download "$file" "$sha"; then
    partial=$downloads/.partial-$file
    rm -rf "$partial" && mkdir "$partial"
    grep "^$package==" "$setup/pins/$pins.txt" >"$partial/pin.txt"
    python3 -m pip download --quiet --no-deps --require-hashes --no-cache-dir --disable-pip-version-check \
      --dest "$partial" -r "$partial/pin.txt" "$@"
    [[ $(sha_of "$partial/$file") == "$sha" ]] || { echo "checksum differs: $file"; return 1; }
    mv "$partial/$file" "$downloads/$file"
    rm -rf "$partial"
  fi
  exec {lock}>&-
}
