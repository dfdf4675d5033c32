// Moving elements without looking at them: transposing and concatenating.

#include <string.h>

#include "cpu/layout.h"
#include "cpu/parallel.h"

enum { BLOCK = 32 };  // elements on a side of a transposed square

typedef struct {
  uint64_t words[2];
} u128;

// out[i * out_stride + j] = in[i + j * in_stride] for i < rows, j < columns: one plane, in squares
// that the cache holds.
#define PLANE(name, type)                                                                    \
  static void plane_##name(const void* in, int64_t in_stride, void* out, int64_t out_stride, \
                           int64_t rows, int64_t columns) {                                  \
    const type* from = in;                                                                   \
    type* to = out;                                                                          \
    for (int64_t j0 = 0; j0 < columns; j0 += BLOCK) {                                        \
      int64_t j1 = j0 + BLOCK < columns ? j0 + BLOCK : columns;                              \
      for (int64_t i = 0; i < rows; ++i)                                                     \
        for (int64_t j = j0; j < j1; ++j) to[i * out_stride + j] = from[i + j * in_stride];  \
    }                                                                                        \
  }
PLANE(1, uint8_t)
PLANE(2, uint16_t)
PLANE(4, uint32_t)
PLANE(8, uint64_t)
PLANE(16, u128)

typedef void (*plane_function)(const void*, int64_t, void*, int64_t, int64_t, int64_t);

// Dimensions in the output's order, merged as far as possible, with the input's strides.
typedef struct transpose_job {
  size_t size;
  int rank;
  int64_t dims[TN_CPU_MAX_RANK + 1], strides[TN_CPU_MAX_RANK + 1], out_strides[TN_CPU_MAX_RANK + 1];
  int dense;  // the output dimension along which the input is contiguous
  int64_t blocks;
  plane_function plane;
  const char* in;
  char* out;
} transpose_job;

static void plan_transpose(transpose_job* job, int rank, const int64_t* dims, const int* perm) {
  int64_t strides[TN_CPU_MAX_RANK + 1], stride = 1;
  for (int i = rank - 1; i >= 0; stride *= dims[i--]) strides[i] = stride;
  int n = 0;
  for (int i = 0; i < rank; ++i) {
    if (dims[perm[i]] == 1) continue;
    if (n > 0 && job->strides[n - 1] == strides[perm[i]] * dims[perm[i]]) {
      job->dims[n - 1] *= dims[perm[i]];
    } else {
      job->dims[n++] = dims[perm[i]];
    }
    job->strides[n - 1] = strides[perm[i]];
  }
  if (n == 0) job->dims[n] = job->strides[n] = 1, ++n;
  job->rank = n;
  stride = 1;
  for (int i = n - 1; i >= 0; stride *= job->dims[i--]) {
    job->out_strides[i] = stride;
    if (job->strides[i] == 1) job->dense = i;
  }
}

// Without the last output dimension and, if it is another one, a block of the dense dimension:
// these make one plane. Units are counted over all other dimensions and the blocks.
static void transpose_units(void* arg, int64_t begin, int64_t end) {
  const transpose_job* job = arg;
  const int last = job->rank - 1;
  const int64_t size = (int64_t)job->size;
  for (int64_t unit = begin; unit < end; ++unit) {
    int64_t rest = unit, in = 0, out = 0, first = 0;
    if (job->dense != last) {
      first = rest % job->blocks * BLOCK;
      rest /= job->blocks;
      in = first;
      out = first * job->out_strides[job->dense];
    }
    for (int i = last - 1; i >= 0; --i) {
      if (i == job->dense) continue;
      in += rest % job->dims[i] * job->strides[i];
      out += rest % job->dims[i] * job->out_strides[i];
      rest /= job->dims[i];
    }
    const char* from = job->in + in * size;
    char* to = job->out + out * size;
    if (job->dense == last) {
      memcpy(to, from, (size_t)(job->dims[last] * size));
    } else {
      int64_t rows = job->dims[job->dense] - first;
      job->plane(from, job->strides[last], to, job->out_strides[job->dense],
                 rows < BLOCK ? rows : BLOCK, job->dims[last]);
    }
  }
}

void tn_cpu_transpose(size_t size, int rank, const int64_t* dims, const int* perm, const void* in,
                      void* out, const tn_cpu_parallel* parallel) {
  int64_t total = 1;
  for (int i = 0; i < rank; ++i) total *= dims[i];
  if (total == 0) return;
  transpose_job job = {.size = size, .in = in, .out = out};
  job.plane = size == 1   ? plane_1
              : size == 2 ? plane_2
              : size == 4 ? plane_4
              : size == 8 ? plane_8
                          : plane_16;
  plan_transpose(&job, rank, dims, perm);
  const int last = job.rank - 1;
  int64_t units = total / job.dims[last], elements = job.dims[last];
  if (job.dense != last) {
    job.blocks = (job.dims[job.dense] + BLOCK - 1) / BLOCK;
    units = units / job.dims[job.dense] * job.blocks;
    elements *= BLOCK;
  }
  tn_cpu_run(parallel, units, elements * (int64_t)size / 8 + 10, transpose_units, &job);
}

typedef struct concat_job {
  const tn_cpu_part* parts;
  size_t count;
  int64_t row_bytes;
  char* out;
} concat_job;

static void concat_rows(void* arg, int64_t begin, int64_t end) {
  const concat_job* job = arg;
  char* to = job->out + begin * job->row_bytes;
  for (int64_t row = begin; row < end; ++row)
    for (size_t i = 0; i < job->count; ++i) {
      const int64_t bytes = job->parts[i].row_bytes;
      if (bytes) memcpy(to, (const char*)job->parts[i].data + row * bytes, (size_t)bytes);
      to += bytes;
    }
}

void tn_cpu_concat(int64_t rows, const tn_cpu_part* parts, size_t count, void* out,
                   const tn_cpu_parallel* parallel) {
  concat_job job = {parts, count, 0, out};
  for (size_t i = 0; i < count; ++i) job.row_bytes += parts[i].row_bytes;
  if (job.row_bytes == 0) return;
  tn_cpu_run(parallel, rows, job.row_bytes / 8 + 10 * (int64_t)count, concat_rows, &job);
}
