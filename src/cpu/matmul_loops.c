#include "cpu/matmul_loops.h"

// The tile of `out` held in registers: MR rows of two vectors. Complex numbers use two vectors for
// one row of half as many columns, real parts apart from imaginary ones.
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

#define INLINED static inline __attribute__((always_inline))

// tile[R][NR] = sum over p of a(i, p) * b(p, j). Of a panel's two vectors, the second may be empty.
#define REAL_TILE(type)                                                                          \
  INLINED void tile_##type(const int R, const bool half, const int i_stride, const int p_stride, \
                           const type* a, const type* b, int64_t depth, type* tile) {            \
    enum { LANES = VECTOR / sizeof(type) };                                                      \
    type##_vector acc[MR][2] = {{{0}}};                                                          \
    for (int64_t p = 0; p < depth; ++p, a += p_stride, b += 2 * LANES) {                         \
      const type##_vector b0 = *(const type##_unaligned*)b;                                      \
      const type##_vector b1 = *(const type##_unaligned*)(b + LANES);                            \
      _Pragma("GCC unroll 12") for (int i = 0; i < R; ++i) {                                     \
        acc[i][0] += a[i * i_stride] * b0;                                                       \
        if (!half) acc[i][1] += a[i * i_stride] * b1;                                            \
      }                                                                                          \
    }                                                                                            \
    memcpy(tile, acc, sizeof acc[0] * (size_t)R);                                                \
  }

// The same for complex numbers: a holds pairs, a row of b and of the tile LANES real and then
// LANES imaginary parts.
#define COMPLEX_TILE(type)                                                           \
  INLINED void tile_complex_##type(const int R, const bool half, const int i_stride, \
                                   const int p_stride, const type* a, const type* b, \
                                   int64_t depth, type* tile) {                      \
    enum { LANES = VECTOR / sizeof(type) };                                          \
    type##_vector acc[MR][2] = {{{0}}};                                              \
    for (int64_t p = 0; p < depth; ++p, a += 2 * p_stride, b += 2 * LANES) {         \
      const type##_vector re = *(const type##_unaligned*)b;                          \
      const type##_vector im = *(const type##_unaligned*)(b + LANES);                \
      _Pragma("GCC unroll 12") for (int i = 0; i < R; ++i) {                         \
        const type a_re = a[2 * i * i_stride], a_im = a[2 * i * i_stride + 1];       \
        acc[i][0] += a_re * re;                                                      \
        acc[i][0] -= a_im * im;                                                      \
        acc[i][1] += a_re * im;                                                      \
        acc[i][1] += a_im * re;                                                      \
      }                                                                              \
    }                                                                                \
    memcpy(tile, acc, sizeof acc[0] * (size_t)R);                                    \
  }

// Tiles of a third, two thirds and all of the rows, on panels of a by row and by column. Long sums
// are made of shorter ones, which is more exact.
enum { CHAIN = TN_MATMUL_DEPTH / 2 };
#define ONE_TILE(name, type, R, half, layout, i_stride, p_stride, PARTS)                      \
  static void name##_##layout##_##R##_##half(const type* a, const type* b, int64_t depth,     \
                                             type* tile) {                                    \
    enum { LANES = VECTOR / sizeof(type), VECTORS = MR / 3 * R * 2 };                         \
    name(MR / 3 * R, half, i_stride, p_stride, a, b,                                          \
         depth < CHAIN / PARTS ? depth : CHAIN / PARTS, tile);                                \
    for (int64_t p = CHAIN / PARTS; p < depth; p += CHAIN / PARTS) {                          \
      type more[VECTORS * LANES] __attribute__((aligned(VECTOR)));                            \
      name(MR / 3 * R, half, i_stride, p_stride, a + p * p_stride * PARTS, b + p * 2 * LANES, \
           depth - p < CHAIN / PARTS ? depth - p : CHAIN / PARTS, more);                      \
      for (int i = 0; i < VECTORS * LANES; ++i) tile[i] += more[i];                           \
    }                                                                                         \
  }
#define LAYOUTS(name, type, R, half, PARTS)                           \
  ONE_TILE(name, type, R, half, by_row, TN_MATMUL_A_STRIDE, 1, PARTS) \
  ONE_TILE(name, type, R, half, by_column, 1, MR, PARTS)
