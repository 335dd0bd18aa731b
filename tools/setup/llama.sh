#!/usr/bin/env bash
# Builds the pinned llama.cpp (libllama, libmtmd, ggml, llama-common; static) into the cache, unless it is there already,
# and prints the prefix. CC and CXX choose the compiler. BRAID_CUDA=ON adds the CUDA backend (BRAID_CUDA_ARCH, default 90).
# With --peers it builds llama-server and llama-bench of the same source and flags instead, for comparisons.
set -euo pipefail
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=cache.sh
source "$setup/cache.sh"
# shellcheck source=cpu_features.sh
source "$setup/cpu_features.sh"

recipe=1 # raise it when what this script installs changes
cc=${CC:-cc} cxx=${CXX:-c++}
peers=OFF
[[ ${1:-} == --peers ]] && peers=ON

cmake_flags() {
  # GGML_NATIVE stays off: it trusts what the CPU advertises, and an AMX tile instruction can end the process.
  printf '%s\n' -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DGGML_AMX_TILE=OFF -DGGML_AMX_INT8=OFF -DGGML_AMX_BF16=OFF \
    -DLLAMA_BUILD_NUMBER=0 -DLLAMA_BUILD_COMMIT=0.5.0 -DLLAMA_OPENSSL=OFF -DLLAMA_SUBPROCESS=OFF -DMTMD_VIDEO=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_COMMON=ON \
    -DLLAMA_BUILD_MTMD=ON -DLLAMA_BUILD_SERVER=$peers -DLLAMA_BUILD_TOOLS=$peers -DLLAMA_BUILD_UI=OFF
  # The server's web page would be fetched from a model hub; a comparison has no use for it.
  [[ $peers == OFF ]] || echo -DLLAMA_USE_PREBUILT_UI=OFF
  # The engine turns a failed assert into an exception, which has to pass ggml's C code.
  [[ $peers == ON ]] || echo -DCMAKE_C_FLAGS=-fexceptions
  ggml_cpu_flags "$features"
  if [[ ${BRAID_CUDA:-OFF} == ON ]]; then
    printf '%s\n' -DGGML_CUDA=ON -DGGML_CUDA_NCCL=OFF "-DCMAKE_CUDA_ARCHITECTURES=${BRAID_CUDA_ARCH:-90}"
  fi
}

patches=("$repo"/cmake/patches/llama-*.patch)

# git as a plain patch tool: the ceiling keeps it from taking a repository above the cache for the one to patch.
apply_patches() {
  local patch
  for patch in "${patches[@]}"; do
    GIT_CEILING_DIRECTORIES=$work git -C "$work/src" apply "$patch"
  done
}

unpack_source() {
  [[ -f $work/src/.complete ]] && return
  rm -rf "$work/src" && mkdir -p "$work/src"
  tar -xzf "$downloads/$archive" -C "$work/src" --strip-components=3 --wildcards '*/vendor/llama.cpp/*' \
    --exclude='*/docs/*' --exclude='*/models/*.gguf' --exclude='*/.git'
  # Peers stay as upstream ships them: they are what we compare with.
  [[ $peers == ON ]] || apply_patches
  touch "$work/src/.complete"
}

configure_and_build() {
  local flags launcher=()
  mapfile -t flags < <(cmake_flags)
  if command -v ccache >/dev/null; then
    export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
    launcher=(-DGGML_CCACHE=OFF -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
      -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  fi
  cmake -S "$work/src" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
    "${launcher[@]}" "${flags[@]}"
  if [[ $peers == ON ]]; then
    cmake --build "$work/build" --target llama-server llama-bench
  else
    cmake --build "$work/build"
  fi
}

# Headers of llama-common get a folder of their own: names such as common.h and log.h must not reach other code.
install_libraries() {
  mkdir -p "$work/out/lib" "$work/out/include/llama-common" "$work/out/share/media"
  find "$work/build" -name '*.a' -exec cp -t "$work/out/lib" {} +
  cp "$work"/src/include/*.h "$work"/src/ggml/include/*.h "$work"/src/tools/mtmd/mtmd{,-helper}.h "$work/out/include/"
  (cd "$work/src/common" && find . \( -name '*.h' -o -name '*.hpp' \) -exec cp --parents -t "$work/out/include/llama-common" {} +)
  cp -r "$work/src/vendor/nlohmann" "$work/out/include/llama-common/"
  cp "$work"/src/tools/mtmd/test-* "$work/out/share/media/"
  cp "$work/src/LICENSE" "$work/out/share/LICENSE"
  printf '%s' "$features" >"$work/out/share/cpu_features"
}

build() {
  unpack_source
  configure_and_build
  if [[ $peers == ON ]]; then
    mkdir -p "$work/out/bin"
    cp "$work"/build/bin/llama-{server,bench} "$work/out/bin/"
  else
    install_libraries
  fi
}

features=$(cpu_features "$cc")
read -r archive sha < <(pinned_file llama llama-cpp-python)
key=$({ echo "$recipe $sha $(uname -m)"; "$cc" --version | head -n 1; "$cxx" --version | head -n 1; cmake_flags
        [[ ${BRAID_CUDA:-OFF} == OFF ]] || nvcc --version
        [[ $peers == ON ]] || cat "${patches[@]}"; } |
  sha256sum | cut -c1-16)
name=llama
[[ $peers == ON ]] && name=llama-peers
if [[ ! -d $deps/$name-$key ]]; then
  export PYTHONPATH=$setup/sdist_backend
  logged fetch llama llama-cpp-python --no-build-isolation --no-binary :all:
  logged entry "$name-$key" build
fi
echo "$deps/$name-$key"
