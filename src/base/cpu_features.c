#include "base/cpu_features.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/view.h"

static tn_cpu_features found;

static const struct {
  const char* name;
  size_t at, needs;
} rows[] = {
#define ROW(name, needs) {#name, offsetof(tn_cpu_features, name), offsetof(tn_cpu_features, needs)},
    TN_CPU_FEATURES(ROW)
#undef ROW
};

enum { row_count = sizeof rows / sizeof *rows };

static bool* field(tn_cpu_features* features, size_t at) { return (bool*)((char*)features + at); }

// What cannot be without something that is absent is absent.
static void settle(tn_cpu_features* features) {
  for (int i = 0; i < row_count; ++i)
    if (!*field(features, rows[i].needs)) *field(features, rows[i].at) = false;
}

#if defined(__x86_64__)
#include <cpuid.h>

static void detect(tn_cpu_features* out) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return;
  uint64_t saved = 0;  // register sets that the system saves at a switch
  if (c & bit_OSXSAVE) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    saved = (uint64_t)high << 32 | low;
  }
  bool ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xe6) == 0xe6;
  bool tiles = (saved & 0x60000) == 0x60000;
  out->sse42 = c >> 20 & 1;
  out->avx = ymm && (c >> 28 & 1);
  out->fma = ymm && (c >> 12 & 1);
  out->f16c = ymm && (c >> 29 & 1);
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
  unsigned last = a;
  out->avx2 = ymm && (b >> 5 & 1);
  out->bmi2 = b >> 8 & 1;
  out->avx512f = zmm && (b >> 16 & 1);
  out->avx512dq = zmm && (b >> 17 & 1);
  out->avx512cd = zmm && (b >> 28 & 1);
  out->avx512bw = zmm && (b >> 30 & 1);
  out->avx512vl = zmm && (b >> 31 & 1);
  out->avx512_vnni = zmm && (c >> 11 & 1);
  out->avx512_fp16 = zmm && (d >> 23 & 1);
  out->amx_bf16 = tiles && (d >> 22 & 1);
  out->amx_tile = tiles && (d >> 24 & 1);
  out->amx_int8 = tiles && (d >> 25 & 1);
  if (last < 1 || !__get_cpuid_count(7, 1, &a, &b, &c, &d)) return;
  out->avx_vnni = ymm && (a >> 4 & 1);
  out->avx512_bf16 = zmm && (a >> 5 & 1);
}
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

static void detect(tn_cpu_features* out) {
  unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  out->neon = first & HWCAP_ASIMD;
  out->fp16 = first & HWCAP_ASIMDHP;
  out->dotprod = first & HWCAP_ASIMDDP;
  out->sve = first & HWCAP_SVE;
  out->sve2 = second & HWCAP2_SVE2;
  out->i8mm = second & HWCAP2_I8MM;
  out->bf16 = second & HWCAP2_BF16;
}
#else
static void detect(tn_cpu_features* out) {}
#endif

tn_cpu_features tn_cpu_features_without(tn_cpu_features features, const char* off) {
  for (const char* at = off; *at;) {
    tn_view name = {at, strcspn(at, ", ")};
    int i = 0;
    while (i < row_count && !tn_view_is(name, rows[i].name)) ++i;
    if (i < row_count) {
      *field(&features, rows[i].at) = false;
    } else if (name.size) {
      tn_log(TN_LOG_WARNING, "TENON_CPU_OFF: '%.*s' is no CPU feature", TN_VIEW_ARGS(name));
    }
    at += name.size;
    at += strspn(at, ", ");
  }
  settle(&features);
  return features;
}

static void find_features(void) {
  detect(&found);
  const char* off = getenv("TENON_CPU_OFF");
  found = tn_cpu_features_without(found, off ? off : "");
}

const tn_cpu_features* tn_cpu_features_get(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_features);
  return &found;
}

void tn_cpu_features_describe(const tn_cpu_features* features, tn_text* out) {
  tn_cpu_features copy = *features;
  bool any = false;
  for (int i = 0; i < row_count; ++i) {
    if (!*field(&copy, rows[i].at)) continue;
    if (any) tn_text_putc(out, ' ');
    tn_text_puts(out, rows[i].name);
    any = true;
  }
}