#define TILES(name, type, PARTS)                                                           \
  LAYOUTS(name, type, 1, 0, PARTS)                                                         \
  LAYOUTS(name, type, 2, 0, PARTS)                                                         \
  LAYOUTS(name, type, 3, 0, PARTS)                                                         \
  LAYOUTS(name, type, 1, 1, PARTS)                                                         \
  LAYOUTS(name, type, 2, 1, PARTS)                                                         \
  LAYOUTS(name, type, 3, 1, PARTS)                                                         \
  static void (*const name##_tiles[2][2][3])(const type*, const type*, int64_t, type*) = { \
      {{name##_by_row_1_0, name##_by_row_2_0, name##_by_row_3_0},                          \
       {name##_by_column_1_0, name##_by_column_2_0, name##_by_column_3_0}},                \
      {{name##_by_row_1_1, name##_by_row_2_1, name##_by_row_3_1},                          \
       {name##_by_column_1_1, name##_by_column_2_1, name##_by_column_3_1}}};
#define REAL_TILES(type) REAL_TILE(type) TILES(tile_##type, type, 1)
#define COMPLEX_TILES(type) COMPLEX_TILE(type) TILES(tile_complex_##type, type, 2)
REAL_TILES(float)
REAL_TILES(double)
REAL_TILES(uint32_t)
REAL_TILES(uint64_t)
COMPLEX_TILES(float)
COMPLEX_TILES(double)

// What differs between real (one number per element) and complex (two) panels.
#define REAL_LOAD(x, from, conjugate) load_##x(from)
#define REAL_PUT(row, j, lanes, value) ((row)[j] = (value))
#define REAL_AT(row, j, lanes) ((row)[j])
#define COMPLEX_LOAD(x, from, conjugate) ((conjugate) ? ~(from) : (from))
#define COMPLEX_PUT(row, j, lanes, value) \
  ((row)[j] = __real__(value), (row)[(lanes) + (j)] = __imag__(value))
#define COMPLEX_AT(row, j, lanes) __builtin_complex((row)[j], (row)[(lanes) + (j)])

// Elements next to each other. Halves need help: the compiler does not vectorize their conversion.
#define CONVERT(x)                                                                       \
  INLINED void convert_##x(const s_##x* in, bool conjugate, int64_t count, c_##x* out) { \
    for (int64_t i = 0; i < count; ++i) out[i] = load_##x(in[i]);                        \
  }
#define CONVERT_COMPLEX(x)                                                               \
  INLINED void convert_##x(const s_##x* in, bool conjugate, int64_t count, c_##x* out) { \
    for (int64_t i = 0; i < count; ++i) out[i] = conjugate ? ~in[i] : in[i];             \
  }
CONVERT(f32)
CONVERT(f64)
CONVERT(bf16)
CONVERT(i8)
CONVERT(u8)
CONVERT(i16)
CONVERT(u16)
CONVERT(i32)
CONVERT(u32)
CONVERT(i64)
CONVERT(u64)
CONVERT_COMPLEX(c64)
CONVERT_COMPLEX(c128)
INLINED void convert_f16(const s_f16* in, bool conjugate, int64_t count, float* out) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= count; i += 16)
    _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(in + i))));
#elif defined(__F16C__)
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(in + i))));
#endif
  for (; i < count; ++i) out[i] = load_f16(in[i]);
}

