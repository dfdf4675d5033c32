#include "cpu/matmul_loops.h"

// The tile of `out` held in registers: MR rows of two vectors. Complex numbers use two vectors for
// one row of NR / 2 columns, real parts apart from imaginary ones.
#if defined(__AVX512F__)
enum { VECTOR = 64, MR = 12 };
#elif defined(__AVX__)
enum { VECTOR = 32, MR = 6 };
#else
enum { VECTOR = 16, MR = 6 };
#endif

#define VECTORS(type)                                                         \
  typedef type type##_vector __attribute__((vector_size(VECTOR), may_alias)); \
  typedef type type##_unaligned                                               \
      __attribute__((vector_size(VECTOR), may_alias, aligned(sizeof(type))))
VECTORS(float);
VECTORS(double);
VECTORS(uint32_t);
VECTORS(uint64_t);

// tile[MR][NR] = sum over k of a[k][MR] * b[k][NR], both packed.
#define REAL_TILE(type)                                                                 \
  static inline void tile_##type(const type* a, const type* b, int64_t k, type* tile) { \
    enum { LANES = VECTOR / sizeof(type) };                                             \
    type##_vector acc[MR][2] = {{{0}}};                                                 \
    for (int64_t p = 0; p < k; ++p, a += MR, b += 2 * LANES) {                          \
      const type##_vector b0 = *(const type##_unaligned*)b;                             \
      const type##_vector b1 = *(const type##_unaligned*)(b + LANES);                   \
      _Pragma("GCC unroll 12") for (int i = 0; i < MR; ++i) {                           \
        acc[i][0] += a[i] * b0;                                                         \
        acc[i][1] += a[i] * b1;                                                         \
      }                                                                                 \
    }                                                                                   \
    memcpy(tile, acc, sizeof acc);                                                      \
  }
REAL_TILE(float)
REAL_TILE(double)
REAL_TILE(uint32_t)
REAL_TILE(uint64_t)

// The same for complex numbers: a[k][MR] holds pairs, b[k] holds LANES real, then LANES imaginary
// parts, and so does each row of the tile.
#define COMPLEX_TILE(type)                                                                      \
  static inline void tile_complex_##type(const type* a, const type* b, int64_t k, type* tile) { \
    enum { LANES = VECTOR / sizeof(type) };                                                     \
    type##_vector acc[MR][2] = {{{0}}};                                                         \
    for (int64_t p = 0; p < k; ++p, a += 2 * MR, b += 2 * LANES) {                              \
      const type##_vector re = *(const type##_unaligned*)b;                                     \
      const type##_vector im = *(const type##_unaligned*)(b + LANES);                           \
      _Pragma("GCC unroll 12") for (int i = 0; i < MR; ++i) {                                   \
        acc[i][0] += a[2 * i] * re;                                                             \
        acc[i][0] -= a[2 * i + 1] * im;                                                         \
        acc[i][1] += a[2 * i] * im;                                                             \
        acc[i][1] += a[2 * i + 1] * re;                                                         \
      }                                                                                         \
    }                                                                                           \
    memcpy(tile, acc, sizeof acc);                                                              \
  }
COMPLEX_TILE(float)
COMPLEX_TILE(double)

// What differs between real (one number per element) and complex (two) packing. The first argument
// is where element (p, j) of a panel with NR columns starts; AT_TILE reads element (i, j) of a
// tile.
#define REAL_PUT(panel, p, j, lanes, value) ((panel)[(p)*2 * (lanes) + (j)] = (value))
#define REAL_PUT_A(panel, p, i, value) ((panel)[(p)*MR + (i)] = (value))
#define REAL_AT(tile, i, j, lanes) ((tile)[(i)*2 * (lanes) + (j)])
#define COMPLEX_PUT(panel, p, j, lanes, value)       \
  ((panel)[(p)*2 * (lanes) + (j)] = __real__(value), \
   (panel)[(p)*2 * (lanes) + (lanes) + (j)] = __imag__(value))
#define COMPLEX_PUT_A(panel, p, i, value) \
  ((panel)[((p)*MR + (i)) * 2] = __real__(value), (panel)[((p)*MR + (i)) * 2 + 1] = __imag__(value))
#define COMPLEX_AT(tile, i, j, lanes) \
  __builtin_complex((tile)[(i)*2 * (lanes) + (j)], (tile)[(i)*2 * (lanes) + (lanes) + (j)])

