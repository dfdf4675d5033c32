// Transposing, concatenating, filling and padding: shapes that tn_cpu_move is asked for.

#include "cpu/layout.h"

#include <string.h>

#include "cpu/parallel.h"
#include "cpu/stream_loops.h"

void tn_cpu_dense_strides(int rank, const int64_t* dims, int64_t* strides) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; stride *= dims[i--]) strides[i] = stride;
}

void tn_cpu_transpose(size_t size, int rank, const int64_t* dims, const int* perm, const void* in,
                      void* out, const tn_cpu_parallel* parallel) {
  int64_t strides[TN_CPU_MAX_RANK], out_dims[TN_CPU_MAX_RANK];
  int64_t in_strides[TN_CPU_MAX_RANK], out_strides[TN_CPU_MAX_RANK];
  tn_cpu_dense_strides(rank, dims, strides);
  for (int i = 0; i < rank; ++i) {
    out_dims[i] = dims[perm[i]];
    in_strides[i] = strides[perm[i]];
  }
  tn_cpu_dense_strides(rank, out_dims, out_strides);
  tn_cpu_move(size, rank, out_dims, in, in_strides, out, out_strides, parallel);
}

void tn_cpu_fill(size_t size, int64_t count, const void* value, void* out,
                 const tn_cpu_parallel* parallel) {
  const int64_t in_stride = 0, out_stride = 1;
  tn_cpu_move(size, 1, &count, value, &in_stride, out, &out_stride, parallel);
}

typedef struct concat_job {
  const tn_cpu_part* parts;
  size_t count;
  int64_t row_bytes;
  char* out;
  const tn_stream_loops* stream;  // NULL: the output is written the usual way
} concat_job;

static void stream_rows(const concat_job* job, int64_t begin, int64_t end) {
  char* to = job->out + begin * job->row_bytes;
  for (int64_t row = begin; row < end; ++row)
    for (size_t i = 0; i < job->count; ++i) {
      const int64_t bytes = job->parts[i].row_bytes;
      job->stream->copy((const char*)job->parts[i].data + row * bytes, to, bytes);
      to += bytes;
    }
  job->stream->end();
}

// Short rows go in blocks that the cache holds, part by part.
static void concat_rows(void* arg, int64_t begin, int64_t end) {
  const concat_job* job = arg;
  if (job->stream) {
    stream_rows(job, begin, end);
    return;
  }
  const int64_t block = 32768 / job->row_bytes;
  while (begin < end) {
    const int64_t rows = block < 8 ? 1 : end - begin < block ? end - begin : block;
    char* to = job->out + begin * job->row_bytes;
    for (size_t i = 0; i < job->count; ++i) {
      const int64_t bytes = job->parts[i].row_bytes;
      const char* from = (const char*)job->parts[i].data + begin * bytes;
      if (rows > 1) {
        tn_cpu_move(1, 2, (const int64_t[]){rows, bytes}, from, (const int64_t[]){bytes, 1}, to,
                    (const int64_t[]){job->row_bytes, 1}, NULL);
      } else if (bytes) {
        memcpy(to, from, (size_t)bytes);
      }
      to += bytes;
    }
    begin += rows;
  }
}

// Large outputs whose parts are whole lines of the caches.
static bool is_streamable(const concat_job* job, int64_t rows) {
  bool whole = (uintptr_t)job->out % 64 == 0 && rows * job->row_bytes >= TN_CPU_STREAM_BYTES;
  for (size_t i = 0; i < job->count && whole; ++i) whole = job->parts[i].row_bytes % 64 == 0;
  return whole;
}

// Small parts go row by row, so that the output is written in order; large ones one by one, so that
// threads can share even a single row.
void tn_cpu_concat(int64_t rows, const tn_cpu_part* parts, size_t count, void* out,
                   const tn_cpu_parallel* parallel) {
  const int64_t large = 65536;
  concat_job job = {parts, count, 0, out, NULL};
  for (size_t i = 0; i < count; ++i) job.row_bytes += parts[i].row_bytes;
  if (job.row_bytes == 0) return;
  if (rows >= 8 || job.row_bytes < large) {
    if (is_streamable(&job, rows)) job.stream = TN_CPU_CHOOSE(tn_stream_loops);
    tn_cpu_run(parallel, rows, job.row_bytes / 8 + 10 * (int64_t)count, concat_rows, &job);
    return;
  }
  char* to = out;
  for (size_t i = 0; i < count; ++i) {
    const int64_t bytes = parts[i].row_bytes;
    tn_cpu_move(1, 2, (const int64_t[]){rows, bytes}, parts[i].data, (const int64_t[]){bytes, 1},
                to, (const int64_t[]){job.row_bytes, 1}, parallel);
    to += bytes;
  }
}

