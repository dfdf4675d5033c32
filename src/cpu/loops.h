// Inner loops. *_loops.c are compiled once per instruction set, each time filling one table.
#ifndef TENON_CPU_LOOPS_H_
#define TENON_CPU_LOOPS_H_

#include "cpu/number.h"

enum { TN_CPU_DTYPES = TN_UINT64 + 1 };  // the tables' size: the last of TN_CPU_NUMBERS

typedef void (*tn_binary_loop)(const void* a, int64_t a_stride, const void* b, int64_t b_stride,
                               void* out, int64_t count);
typedef void (*tn_unary_loop)(const void* in, void* out, int64_t count);

typedef struct tn_elementwise_loops {
  tn_binary_loop binary[TN_CPU_BINARY_OPS][TN_CPU_DTYPES];
  tn_unary_loop relu[TN_CPU_DTYPES];
} tn_elementwise_loops;

typedef struct tn_cast_loops {
  tn_unary_loop round[TN_CPU_DTYPES][TN_CPU_DTYPES];     // [from][to]
  tn_unary_loop truncate[TN_CPU_DTYPES][TN_CPU_DTYPES];  // NULL where it would not differ
} tn_cast_loops;

// An accumulator is a double or, for integers, a uint64_t.
typedef struct tn_sum_loops {
  // acc[j] += in[r * row_stride + j] for all rows and j < width.
  void (*add_rows[TN_CPU_DTYPES])(const void* in, int64_t row_stride, int64_t rows, int64_t width,
                                  void* acc);
  void (*add[TN_CPU_DTYPES])(void* acc, const void* other, int64_t width);  // acc[j] += other[j]
  tn_unary_loop store[TN_CPU_DTYPES];  // accumulators to elements
} tn_sum_loops;

// A block of b, packed: panels of `columns` columns, each k rows long, padded with zeros.
typedef struct tn_matmul_loops {
  int rows[TN_CPU_DTYPES], columns[TN_CPU_DTYPES];  // of the tile that the registers hold
  void (*pack[TN_CPU_DTYPES])(tn_cpu_matrix b, int64_t k, int64_t columns, void* panel);
  // Multiplies up to `rows` rows of a by n packed columns. `partial` holds sums of earlier blocks
  // of k (unless first) and takes this one's (unless last, which goes to `out`); both have rows of
  // `stride`.
  void (*multiply[TN_CPU_DTYPES])(tn_cpu_matrix a, int rows, int64_t k, const void* packed,
                                  int64_t n, void* partial, void* out, int64_t stride, bool first,
                                  bool last);
} tn_matmul_loops;

enum { TN_MATMUL_DEPTH = 256 };  // rows of b in a block

typedef struct tn_cpu_loops {
  const tn_elementwise_loops* elementwise;
  const tn_cast_loops* cast;
  const tn_sum_loops* sum;
  const tn_matmul_loops* matmul;
} tn_cpu_loops;

const tn_cpu_loops* tn_cpu_loops_get(void);

// Before a loop whose element i depends on elements i only, although an output may be exactly an
// input.
// Clang has no such word that would not also insist on a vector loop; it checks at run time.
#ifdef __clang__
#define TN_CPU_INDEPENDENT
#else
#define TN_CPU_INDEPENDENT _Pragma("GCC ivdep")
#endif

// The name of a table in the variant being compiled: TN_CPU_VARIANT(tn_cast_loops) is
// tn_cast_loops_v3.
#define TN_CPU_PASTE(name, isa) name##_##isa
#define TN_CPU_NAME(name, isa) TN_CPU_PASTE(name, isa)
#define TN_CPU_VARIANT(name) TN_CPU_NAME(name, TN_CPU_ISA)

#define TN_CPU_DECLARE_VARIANT(isa)                             \
  extern const tn_elementwise_loops tn_elementwise_loops_##isa; \
  extern const tn_cast_loops tn_cast_loops_##isa;               \
  extern const tn_sum_loops tn_sum_loops_##isa;                 \
  extern const tn_matmul_loops tn_matmul_loops_##isa;
TN_CPU_DECLARE_VARIANT(baseline)
TN_CPU_DECLARE_VARIANT(v3)
TN_CPU_DECLARE_VARIANT(v4)

#endif  // TENON_CPU_LOOPS_H_
