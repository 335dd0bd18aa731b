# shellcheck shell=bash disable=SC2034,SC2154
# Debian packages: which are missing, and installing just those. Sourced after lib.sh.

# wanted_packages LIST...: the names in the lists, alternatives resolved to what is installed or on offer.
wanted_packages() {
  local line choice
  sed 's/ *#.*//; /^$/d' "$@" | while read -r line; do
    for choice in ${line//|/ }; do
      if is_installed "$choice" || [[ -n $(apt-cache show "$choice" 2>/dev/null) ]]; then break; fi
    done
    echo "$choice"
  done
}

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

missing_packages() {
  local name
  for name in $(wanted_packages "$@"); do
    is_installed "$name" || echo "$name"
  done
}

# install_packages LIST...: installs the missing ones, as root or by sudo.
install_packages() {
  local missing as_root=()
  command -v apt-get >/dev/null ||
    die "this system has no apt: install what $1 names by its own means and run with BRAID_NO_PACKAGES=1."
  [[ -n $(missing_packages "$@") ]] || return 0
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null ||
      die "packages are missing and this is neither root nor is there sudo: run 'apt-get install $(missing_packages "$@" | xargs)' as root, then run again."
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update
  # Names are resolved again: on a fresh machine the lists have only now arrived.
  missing=$(missing_packages "$@" | xargs)
  # shellcheck disable=SC2086 # a list of names
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y \
    --no-install-recommends $missing
}