// Dimensions in bytes; the last one is a row: `left`, `middle` and `right` bytes.
typedef struct pad_job {
  int rank;  // of the dimensions around the rows
  int64_t before[TN_CPU_MAX_RANK], inside[TN_CPU_MAX_RANK], dims[TN_CPU_MAX_RANK];
  int64_t in_strides[TN_CPU_MAX_RANK];
  int64_t left, middle, right;
  const char* in;
  char* out;
  int64_t pattern_bytes;
  char pattern[1024];  // the value, over and over
} pad_job;

static char* put_padding(const pad_job* job, char* to, int64_t bytes) {
  for (; bytes > job->pattern_bytes; bytes -= job->pattern_bytes, to += job->pattern_bytes)
    memcpy(to, job->pattern, (size_t)job->pattern_bytes);
  memcpy(to, job->pattern, (size_t)bytes);
  return to + bytes;
}

static void pad_rows(void* arg, int64_t begin, int64_t end) {
  const pad_job* job = arg;
  const int64_t row_bytes = job->left + job->middle + job->right;
  for (int64_t row = begin; row < end; ++row) {
    char* to = job->out + row * row_bytes;
    const char* from = job->in;
    bool inside = job->middle > 0;
    int64_t rest = row;
    for (int i = job->rank - 1; i >= 0 && inside; --i) {
      const int64_t at = rest % job->dims[i] - job->before[i];
      rest /= job->dims[i];
      inside = at >= 0 && at < job->inside[i];
      from += at * job->in_strides[i];
    }
    if (inside) {
      if (job->left) to = put_padding(job, to, job->left);
      memcpy(to, from, (size_t)job->middle);
      if (job->right) put_padding(job, to + job->middle, job->right);
    } else {
      put_padding(job, to, row_bytes);
    }
  }
}

void tn_cpu_pad(size_t size, int rank, const int64_t* dims, const int64_t* before,
                const int64_t* after, const void* in, const void* value, void* out,
                const tn_cpu_parallel* parallel) {
  pad_job job;
  job.in = in;
  job.out = out;
  job.pattern_bytes = (int64_t)(sizeof job.pattern / size * size);
  tn_cpu_fill(size, job.pattern_bytes / (int64_t)size, value, job.pattern, NULL);
  job.rank = 0;
  // From the last dimension on: those without padding belong to the row of the next.
  int64_t in_bytes = (int64_t)size, out_bytes = (int64_t)size;
  int i = rank - 1;
  for (; i >= 0 && before[i] == 0 && after[i] == 0; --i) in_bytes *= dims[i];
  job.left = job.right = 0;
  job.middle = in_bytes;
  if (i >= 0) {
    job.left = before[i] * in_bytes;
    job.right = after[i] * in_bytes;
    job.middle = in_bytes = dims[i--] * in_bytes;
  }
  out_bytes = job.left + job.middle + job.right;
  int64_t rows = 1;
  for (int d = 0; d <= i; ++d) {
    job.before[d] = before[d];
    job.inside[d] = dims[d];
    job.dims[d] = before[d] + dims[d] + after[d];
    rows *= job.dims[d];
  }
  job.rank = i + 1;
  for (; i >= 0; in_bytes *= dims[i--]) job.in_strides[i] = in_bytes;
  if (out_bytes == 0 || rows == 0) return;
  if (rows == 1) {
    char* to = out;
    tn_cpu_fill(size, job.left / (int64_t)size, value, to, parallel);
    tn_cpu_move(1, 1, &job.middle, in, (const int64_t[]){1}, to + job.left, (const int64_t[]){1},
                parallel);
    tn_cpu_fill(size, job.right / (int64_t)size, value, to + job.left + job.middle, parallel);
  } else {
    tn_cpu_run(parallel, rows, out_bytes / 8 + 20, pad_rows, &job);
  }
}
