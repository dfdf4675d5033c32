// One routine behind transposes, slices, joins, tiles and fills: elements go from one strided array
// to another. The dimensions are first sorted and merged until what is left is the real shape of
// the work; then the two innermost ones make planes, of which there are four kinds.

#include <stdlib.h>
#include <string.h>

#include "cpu/layout.h"
#include "cpu/parallel.h"

// Tensors may lie at odd addresses.
typedef uint8_t e1;
typedef uint16_t __attribute__((aligned(1), may_alias)) e2;
typedef uint32_t __attribute__((aligned(1), may_alias)) e4;
typedef uint64_t __attribute__((aligned(1), may_alias)) e8;
typedef uint64_t __attribute__((vector_size(16), aligned(1), may_alias)) e16;
#define EACH_SIZE(X) X(1) X(2) X(4) X(8) X(16)

// Strides count bytes.
typedef struct axis {
  int64_t count, in, out;
} axis;

// Moves a.count times b.count elements, `a` and `b` being parts of the job's plane.
typedef void (*plane_function)(int64_t size, axis a, axis b, const char* in, char* out);

enum { UNIT = 65536 };  // bytes, more or less, that a thread takes at once

typedef struct move_job {
  int64_t size;
  axis a, b;  // the plane
  int64_t a_block, b_block;
  plane_function plane;
  int rank;                              // of what is around the plane
  axis around[2 * TN_CPU_MAX_RANK + 2];  // its last two dimensions are the plane's blocks
  const char* in;
  char* out;
} move_job;

static inline void copy_short(char* to, const char* from, int64_t bytes) {
  if (bytes >= 16) {
    *(e16*)to = *(const e16*)from;
    *(e16*)(to + bytes - 16) = *(const e16*)(from + bytes - 16);
  } else if (bytes >= 8) {
    *(e8*)to = *(const e8*)from;
    *(e8*)(to + bytes - 8) = *(const e8*)(from + bytes - 8);
  } else if (bytes >= 4) {
    *(e4*)to = *(const e4*)from;
    *(e4*)(to + bytes - 4) = *(const e4*)(from + bytes - 4);
  } else {
    to[0] = from[0];
    to[bytes / 2] = from[bytes / 2];
    to[bytes - 1] = from[bytes - 1];
  }
}

// Rows of b.count bytes. A row that repeats is doubled until it fills a good part of the cache.
static void plane_rows(int64_t size, axis a, axis b, const char* in, char* out) {
  if (a.in == 0 && a.out == b.count) {
    const int64_t total = a.count * b.count;
    const int64_t enough = b.count < 8192 ? 8192 / b.count * b.count : b.count;
    memcpy(out, in, (size_t)b.count);
    for (int64_t done = b.count; done < total;) {
      int64_t next = done < enough ? done : enough;
      if (next > total - done) next = total - done;
      memcpy(out + done, out, (size_t)next);
      done += next;
    }
  } else if (b.count <= 32) {
    for (int64_t i = 0; i < a.count; ++i) copy_short(out + i * a.out, in + i * a.in, b.count);
  } else {
    for (int64_t i = 0; i < a.count; ++i) memcpy(out + i * a.out, in + i * a.in, (size_t)b.count);
  }
}

