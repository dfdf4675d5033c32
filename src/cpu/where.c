#include "cpu/where.h"

#include <stdbool.h>
#include <string.h>

#include "cpu/parallel.h"

typedef struct where_job {
  int rank;
  const int64_t* dims;
  int64_t count;
  const char* in;
  const int64_t* ends;
  int64_t *counts, *out;
  int (*collect)(const char* in, int64_t begin, int64_t end, int16_t* found);
  int64_t (*count_set)(const char* in, int64_t begin, int64_t end);
} where_job;

enum { PIECE = 1024 };  // elements that are looked at together

// A mask leaves out the sign of floats, of both parts of complex numbers. What is found in a piece
// is noted without branches, each number over the last one unless that was good.
#define TEST(name, type, is_set)                                                            \
  static int64_t count_##name(const char* data, int64_t begin, int64_t end) {               \
    const type* in = (const type*)data;                                                     \
    int64_t total = 0;                                                                      \
    for (int64_t i = begin; i < end;) {                                                     \
      /* As many as a byte can count, so that vectors of them are added. */                 \
      const int64_t stop = end - i < 255 ? end : i + 255;                                   \
      type sum = 0;                                                                         \
      for (; i < stop; ++i) sum = (type)(sum + (is_set));                                   \
      total += (int64_t)sum;                                                                \
    }                                                                                       \
    return total;                                                                           \
  }                                                                                         \
  static int collect_##name(const char* data, int64_t begin, int64_t end, int16_t* found) { \
    const type* in = (const type*)data;                                                     \
    int count = 0;                                                                          \
    for (int64_t i = begin; i < end; ++i) {                                                 \
      found[count] = (int16_t)(i - begin);                                                  \
      count += is_set;                                                                      \
    }                                                                                       \
    return count;                                                                           \
  }
#define MASKED(mask) ((in[i] & (mask)) != 0)
TEST(1, uint8_t, MASKED(UINT8_MAX))
TEST(2, uint16_t, MASKED(UINT16_MAX))
TEST(4, uint32_t, MASKED(UINT32_MAX))
TEST(8, uint64_t, MASKED(UINT64_MAX))
TEST(small_float, uint16_t, MASKED(INT16_MAX))
TEST(float, uint32_t, MASKED(INT32_MAX))
TEST(double, uint64_t, MASKED(INT64_MAX))
TEST(complex64, uint64_t, MASKED(0x7fffffff7fffffff))
TEST(complex128, uint64_t, ((in[2 * i] | in[2 * i + 1]) & INT64_MAX) != 0)

static void choose(where_job* job, tn_dtype dtype) {
#define USE(name)                \
  job->collect = collect_##name; \
  job->count_set = count_##name; \
  break
  switch (dtype) {
    case TN_HALF:
    case TN_BFLOAT16: USE(small_float);
    case TN_FLOAT: USE(float);
    case TN_DOUBLE: USE(double);
    case TN_COMPLEX64: USE(complex64);
    case TN_COMPLEX128: USE(complex128);
    default:
      switch (tn_cpu_size(dtype)) {
        case 1: USE(1);
        case 2: USE(2);
        case 4: USE(4);
        default: USE(8);
      }
  }
#undef USE
}

static int64_t block_end(const where_job* job, int64_t block) {
  const int64_t end = (block + 1) * TN_CPU_WHERE_BLOCK;
  return end < job->count ? end : job->count;
}

static void count_blocks(void* arg, int64_t begin, int64_t end) {
  const where_job* job = arg;
  for (int64_t block = begin; block < end; ++block)
    job->counts[block] = job->count_set(job->in, block * TN_CPU_WHERE_BLOCK, block_end(job, block));
}

static int64_t blocks_of(int64_t count) {
  return (count + TN_CPU_WHERE_BLOCK - 1) / TN_CPU_WHERE_BLOCK;
}

void tn_cpu_where_count(tn_dtype dtype, int64_t count, const void* in, int64_t* ends,
                        const tn_cpu_parallel* parallel) {
  where_job job = {.count = count, .in = in, .counts = ends};
  choose(&job, dtype);
  tn_cpu_run(parallel, blocks_of(count), TN_CPU_WHERE_BLOCK / 4, count_blocks, &job);
  for (int64_t block = 1; block < blocks_of(count); ++block) ends[block] += ends[block - 1];
}

static void write_block(const where_job* job, int64_t block) {
  int64_t at[TN_CPU_MAX_RANK], i = block * TN_CPU_WHERE_BLOCK, rest = i;
  const int64_t end = block_end(job, block);
  const int last = job->rank - 1;
  int64_t* out = job->out + (block ? job->ends[block - 1] : 0) * job->rank;
  for (int d = last; d >= 0; --d) {
    at[d] = rest % job->dims[d];
    rest /= job->dims[d];
  }
  if (last < 0) return;
  while (i < end) {
    int16_t found[PIECE];
    int64_t stop = i + job->dims[last] - at[last];
    if (stop > end) stop = end;
    if (stop > i + PIECE) stop = i + PIECE;
    const int count = job->collect(job->in, i, stop, found);
    for (int j = 0; j < count; ++j) {
      for (int d = 0; d < last; ++d) *out++ = at[d];
      *out++ = at[last] + found[j];
    }
    at[last] += stop - i;
    i = stop;
    for (int d = last; d > 0 && at[d] == job->dims[d]; --d) {
      at[d] = 0;
      ++at[d - 1];
    }
  }
}

static void write_blocks(void* arg, int64_t begin, int64_t end) {
  const where_job* job = arg;
  for (int64_t block = begin; block < end; ++block)
    if (job->ends[block] > (block ? job->ends[block - 1] : 0)) write_block(job, block);
}

void tn_cpu_where(tn_dtype dtype, int rank, const int64_t* dims, const void* in,
                  const int64_t* ends, int64_t* out, const tn_cpu_parallel* parallel) {
  where_job job = {.rank = rank, .dims = dims, .count = 1, .in = in, .ends = ends, .out = out};
  for (int i = 0; i < rank; ++i) job.count *= dims[i];
  choose(&job, dtype);
  tn_cpu_run(parallel, blocks_of(job.count), TN_CPU_WHERE_BLOCK * 2, write_blocks, &job);
}