// A panel of b from rows (j_stride 1) in whole panels, from columns in squares that stay in the
// nearest cache, or from anything.
#define MATMUL(x, base, PARTS, tiles, LOAD, PUT, AT)                                              \
  enum { LANES_##x = VECTOR / sizeof(base), NR_##x = 2 * LANES_##x / PARTS };                     \
  static void gather_##x(const void* in, int64_t stride, bool conjugate, int64_t count,           \
                         void* out) {                                                             \
    const s_##x* from = in;                                                                       \
    c_##x* to = out;                                                                              \
    if (stride == 1) {                                                                            \
      convert_##x(from, conjugate, count, to);                                                    \
    } else {                                                                                      \
      for (int64_t i = 0; i < count; ++i) to[i] = LOAD(x, from[i * stride], conjugate);           \
    }                                                                                             \
  }                                                                                               \
  static void pack_##x(const void* in, int64_t p_stride, int64_t i_stride, bool conjugate,        \
                       int64_t depth, int count, void* panel, int panel_stride) {                 \
    c_##x* to = panel;                                                                            \
    const s_##x* from = in;                                                                       \
    for (int64_t p = 0; p < depth; ++p, to += panel_stride, from += p_stride) {                   \
      if (i_stride != 1) {                                                                        \
        for (int64_t i = 0; i < count; ++i) to[i] = LOAD(x, from[i * i_stride], conjugate);       \
      } else if (count == NR_##x) {                                                               \
        convert_##x(from, conjugate, NR_##x, to);                                                 \
      } else if (count == MR) {                                                                   \
        convert_##x(from, conjugate, MR, to);                                                     \
      } else {                                                                                    \
        convert_##x(from, conjugate, count, to);                                                  \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void pack_b_##x(const void* in, int64_t p_stride, int64_t j_stride, bool conjugate,      \
                         int64_t depth, int columns, void* panel) {                               \
    base* to = panel;                                                                             \
    if (PARTS == 1 && j_stride == 1 && columns == NR_##x) {                                       \
      for (int64_t p = 0; p < depth; ++p)                                                         \
        convert_##x((const s_##x*)in + p * p_stride, conjugate, NR_##x,                           \
                    (c_##x*)(void*)(to + p * NR_##x));                                            \
      return;                                                                                     \
    }                                                                                             \
    if (columns < NR_##x) memset(panel, 0, sizeof(base) * 2 * LANES_##x * (size_t)depth);         \
    for (int64_t p0 = 0; p0 < depth; p0 += 16) {                                                  \
      const int64_t p1 = p0 + 16 < depth ? p0 + 16 : depth;                                       \
      for (int64_t j = 0; j < columns; ++j) {                                                     \
        const s_##x* from = (const s_##x*)in + j * j_stride;                                      \
        for (int64_t p = p0; p < p1; ++p)                                                         \
          PUT(to + p * 2 * LANES_##x, j, LANES_##x, LOAD(x, from[p * p_stride], conjugate));      \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  INLINED void finish_##x(base* row, int64_t columns, c_##x* sums, s_##x* out, bool first,        \
                          bool last) {                                                            \
    c_##x values[NR_##x];                                                                         \
    for (int64_t j = 0; j < columns; ++j) values[j] = AT(row, j, LANES_##x);                      \
    if (!first)                                                                                   \
      for (int64_t j = 0; j < columns; ++j) values[j] += sums[j];                                 \
    if (last) {                                                                                   \
      for (int64_t j = 0; j < columns; ++j) out[j] = store_##x(values[j]);                        \
    } else {                                                                                      \
      for (int64_t j = 0; j < columns; ++j) sums[j] = values[j];                                  \
    }                                                                                             \
  }                                                                                               \
  static void multiply_##x(const void* a, bool by_column, int rows, int64_t depth, const void* b, \
                           int64_t n, void* const* sums, void* const* outs, bool first,           \
                           bool last) {                                                           \
    for (int64_t j = 0; j < n; j += NR_##x) {                                                     \
      base tile[MR * 2 * LANES_##x] __attribute__((aligned(VECTOR)));                             \
      const bool half = PARTS == 1 && n - j <= LANES_##x;                                         \
      tiles[half][by_column][(rows - 1) / (MR / 3)](a, (const base*)b + j * depth * PARTS, depth, \
                                                    tile);                                        \
      for (int i = 0; i < rows; ++i) {                                                            \
        base* row = tile + i * 2 * LANES_##x;                                                     \
        if (n - j >= NR_##x) {                                                                    \
          finish_##x(row, NR_##x, (c_##x*)sums[i] + j, (s_##x*)outs[i] + j, first, last);         \
        } else {                                                                                  \
          finish_##x(row, n - j, (c_##x*)sums[i] + j, (s_##x*)outs[i] + j, first, last);          \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
#define REAL_MATMUL(x, base) MATMUL(x, base, 1, tile_##base##_tiles, REAL_LOAD, REAL_PUT, REAL_AT)
#define COMPLEX_MATMUL(x, base) \
  MATMUL(x, base, 2, tile_complex_##base##_tiles, COMPLEX_LOAD, COMPLEX_PUT, COMPLEX_AT)
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
    .gather = {TN_CPU_EACH_NUMBER(FUNCTION, gather)},
    .pack = {TN_CPU_EACH_NUMBER(FUNCTION, pack)},
    .pack_b = {TN_CPU_EACH_NUMBER(FUNCTION, pack_b)},
    .multiply = {TN_CPU_EACH_NUMBER(FUNCTION, multiply)},
};