// Elements at any distance.
#define STRIDED(size)                                                                      \
  static inline void line_##size(axis b, const char* in, char* out) {                      \
    if (b.out == size && b.in == 0) {                                                      \
      const e##size value = *(const e##size*)in;                                           \
      for (int64_t j = 0; j < b.count; ++j) ((e##size*)out)[j] = value;                    \
    } else if (b.out == size && b.in == -size) {                                           \
      for (int64_t j = 0; j < b.count; ++j) ((e##size*)out)[j] = ((const e##size*)in)[-j]; \
    } else {                                                                               \
      for (int64_t j = 0; j < b.count; ++j)                                                \
        *(e##size*)(out + j * b.out) = *(const e##size*)(in + j * b.in);                   \
    }                                                                                      \
  }                                                                                        \
  static void strided_##size(int64_t unused, axis a, axis b, const char* in, char* out) {  \
    for (int64_t i = 0; i < a.count; ++i) line_##size(b, in + i * a.in, out + i * a.out);  \
  }
EACH_SIZE(STRIDED)

// Transposing: the input is dense along `a`, the output along `b`. Squares of vectors are
// transposed in registers, by interleaving the first half of them with the second log2(N) times.
typedef uint8_t v1 __attribute__((vector_size(16)));
typedef uint16_t v2 __attribute__((vector_size(16)));
typedef uint32_t v4 __attribute__((vector_size(16)));
typedef uint64_t v8 __attribute__((vector_size(16)));
#define LOW_1(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(a, b) \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_8(a, b) __builtin_shufflevector(a, b, 0, 2)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 1, 3)

#define SQUARE(size)                                                                             \
  static inline void square_##size(const char* in, int64_t in_row, char* out, int64_t out_row) { \
    enum { N = 16 / size };                                                                      \
    v##size rows[N], next[N];                                                                    \
    for (int i = 0; i < N; ++i) memcpy(&rows[i], in + i * in_row, 16);                           \
    for (int step = 1; step < N; step *= 2) {                                                    \
      for (int i = 0; i < N / 2; ++i) {                                                          \
        next[2 * i] = LOW_##size(rows[i], rows[i + N / 2]);                                      \
        next[2 * i + 1] = HIGH_##size(rows[i], rows[i + N / 2]);                                 \
      }                                                                                          \
      for (int i = 0; i < N; ++i) rows[i] = next[i];                                             \
    }                                                                                            \
    for (int i = 0; i < N; ++i) memcpy(out + i * out_row, &rows[i], 16);                         \
  }
SQUARE(1)
SQUARE(2)
SQUARE(4)
SQUARE(8)

static inline void square_16(const char* in, int64_t in_row, char* out, int64_t out_row) {
  memcpy(out, in, 16);
}

// The rows of a large array go through a buffer in which they lie side by side: when they are a
// large power of two apart, the cache cannot hold them all at once. The output's are fetched ahead,
// since no two of those that are written together follow each other.
enum { BLOCK = 64, BUFFER = 16384 };

#define TRANSPOSE(size)                                                                           \
  static void transpose_##size(int64_t unused, axis a, axis b, const char* in, char* out) {       \
    enum { N = 16 / size };                                                                       \
    _Alignas(64) char buffer[BUFFER];                                                             \
    int64_t row = b.in;                                                                           \
    const bool large = row < 0 || row * b.count > 2 * BUFFER;                                     \
    if (large) {                                                                                  \
      row = a.count * size;                                                                       \
      for (int64_t j = 0; j < b.count; ++j) memcpy(buffer + j * row, in + j * b.in, (size_t)row); \
      in = buffer;                                                                                \
    }                                                                                             \
    const int64_t a_whole = a.count / N * N, b_whole = b.count / N * N;                           \
    for (int64_t i = 0; i < a_whole; i += N) {                                                    \
      for (int64_t next = i + N; large && next < i + 2 * N && next < a.count; ++next)             \
        for (int64_t line = 0; line < b.count * size; line += 64)                                 \
          __builtin_prefetch(out + next * a.out + line, 1);                                       \
      for (int64_t j = 0; j < b_whole; j += N)                                                    \
        square_##size(in + j * row + i * size, row, out + i * a.out + j * size, a.out);           \
    }                                                                                             \
    for (int64_t i = 0; i < a.count; ++i)                                                         \
      for (int64_t j = i < a_whole ? b_whole : 0; j < b.count; ++j)                               \
        memcpy(out + i * a.out + j * size, in + j * row + i * size, size);                        \
  }
EACH_SIZE(TRANSPOSE)

// Merged dimensions, longest output stride first; returns how many.
static int sort_and_merge(axis* axes, int count) {
  for (int i = 1; i < count; ++i) {
    const axis moved = axes[i];
    int to = i;
    for (; to > 0 && axes[to - 1].out < moved.out; --to) axes[to] = axes[to - 1];
    axes[to] = moved;
  }
  int n = 0;
  for (int i = 0; i < count; ++i) {
    axis* last = &axes[n - 1];
    if (n > 0 && last->in == axes[i].in * axes[i].count &&
        last->out == axes[i].out * axes[i].count) {
      last->count *= axes[i].count;
      last->in = axes[i].in;
      last->out = axes[i].out;
    } else {
      axes[n++] = axes[i];
    }
  }
  return n;
}

static int64_t blocks_of(int64_t count, int64_t block) { return (count + block - 1) / block; }

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

// The element that is moved at once: a dense innermost dimension joins it. Returns how many
// dimensions are left.
static int widen(move_job* job, const axis* axes, int n) {
  if (n > 0 && axes[n - 1].in == job->size && axes[n - 1].out == job->size)
    job->size *= axes[--n].count;
  return n;
}

// The input's dense dimension, if moving along it and along the output's is a transpose wide enough
// for vectors; -1 if not.
static int transposed_axis(const move_job* job, const axis* axes, int n) {
  const int64_t width = 16 / job->size;
  if (job->b.out != job->size || job->b.in == 0 || job->b.count < width) return -1;
  for (int i = 0; i < n; ++i)
    if (axes[i].in == job->size) return axes[i].count >= width ? i : -1;
  return -1;
}

// Picks the plane out of the `n` merged dimensions, and the function that moves it.
static void plan(move_job* job, axis* axes, int n) {
  static const plane_function strided[] = {strided_1, strided_2, strided_4, strided_8, strided_16};
  static const plane_function transposed[] = {transpose_1, transpose_2, transpose_4, transpose_8,
                                              transpose_16};
  int a = -1;
  n = widen(job, axes, n);
  const int64_t size = job->size;
  if (size > 16 || (size & (size - 1)) != 0) {
    job->plane = plane_rows;
    job->b = (axis){size, 1, 1};
    job->b_block = 4 * UNIT;
    a = n - 1;
    job->a = n ? axes[a] : (axis){1, 0, 0};
    job->a_block = at_least_one(UNIT / size);
  } else {
    const int table = __builtin_ctzll((uint64_t)size);
    job->b = n ? axes[--n] : (axis){1, size, size};
    a = transposed_axis(job, axes, n);
    if (a >= 0) {
      job->plane = transposed[table];
      job->a = axes[a];
      job->b_block = size == 16 ? BLOCK / 2 : BLOCK;
      job->a_block = BUFFER / size / job->b_block;
    } else {
      job->plane = strided[table];
      a = n - 1;
      job->a = n ? axes[a] : (axis){1, 0, 0};
      if (job->b.count < 8 && job->a.count > job->b.count) {  // the long loop goes inside
        const axis b = job->b;
        job->b = job->a;
        job->a = b;
      }
      const int64_t reach = llabs(job->b.in) > job->b.out ? llabs(job->b.in) : job->b.out;
      job->b_block = at_least_one(UNIT / 2 / reach);
      if (job->b_block < 64) job->b_block = 64;
      job->a_block =
          at_least_one(UNIT / size / (job->b.count < job->b_block ? job->b.count : job->b_block));
    }
  }
  job->rank = 0;
  for (int i = 0; i < n; ++i)
    if (i != a) job->around[job->rank++] = axes[i];
  job->around[job->rank++] = (axis){blocks_of(job->a.count, job->a_block), job->a_block * job->a.in,
                                    job->a_block * job->a.out};
  job->around[job->rank++] = (axis){blocks_of(job->b.count, job->b_block), job->b_block * job->b.in,
                                    job->b_block * job->b.out};
}

static int64_t part(int64_t count, int64_t block, int64_t index) {
  const int64_t left = count - index * block;
  return left < block ? left : block;
}

static void move_units(void* arg, int64_t begin, int64_t end) {
  const move_job* job = arg;
  const int rank = job->rank;
  int64_t index[2 * TN_CPU_MAX_RANK + 2], rest = begin;
  const char* in = job->in;
  char* out = job->out;
  for (int i = rank - 1; i >= 0; --i) {
    index[i] = rest % job->around[i].count;
    rest /= job->around[i].count;
    in += index[i] * job->around[i].in;
    out += index[i] * job->around[i].out;
  }
  for (int64_t unit = begin; unit < end; ++unit) {
    axis a = job->a, b = job->b;
    a.count = part(a.count, job->a_block, index[rank - 2]);
    b.count = part(b.count, job->b_block, index[rank - 1]);
    job->plane(job->size, a, b, in, out);
    for (int i = rank - 1; i >= 0; --i) {
      in += job->around[i].in;
      out += job->around[i].out;
      if (++index[i] < job->around[i].count) break;
      in -= job->around[i].in * job->around[i].count;
      out -= job->around[i].out * job->around[i].count;
      index[i] = 0;
    }
  }
}

void tn_cpu_move(size_t size, int rank, const int64_t* dims, const void* in,
                 const int64_t* in_strides, void* out, const int64_t* out_strides,
                 const tn_cpu_parallel* parallel) {
  axis axes[2 * TN_CPU_MAX_RANK];
  int n = 0;
  const int64_t bytes = (int64_t)size;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] == 0) return;
    if (dims[i] == 1) continue;
    axes[n] = (axis){dims[i], in_strides[i] * bytes, out_strides[i] * bytes};
    if (axes[n].out < 0) {  // walked from its other end
      in = (const char*)in + (dims[i] - 1) * axes[n].in;
      out = (char*)out + (dims[i] - 1) * axes[n].out;
      axes[n].in = -axes[n].in;
      axes[n].out = -axes[n].out;
    }
    ++n;
  }
  move_job job;  // large, and filled in only as far as it is used
  job.size = bytes;
  job.in = in;
  job.out = out;
  plan(&job, axes, sort_and_merge(axes, n));
  int64_t units = 1;
  for (int i = 0; i < job.rank; ++i) units *= job.around[i].count;
  const int64_t a = job.a.count < job.a_block ? job.a.count : job.a_block;
  const int64_t b = job.b.count < job.b_block ? job.b.count : job.b_block;
  const int64_t cost = a * b * (job.plane == plane_rows ? 1 : job.size) / 8 + 10;
  tn_cpu_run(parallel, units, cost, move_units, &job);
}
