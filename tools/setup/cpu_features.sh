# shellcheck shell=bash disable=SC2034,SC2154
# Which CPU features may be used, found by executing one instruction of each. Sourced after cache.sh.

cpu_feature_names=(sse4.2 avx f16c fma bmi2 avx2 avx512f avx512cd avx512vl avx512dq avx512bw avx512vbmi avx512vnni
  avx512bf16 avxvnni)

run_cpu_probes() {
  local name found=()
  "$1" -O1 "$setup/cpu_probe.c" -o "$work/probe"
  for name in "${cpu_feature_names[@]}"; do
    # A subshell of its own takes the shell's note about the signal of a feature that is missing.
    if ("$work/probe" "$name") >/dev/null 2>&1; then found+=("$name"); fi
  done
  mkdir -p "$work/out"
  (IFS=,; printf '%s' "${found[*]}") >"$work/out/features"
}

# cpu_features CC: the features that this machine executes, comma-separated, by the names that GCC's
# __builtin_cpu_supports knows (f16c aside on older ones).
cpu_features() {
  local key
  [[ $(uname -m) == x86_64 ]] || die "llama.cpp is prepared for x86-64 only: build it here and pass -DBRAID_LLAMA_ROOT=PREFIX."
  key=$({ grep -m 2 -E '^(model name|flags)' /proc/cpuinfo; uname -r; "$1" --version; cat "$setup/cpu_probe.c"; } |
    sha256sum | cut -c1-16)
  entry "cpu-$key" run_cpu_probes "$1" >&2
  cat "$deps/cpu-$key/features"
}

# ggml_cpu_flags FEATURES: the cmake options that switch on exactly these. ggml's AVX512 means all five of its parts.
ggml_cpu_flags() {
  local have=",$1," option needs need state
  while read -r option needs; do
    state=ON
    for need in $needs; do
      [[ $have == *",$need,"* ]] || state=OFF
    done
    echo "-DGGML_$option=$state"
  done <<'TABLE'
SSE42 sse4.2
AVX avx
F16C f16c
FMA fma
BMI2 bmi2
AVX2 avx2
AVX_VNNI avxvnni
AVX512 avx512f avx512cd avx512vl avx512dq avx512bw
AVX512_VBMI avx512f avx512cd avx512vl avx512dq avx512bw avx512vbmi
AVX512_VNNI avx512f avx512cd avx512vl avx512dq avx512bw avx512vnni
AVX512_BF16 avx512f avx512cd avx512vl avx512dq avx512bw avx512bf16
TABLE
}
