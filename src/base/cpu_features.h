// Which instructions this machine and its system support, asked once.
#ifndef TENON_BASE_CPU_FEATURES_H_
#define TENON_BASE_CPU_FEATURES_H_

#include <stdbool.h>

#include "base/text.h"

// X(name, the feature it cannot do without). A name appears after the one it needs.
// clang-format off
#define TN_CPU_FEATURES(X)                                                                  \
  /* x86-64 */                                                                              \
  X(sse42, sse42) X(avx, sse42) X(f16c, avx) X(fma, avx) X(avx2, avx) X(bmi2, avx)          \
  X(avx_vnni, avx2) X(avx512f, avx2) X(avx512cd, avx512f) X(avx512dq, avx512f)              \
  X(avx512bw, avx512f) X(avx512vl, avx512f) X(avx512_vnni, avx512f) X(avx512_bf16, avx512f) \
  X(avx512_fp16, avx512f) X(amx_tile, avx512f) X(amx_int8, amx_tile) X(amx_bf16, amx_tile)  \
  /* AArch64 */                                                                             \
  X(neon, neon) X(fp16, neon) X(dotprod, neon) X(i8mm, neon) X(bf16, neon) X(sve, neon)     \
  X(sve2, sve)
// clang-format on

// A feature is set only when the system saves its registers too. For AMX a process must still ask
// the kernel for the tile registers (ARCH_REQ_XCOMP_PERM) before it uses them.
typedef struct tn_cpu_features {
#define TN_CPU_FIELD(name, needs) bool name;
  TN_CPU_FEATURES(TN_CPU_FIELD)
#undef TN_CPU_FIELD
} tn_cpu_features;

// TENON_CPU_OFF="avx512f,fma" takes features away, with all that need them: for tests of the paths
// that other machines take. Static, the same for the life of the process.  [any thread]
const tn_cpu_features* tn_cpu_features_get(void);

// Appends the names of what is there, with a space between.  [any thread]
void tn_cpu_features_describe(const tn_cpu_features* features, tn_text* out);

// What `features` is without the features that the comma-separated `off` names. A name that is no
// feature is logged as a warning.  [any thread]
tn_cpu_features tn_cpu_features_without(tn_cpu_features features, const char* off);

#endif  // TENON_BASE_CPU_FEATURES_H_
