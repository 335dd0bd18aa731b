#!/usr/bin/env bash
# package_check.sh [DEB]: installs the package in a fresh Debian 12 (debootstrap, in a folder of its own), starts the server
# there as the service would, and asks /ready. Needs root, debootstrap, some 2 GiB and a mirror; without a mirror it says so
# and passes. MIRROR names another one.
set -euo pipefail
cd "$(dirname "$0")/.."
deb=${1:-$(find build/release/package -maxdepth 1 -name "braid_*.deb" 2>/dev/null | sort | tail -n 1)}
# This machine's own mirror of Debian, or none.
# shellcheck disable=SC2016 # apt's own variable
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/*$' || true)}

die() {
  echo "package-check: $*" >&2
  exit 1
}

[[ -f $deb ]] || die "there is no package: make package"
[[ $(id -u) -eq 0 ]] || die "chroot needs root: sudo make package-check"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
if [[ -z $mirror ]] || ! curl -sfI -m 20 -o /dev/null "${mirror%/}/dists/bookworm/Release"; then
  echo "package-check: skipped: no mirror of Debian 12 can be reached (MIRROR names one)"
  exit 0
fi

root=$(mktemp -d)
server=
finish() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap finish EXIT

echo "package-check: making a Debian 12 in $root"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || die "debootstrap failed: see $root.log"
rm -f "$root.log"
cp "$deb" "$root/braid.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"

echo "package-check: installing $(basename "$deb")"
DEBIAN_FRONTEND=noninteractive chroot "$root" sh -ec '
  apt-get install -y --no-install-recommends /braid.deb >/var/log/braid.log 2>&1 || { tail -n 20 /var/log/braid.log; exit 1; }
  rm /braid.deb
  test -f /etc/braid/braid.toml
  test -f /lib/systemd/system/braid.service
  braid --version
  braid serve --config /etc/braid/braid.toml --print-config >/dev/null'

echo "package-check: starting the server"
chroot "$root" braid serve --config /etc/braid/braid.toml --port 0 2>"$root/serve.log" &
server=$!
url=
for _ in $(seq 120); do
  url=$(sed -n 's/.*listening on //p' "$root/serve.log")
  [[ -z $url ]] || break
  kill -0 "$server" 2>/dev/null || { cat "$root/serve.log"; die "the server ended"; }
  sleep 1
done
[[ -n $url ]] || { cat "$root/serve.log"; die "the server didn't listen within 120 s"; }
[[ $(curl -sf -m 20 "$url/ready") == '{"status":"ready"}' ]] || die "/ready doesn't answer"
answer=$(curl -sf -m 60 "$url/v1/chat/completions" -H 'Content-Type: application/json' \
  -d '{"model":"braid","max_tokens":16,"messages":[{"role":"user","content":"What is the capital of France?"}]}')
[[ $answer == *Paris* ]] || die "the bundled model answered: $answer"
kill "$server"
wait "$server" || die "the server ended with $? on SIGTERM"
server=
chroot "$root" dpkg --purge braid >/dev/null
[[ ! -e $root/usr/bin/braid && ! -e $root/etc/braid/braid.toml ]] || die "purging left files behind"
echo "package-check: installed, ready, answering, stopped and purged"
