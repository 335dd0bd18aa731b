#!/usr/bin/env bash
# Unpacks the pinned OpenVINO SDK (headers, CMake config, CPU plugin, model readers) into the cache, unless it is there
# already, and prints the folder of its CMake config.
set -euo pipefail
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=cache.sh
source "$setup/cache.sh"

recipe=1

# Its CMake config insists on every reader library being there; plugins for other devices are left out.
unpack() {
  mkdir -p "$work/out"
  python3 - "$downloads/$archive" "$work/out" <<'PYTHON'
import re, sys, zipfile

wanted = re.compile(r"openvino/(cmake|include)/|openvino/libs/(?!cache\.json|.*_(gpu|npu|auto|auto_batch|hetero)_plugin)"
                    r"|openvino-[^/]*/licenses/")
with zipfile.ZipFile(sys.argv[1]) as wheel:
    wheel.extractall(sys.argv[2], [name for name in wheel.namelist() if wanted.match(name)])
PYTHON
}

read -r archive sha < <(pinned_file openvino openvino)
key=$(echo "$recipe $sha" | sha256sum | cut -c1-16)
if [[ ! -d $deps/openvino-$key ]]; then
  # The machine's own Python does not matter: the wheel is used as a C++ SDK.
  logged fetch openvino openvino --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311 \
    --platform manylinux_2_28_x86_64
  logged entry "openvino-$key" unpack
fi
echo "$deps/openvino-$key/openvino/cmake"
