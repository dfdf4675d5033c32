#include "cpu/gather.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/parallel.h"

enum { TILE = 256 };  // tuples that are looked up at once

static int64_t number_at(const tn_cpu_indices* indices, int64_t i) {
  switch (indices->dtype) {
    case TN_INT16: return ((const int16_t*)indices->data)[i];
    case TN_INT32: return ((const int32_t*)indices->data)[i];
    default: return ((const int64_t*)indices->data)[i];
  }
}

// One dimension, every number within it: the common case. False when one is not.
#define PLAIN(type)                                                                               \
  static bool plain_##type(const void* data, int64_t begin, int64_t count, int64_t limit,         \
                           int64_t* rows) {                                                       \
    const type* from = (const type*)data + begin;                                                 \
    uint64_t bad = 0;                                                                             \
    for (int64_t i = 0; i < count; ++i) {                                                         \
      rows[i] = from[i];                                                                          \
      bad |=                                                                                      \
          (uint64_t)from[i] | ((uint64_t)(limit - 1) - (uint64_t)rows[i]); /* a sign bit tells */ \
    }                                                                                             \
    return (int64_t)bad >= 0;                                                                     \
  }
PLAIN(int16_t)
PLAIN(int32_t)
PLAIN(int64_t)

static bool all_plain(const tn_cpu_indices* indices, int64_t begin, int64_t count, int64_t* rows) {
  const int64_t limit = indices->dims[0];
  switch (indices->dtype) {
    case TN_INT16: return plain_int16_t(indices->data, begin, count, limit, rows);
    case TN_INT32: return plain_int32_t(indices->data, begin, count, limit, rows);
    default: return plain_int64_t(indices->data, begin, count, limit, rows);
  }
}

int64_t tn_cpu_index_rows(const tn_cpu_indices* indices, int64_t begin, int64_t count,
                          int64_t* rows) {
  const int depth = indices->depth;
  if (depth == 1 && all_plain(indices, begin, count, rows)) return -1;
  int64_t first_bad = -1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = 0;
    bool good = true;
    for (int d = 0; d < depth; ++d) {
      const int64_t number = number_at(indices, (begin + i) * depth + d);
      good = good && number >= 0 && number < indices->dims[d];
      row = good ? row * indices->dims[d] + number : 0;
    }
    rows[i] = good ? row : -1;
    if (!good && first_bad < 0) first_bad = begin + i;
  }
  return first_bad;
}

// Threads may find several; the first one counts.
static void note_bad(_Atomic int64_t* bad, int64_t tuple) {
  int64_t found = atomic_load_explicit(bad, memory_order_relaxed);
  while (tuple >= 0 && (found < 0 || tuple < found) &&
         !atomic_compare_exchange_weak_explicit(bad, &found, tuple, memory_order_relaxed,
                                                memory_order_relaxed)) {
  }
}

typedef struct gather_job {
  const tn_cpu_indices* indices;
  int64_t outer, count;  // count: tuples of one batch
  int64_t block_bytes;   // of `in`, for one batch and outer index
  int64_t row_bytes, piece_bytes, pieces;
  const char* in;
  char* out;
  _Atomic int64_t bad;
} gather_job;

