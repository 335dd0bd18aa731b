# shellcheck shell=bash
# sanitized_build SANITIZERS: configures build/sanitize-… for them, without llama.cpp, and sets `build`.
# sanitized_targets TARGET...: builds these there.
sanitized_build() {
  build=build/sanitize-${1%%,*}
  mkdir -p "$build"
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DBRAID_SANITIZE="$1" \
    -DBRAID_LLAMA=OFF >"$build/configure.log" || { tail -n 20 "$build/configure.log"; exit 1; }
}
sanitized_targets() {
  cmake --build "$build" --target "$@" >"$build/build.log" || { tail -n 50 "$build/build.log"; exit 1; }
}