#define MATMUL(x, base, NR_OF, tile_of, PUT, PUT_A, AT)                                         \
  enum { LANES_##x = VECTOR / sizeof(base), NR_##x = NR_OF(LANES_##x) };                        \
  static void pack_##x(tn_cpu_matrix b, int64_t k, int64_t columns, void* panel) {              \
    for (int64_t p = 0; p < k; ++p) {                                                           \
      const s_##x* row = (const s_##x*)b.data + p * b.row_stride;                               \
      for (int64_t j = 0; j < NR_##x; ++j) {                                                    \
        c_##x value = j < columns ? load_##x(row[j * b.column_stride]) : (c_##x)0;              \
        PUT((base*)panel, p, j, LANES_##x, value);                                              \
      }                                                                                         \
    }                                                                                           \
  }                                                                                             \
  static void multiply_##x(tn_cpu_matrix a, int rows, int64_t k, const void* packed, int64_t n, \
                           void* partial, void* out, int64_t stride, bool first, bool last) {   \
    base a_packed[TN_MATMUL_DEPTH * MR * 2 * LANES_##x / NR_##x];                               \
    for (int64_t i = 0; i < MR; ++i) {                                                          \
      const s_##x* row = (const s_##x*)a.data + i * a.row_stride;                               \
      for (int64_t p = 0; p < k; ++p) {                                                         \
        c_##x value = i < rows ? load_##x(row[p * a.column_stride]) : (c_##x)0;                 \
        PUT_A(a_packed, p, i, value);                                                           \
      }                                                                                         \
    }                                                                                           \
    for (int64_t j0 = 0; j0 < n; j0 += NR_##x) {                                                \
      base tile[MR * 2 * LANES_##x] __attribute__((aligned(VECTOR)));                           \
      tile_of(a_packed, (const base*)packed + j0 / NR_##x * k * 2 * LANES_##x, k, tile);        \
      int64_t columns = n - j0 < NR_##x ? n - j0 : NR_##x;                                      \
      for (int i = 0; i < rows; ++i) {                                                          \
        c_##x* sums = (c_##x*)partial + i * stride + j0;                                        \
        s_##x* results = (s_##x*)out + i * stride + j0;                                         \
        for (int64_t j = 0; j < columns; ++j) {                                                 \
          c_##x value = AT(tile, i, j, LANES_##x);                                              \
          if (!first) value += sums[j];                                                         \
          if (last) {                                                                           \
            results[j] = store_##x(value);                                                      \
          } else {                                                                              \
            sums[j] = value;                                                                    \
          }                                                                                     \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
  }
#define TWICE(lanes) (2 * (lanes))
#define ONCE(lanes) (lanes)
#define REAL_MATMUL(x, base) MATMUL(x, base, TWICE, tile_##base, REAL_PUT, REAL_PUT_A, REAL_AT)
#define COMPLEX_MATMUL(x, base) \
  MATMUL(x, base, ONCE, tile_complex_##base, COMPLEX_PUT, COMPLEX_PUT_A, COMPLEX_AT)
REAL_MATMUL(f32, float)
REAL_MATMUL(f16, float)
REAL_MATMUL(bf16, float)
REAL_MATMUL(f64, double)
REAL_MATMUL(i8, uint32_t)
REAL_MATMUL(u8, uint32_t)
REAL_MATMUL(i16, uint32_t)
REAL_MATMUL(u16, uint32_t)
REAL_MATMUL(i32, uint32_t)
REAL_MATMUL(u32, uint32_t)
REAL_MATMUL(i64, uint64_t)
REAL_MATMUL(u64, uint64_t)
COMPLEX_MATMUL(c64, float)
COMPLEX_MATMUL(c128, double)

#define FUNCTION(x, dtype, name) [dtype] = name##_##x,
#define ROWS(x, dtype, _) [dtype] = MR,
#define COLUMNS(x, dtype, _) [dtype] = NR_##x,
const tn_matmul_loops TN_CPU_VARIANT(tn_matmul_loops) = {
    .rows = {TN_CPU_EACH_NUMBER(ROWS, )},
    .columns = {TN_CPU_EACH_NUMBER(COLUMNS, )},
    .pack = {TN_CPU_EACH_NUMBER(FUNCTION, pack)},
    .multiply = {TN_CPU_EACH_NUMBER(FUNCTION, multiply)},
};
