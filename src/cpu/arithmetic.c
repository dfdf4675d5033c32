#include "cpu/arithmetic_loops.h"
#include "cpu/parallel.h"

// What an operation has besides its bodies.
typedef enum result { AS_INPUT, AS_BYTE, AS_PART, AS_COMPLEX } result;
typedef struct trait {
  uint8_t inputs, result;
  uint16_t cost;  // picoseconds
} trait;

#define RANGE(first, last) [TN_CPU_##first... TN_CPU_##last]
static const trait traits[TN_CPU_ARITHMETIC_OPS] = {
    RANGE(ADD, SQUARED_DIFFERENCE) = {2, AS_INPUT, 300},
    RANGE(NEG, ABS) = {1, AS_INPUT, 200},
    RANGE(MAXIMUM, MINIMUM) = {2, AS_INPUT, 300},
    RANGE(RELU, RELU6) = {1, AS_INPUT, 200},
    RANGE(LEAKY_RELU, RELU6_GRAD) = {2, AS_INPUT, 300},
    [TN_CPU_LEAKY_RELU_GRAD] = {3, AS_INPUT, 300},
    RANGE(DIV, TRUNCATE_DIV) = {2, AS_INPUT, 800},
    RANGE(FLOOR_MOD, TRUNCATE_MOD) = {2, AS_INPUT, 4000},
    RANGE(RECIPROCAL, RSQRT) = {1, AS_INPUT, 800},
    RANGE(RECIPROCAL_GRAD, RSQRT_GRAD) = {2, AS_INPUT, 500},
    RANGE(FLOOR, RINT) = {1, AS_INPUT, 200},
    RANGE(EQUAL, GREATER_EQUAL) = {2, AS_BYTE, 250},
    [TN_CPU_APPROXIMATE_EQUAL] = {3, AS_BYTE, 250},
    RANGE(LOGICAL_AND, LOGICAL_OR) = {2, AS_BYTE, 100},
    [TN_CPU_LOGICAL_NOT] = {1, AS_BYTE, 100},
    RANGE(IS_NAN, IS_FINITE) = {1, AS_BYTE, 200},
    RANGE(BITWISE_AND, BITWISE_XOR) = {2, AS_INPUT, 300},
    [TN_CPU_INVERT] = {1, AS_INPUT, 200},
    RANGE(LEFT_SHIFT, RIGHT_SHIFT) = {2, AS_INPUT, 300},
    [TN_CPU_POPULATION_COUNT] = {1, AS_BYTE, 500},
    [TN_CPU_CLIP] = {3, AS_INPUT, 300},
    [TN_CPU_CONJ] = {1, AS_INPUT, 200},
    RANGE(REAL, IMAG) = {1, AS_PART, 200},
    [TN_CPU_COMPLEX] = {2, AS_COMPLEX, 500},
    [TN_CPU_COMPLEX_ABS] = {1, AS_PART, 1000},
};

// Quantized numbers are compared as the integers that they are in memory.
static tn_dtype plain(tn_dtype dtype) {
  switch (dtype) {
    case TN_QINT8: return TN_INT8;
    case TN_QUINT8: return TN_UINT8;
    case TN_QINT16: return TN_INT16;
    case TN_QUINT16: return TN_UINT16;
    case TN_QINT32: return TN_INT32;
    default: return dtype;
  }
}

static const tn_cpu_bodies* bodies_of(int op) {
  if (op < TN_CPU_DIV) return &TN_CPU_CHOOSE(tn_arithmetic_loops)->bodies[op];
  if (op < TN_CPU_EQUAL) return &TN_CPU_CHOOSE(tn_division_loops)->bodies[op - TN_CPU_DIV];
  if (op < TN_CPU_BITWISE_AND) return &TN_CPU_CHOOSE(tn_condition_loops)->bodies[op - TN_CPU_EQUAL];
  return &TN_CPU_CHOOSE(tn_bit_loops)->bodies[op - TN_CPU_BITWISE_AND];
}

tn_cpu_loop tn_cpu_arithmetic(int op, tn_dtype dtype) {
  dtype = plain(dtype);
  const trait* trait = &traits[op];
  const size_t size = tn_cpu_size(dtype);
  const size_t sizes[] = {
      [AS_INPUT] = size, [AS_BYTE] = 1, [AS_PART] = size / 2, [AS_COMPLEX] = size * 2};
  return tn_cpu_loop_of(*bodies_of(op), trait->inputs, dtype, sizes[trait->result], trait->cost);
}

tn_cpu_loop tn_cpu_select(size_t size) {
  return (tn_cpu_loop){.body = TN_CPU_CHOOSE(tn_condition_loops)->select[size],
                       .inputs = 3,
                       .in_size = {1, (uint8_t)size, (uint8_t)size},
                       .out_size = (uint8_t)size,
                       .cost = (uint16_t)(100 * size)};
}

bool tn_cpu_has_zero(tn_dtype dtype, int64_t count, const void* in) {
#define HAS_ZERO(type)                                                      \
  do {                                                                      \
    unsigned found = 0;                                                     \
    for (int64_t i = 0; i < count; ++i) found |= ((const type*)in)[i] == 0; \
    return found;                                                           \
  } while (0)
  switch (tn_cpu_size(dtype)) {
    case 1: HAS_ZERO(uint8_t);
    case 2: HAS_ZERO(uint16_t);
    case 4: HAS_ZERO(uint32_t);
    default: HAS_ZERO(uint64_t);
  }
#undef HAS_ZERO
}

enum { BLOCK = 1024 };  // elements of a sum that stay in the first cache

typedef struct sum_job {
  tn_cpu_loop add;
  const tn_narrow_loops* narrow;
  int64_t total;
  const void* const* in;
  int terms;
  char* out;
} sum_job;

static void add_block(const sum_job* job, int64_t at, int64_t count) {
  const int64_t size = job->add.in_size[0];
  char* to = job->out + at * size;
  if (!job->add.narrow) {
    const char* sum = (const char*)job->in[0] + at * size;
    for (int k = 1; k < job->terms; ++k, sum = to)
      job->add.body(sum, (const char*)job->in[k] + at * size, NULL, to, count);
    if (sum != to) memcpy(to, sum, (size_t)(count * size));
    return;
  }
  float sum[BLOCK], term[BLOCK];
  void (*const widen)(const void*, float*, int64_t) = job->narrow->widen[job->add.narrow];
  widen((const char*)job->in[0] + at * size, sum, count);
  for (int k = 1; k < job->terms; ++k) {
    widen((const char*)job->in[k] + at * size, term, count);
    job->add.body(sum, term, NULL, sum, count);
  }
  job->narrow->narrow[job->add.narrow](sum, to, count);
}

static void add_blocks(void* arg, int64_t begin, int64_t end) {
  const sum_job* job = arg;
  for (int64_t at = begin * BLOCK; begin < end; ++begin, at += BLOCK)
    add_block(job, at, job->total - at < BLOCK ? job->total - at : BLOCK);
}

void tn_cpu_add_n(tn_dtype dtype, int64_t count, const void* const* in, int terms, void* out,
                  const tn_cpu_parallel* parallel) {
  sum_job job = {
      tn_cpu_arithmetic(TN_CPU_ADD, dtype), TN_CPU_CHOOSE(tn_narrow_loops), count, in, terms, out};
  tn_cpu_run(parallel, (count + BLOCK - 1) / BLOCK, (int64_t)BLOCK * terms / 4, add_blocks, &job);
}