// Rows of a size that the processor moves at once. Tensors may lie at odd addresses.
#define PICK(bytes, type)                                                                 \
  typedef type __attribute__((aligned(1), may_alias)) r##bytes;                           \
  static void pick_##bytes(const char* in, const int64_t* rows, int64_t n, char* out) {   \
    for (int64_t i = 0; i < n; ++i) ((r##bytes*)out)[i] = ((const r##bytes*)in)[rows[i]]; \
  }
typedef uint64_t two_words __attribute__((vector_size(16)));
PICK(1, uint8_t)
PICK(2, uint16_t)
PICK(4, uint32_t)
PICK(8, uint64_t)
PICK(16, two_words)

static void pick_rows(const char* in, const int64_t* rows, int64_t n, int64_t bytes, char* out) {
  enum { AHEAD = 4 };
  for (int64_t i = 0; i < n; ++i) {
    if (i + AHEAD < n) {
      const char* next = in + rows[i + AHEAD] * bytes;
      for (int64_t line = 0; line < bytes && line < 256; line += 64)
        __builtin_prefetch(next + line);
    }
    memcpy(out + i * bytes, in + rows[i] * bytes, (size_t)bytes);
  }
}

static void pick(const char* in, const int64_t* rows, int64_t n, int64_t bytes, char* out) {
  switch (bytes) {
    case 1: pick_1(in, rows, n, out); break;
    case 2: pick_2(in, rows, n, out); break;
    case 4: pick_4(in, rows, n, out); break;
    case 8: pick_8(in, rows, n, out); break;
    case 16: pick_16(in, rows, n, out); break;
    default: pick_rows(in, rows, n, bytes, out);
  }
}

static void pick_or_zero(const char* in, const int64_t* rows, int64_t n, int64_t bytes, char* out) {
  for (int64_t i = 0; i < n; ++i) {
    if (rows[i] >= 0) {
      memcpy(out + i * bytes, in + rows[i] * bytes, (size_t)bytes);
    } else {
      memset(out + i * bytes, 0, (size_t)bytes);
    }
  }
}

// Units are rows [batch, outer, tuple]; those of one batch and outer index are picked in tiles.
static void gather_rows(void* arg, int64_t begin, int64_t end) {
  gather_job* job = arg;
  int64_t rows[TILE];
  while (begin < end) {
    const int64_t block = begin / job->count, tuple = begin % job->count;
    int64_t n = job->count - tuple < end - begin ? job->count - tuple : end - begin;
    if (n > TILE) n = TILE;
    const int64_t bad =
        tn_cpu_index_rows(job->indices, block / job->outer * job->count + tuple, n, rows);
    const char* in = job->in + block * job->block_bytes;
    char* out = job->out + begin * job->row_bytes;
    if (bad < 0) {
      pick(in, rows, n, job->row_bytes, out);
    } else {
      note_bad(&job->bad, bad);
      pick_or_zero(in, rows, n, job->row_bytes, out);
    }
    begin += n;
  }
}

// Units are pieces of long rows.
static void gather_pieces(void* arg, int64_t begin, int64_t end) {
  gather_job* job = arg;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t at = unit / job->pieces, offset = unit % job->pieces * job->piece_bytes;
    const int64_t block = at / job->count;
    const int64_t left = job->row_bytes - offset;
    const size_t bytes = (size_t)(left < job->piece_bytes ? left : job->piece_bytes);
    int64_t row;
    note_bad(&job->bad,
             tn_cpu_index_rows(job->indices, block / job->outer * job->count + at % job->count, 1,
                               &row));
    char* out = job->out + at * job->row_bytes + offset;
    if (row >= 0) {
      memcpy(out, job->in + block * job->block_bytes + row * job->row_bytes + offset, bytes);
    } else {
      memset(out, 0, bytes);
    }
  }
}

int64_t tn_cpu_gather(const tn_cpu_indices* indices, int64_t batches, int64_t outer,
                      int64_t row_bytes, const void* in, void* out,
                      const tn_cpu_parallel* parallel) {
  const int64_t long_row = 131072;
  const int64_t total = outer * indices->count;
  if (total == 0 || row_bytes == 0) return -1;
  gather_job job = {.indices = indices,
                    .outer = outer,
                    .count = indices->count / batches,
                    .block_bytes = row_bytes,
                    .row_bytes = row_bytes,
                    .piece_bytes = long_row,
                    .pieces = (row_bytes + long_row - 1) / long_row,
                    .in = in,
                    .out = out,
                    .bad = -1};
  for (int d = 0; d < indices->depth; ++d) job.block_bytes *= indices->dims[d];
  if (job.pieces > 1) {
    tn_cpu_run(parallel, total * job.pieces, long_row / 8, gather_pieces, &job);
  } else {
    tn_cpu_run(parallel, total, row_bytes / 8 + 3, gather_rows, &job);
  }
  return atomic_load(&job.bad);
}
