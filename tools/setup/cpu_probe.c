/* Executes one instruction of the named CPU feature: exit status 0 means that it works here. What a CPU
 * advertises and what it can execute differ on some virtual machines, so set-up asks by doing. */
#include <immintrin.h>
#include <string.h>

static volatile int one = 1;

__attribute__((target("sse4.2"))) static int probe_sse42(void) {
  return (int)_mm_crc32_u32(0, (unsigned)one) != 0;
}
__attribute__((target("avx"))) static int probe_avx(void) {
  return (int)_mm256_cvtss_f32(_mm256_add_ps(_mm256_set1_ps((float)one), _mm256_set1_ps(1.0f))) == 2;
}
__attribute__((target("f16c"))) static int probe_f16c(void) {
  return (int)_mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtps_ph(_mm_set1_ps((float)one), 0))) == 1;
}
__attribute__((target("fma"))) static int probe_fma(void) {
  __m256 x = _mm256_set1_ps((float)one);
  return (int)_mm256_cvtss_f32(_mm256_fmadd_ps(x, x, x)) == 2;
}
__attribute__((target("bmi2"))) static int probe_bmi2(void) {
  return _pext_u32((unsigned)one * 6u, 4u) == 1u;
}
__attribute__((target("avx2"))) static int probe_avx2(void) {
  return _mm256_extract_epi32(_mm256_add_epi32(_mm256_set1_epi32(one), _mm256_set1_epi32(1)), 3) == 2;
}
__attribute__((target("avx512f"))) static int probe_avx512f(void) {
  return _mm512_reduce_add_epi32(_mm512_set1_epi32(one)) == 16;
}
__attribute__((target("avx512f,avx512cd"))) static int probe_avx512cd(void) {
  return _mm512_reduce_add_epi32(_mm512_lzcnt_epi32(_mm512_set1_epi32(one))) == 31 * 16;
}
__attribute__((target("avx512f,avx512vl"))) static int probe_avx512vl(void) {
  return _mm256_extract_epi32(_mm256_ternarylogic_epi32(_mm256_set1_epi32(one), _mm256_setzero_si256(),
                                                        _mm256_setzero_si256(), 0xf0),
                              0) == 1;
}
__attribute__((target("avx512f,avx512dq"))) static int probe_avx512dq(void) {
  return (int)_mm512_reduce_add_epi64(_mm512_mullo_epi64(_mm512_set1_epi64(one), _mm512_set1_epi64(2))) == 16;
}
__attribute__((target("avx512f,avx512bw"))) static int probe_avx512bw(void) {
  return _mm512_cmpeq_epi8_mask(_mm512_set1_epi8((char)one), _mm512_set1_epi8(1)) == ~0ull;
}
__attribute__((target("avx512f,avx512vbmi"))) static int probe_avx512vbmi(void) {
  __m512i x = _mm512_set1_epi8((char)one);
  return (_mm512_reduce_add_epi32(_mm512_permutexvar_epi8(x, x)) & 0xff) == 16;
}
__attribute__((target("avx512f,avx512vnni"))) static int probe_avx512vnni(void) {
  __m512i x = _mm512_set1_epi8((char)one);
  return _mm512_reduce_add_epi32(_mm512_dpbusd_epi32(_mm512_setzero_si512(), x, x)) == 64;
}
__attribute__((target("avx512f,avx512bf16"))) static int probe_avx512bf16(void) {
  __m512 x = _mm512_set1_ps((float)one);
  __m512bh b = _mm512_cvtne2ps_pbh(x, x);
  return (int)_mm512_reduce_add_ps(_mm512_dpbf16_ps(_mm512_setzero_ps(), b, b)) == 32;
}
__attribute__((target("avx2,avxvnni"))) static int probe_avxvnni(void) {
  __m256i x = _mm256_set1_epi8((char)one);
  return _mm256_extract_epi32(_mm256_dpbusd_avx_epi32(_mm256_setzero_si256(), x, x), 0) == 4;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*probe)(void);
  } kProbes[] = {
      {"sse4.2", probe_sse42},
      {"avx", probe_avx},
      {"f16c", probe_f16c},
      {"fma", probe_fma},
      {"bmi2", probe_bmi2},
      {"avx2", probe_avx2},
      {"avx512f", probe_avx512f},
      {"avx512cd", probe_avx512cd},
      {"avx512vl", probe_avx512vl},
      {"avx512dq", probe_avx512dq},
      {"avx512bw", probe_avx512bw},
      {"avx512vbmi", probe_avx512vbmi},
      {"avx512vnni", probe_avx512vnni},
      {"avx512bf16", probe_avx512bf16},
      {"avxvnni", probe_avxvnni},
  };
  for (unsigned i = 0; argc == 2 && i < sizeof(kProbes) / sizeof(kProbes[0]); ++i)
    if (strcmp(argv[1], kProbes[i].name) == 0) return kProbes[i].probe() ? 0 : 1;
  return 2;
}
