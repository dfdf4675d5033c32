#include "cpu/elementwise_loops.h"
#include "cpu/math_near_loops.h"
#include "cpu/parallel.h"
#include "cpu/stream_loops.h"

enum {
  CHUNK = TN_CPU_LITTLE,  // elements of the unit of parallel work
  TILE = 1024,            // elements that are spread, gathered, widened or streamed at a time
  WIDEST = 16,            // bytes of an element
  SHORT = 24,             // rows below this are gathered into tiles, several at a time
};

typedef struct job {
  tn_cpu_loop loop;
  const tn_narrow_loops* narrow;
  const tn_stream_loops* stream;  // NULL: the output is written the usual way
  tn_cpu_loop_body streamed;      // NULL, or the loop's own way to write past the caches
  int rank;                       // 1 at least
  int64_t total;
  int64_t dims[TN_CPU_MAX_RANK + 1], strides[TN_CPU_MAX_INPUTS][TN_CPU_MAX_RANK + 1];
  const char* in[TN_CPU_MAX_INPUTS];
  char* out;
} job;

// Merges dimensions that are walked as one in all inputs, drops those of size 1.
static void collapse(job* job, int rank, const int64_t* dims, const int64_t* const* strides) {
  const int inputs = job->loop.inputs;
  int n = 0;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] == 1) continue;
    bool merges = n > 0;
    for (int k = 0; k < inputs; ++k)
      merges = merges && job->strides[k][n - 1] == strides[k][i] * dims[i];
    if (merges) {
      job->dims[n - 1] *= dims[i];
    } else {
      job->dims[n++] = dims[i];
    }
    for (int k = 0; k < inputs; ++k) job->strides[k][n - 1] = strides[k][i];
  }
  if (n == 0) {
    job->dims[n] = 1;
    for (int k = 0; k < inputs; ++k) job->strides[k][n] = 1;
    ++n;
  }
  job->rank = n;
}

// A place in the walk over all elements, the dimensions counted up like an odometer.
typedef struct place {
  int64_t index[TN_CPU_MAX_RANK + 1];
  int64_t at[TN_CPU_MAX_INPUTS];  // offset in elements
} place;

static void go_to(const job* job, int64_t element, place* place) {
  for (int k = 0; k < job->loop.inputs; ++k) place->at[k] = 0;
  for (int i = job->rank - 1; i >= 0; --i) {
    place->index[i] = i ? element % job->dims[i] : element;
    if (i) element /= job->dims[i];
    for (int k = 0; k < job->loop.inputs; ++k) place->at[k] += place->index[i] * job->strides[k][i];
  }
}

// Goes on by `count` elements, not beyond the end of the row.
static void advance(const job* job, int64_t count, place* place) {
  const int inputs = job->loop.inputs;
  int i = job->rank - 1;
  place->index[i] += count;
  for (int k = 0; k < inputs; ++k) place->at[k] += count * job->strides[k][i];
  while (i > 0 && place->index[i] == job->dims[i]) {
    for (int k = 0; k < inputs; ++k)
      place->at[k] += job->strides[k][i - 1] - job->dims[i] * job->strides[k][i];
    place->index[i--] = 0;
    ++place->index[i];
  }
}

typedef struct pair {
  uint64_t words[2];
} pair;
// Does something with the type that has as many bytes as an element.
#define BY_SIZE(size, DO)        \
  switch (size) {                \
    case 1: DO(uint8_t); break;  \
    case 2: DO(uint16_t); break; \
    case 4: DO(uint32_t); break; \
    case 8: DO(uint64_t); break; \
    default: DO(pair); break;    \
  }

// Puts elements that lie `stride` apart (0 repeats one) next to each other.
static void gather(size_t size, const char* from, int64_t stride, char* to, int64_t count) {
#define GATHER(type)                                                                      \
  if (stride == 0) {                                                                      \
    const type same = *(const type*)from;                                                 \
    for (int64_t i = 0; i < count; ++i) ((type*)to)[i] = same;                            \
  } else {                                                                                \
    for (int64_t i = 0; i < count; ++i) ((type*)to)[i] = ((const type*)from)[i * stride]; \
  }
  BY_SIZE(size, GATHER)
}

// Puts every element there `times` times.
static void repeat(size_t size, const char* from, int64_t count, int64_t times, char* to) {
#define REPEAT(type)                                      \
  for (int64_t i = 0; i < count; ++i) {                   \
    const type same = ((const type*)from)[i];             \
    type* target = (type*)to + i * times;                 \
    for (int64_t j = 0; j < times; ++j) target[j] = same; \
  }
  BY_SIZE(size, REPEAT)
}

// Memory of one thread's walk.
typedef struct tiles {
  _Alignas(64) char in[TN_CPU_MAX_INPUTS][TILE * WIDEST];
  _Alignas(64) float wide[TN_CPU_MAX_INPUTS + 1][TILE];
  _Alignas(64) char out[TILE * WIDEST];
  const char* same[TN_CPU_MAX_INPUTS];  // the element that fills the tile, or NULL
} tiles;

// Runs the body on dense inputs in memory.
static void run_body(const job* job, tiles* tiles, const char* const* in, char* out,
                     int64_t count) {
  const tn_cpu_loop* loop = &job->loop;
  if (!loop->narrow) {
    loop->body(in[0], in[1], in[2], out, count);
    return;
  }
  const void* wide[TN_CPU_MAX_INPUTS] = {0};
  for (int k = 0; k < loop->inputs; ++k) {
    wide[k] = in[k];
    if (loop->in_size[k] != 2) continue;
    job->narrow->widen[loop->narrow](in[k], tiles->wide[k], count);
    wide[k] = tiles->wide[k];
  }
  if (loop->out_size != 2) {
    loop->body(wide[0], wide[1], wide[2], out, count);
    return;
  }
  float* result = tiles->wide[TN_CPU_MAX_INPUTS];
  loop->body(wide[0], wide[1], wide[2], result, count);
  job->narrow->narrow[loop->narrow](result, out, count);
}

// The same; at most TILE elements if the loop is narrow or the output streamed.
static void run_dense(const job* job, tiles* tiles, const char* const* in, char* out,
                      int64_t count) {
  if (!job->stream) {
    run_body(job, tiles, in, out, count);
    return;
  }
  run_body(job, tiles, in, tiles->out, count);
  job->stream->copy(tiles->out, out, count * job->loop.out_size);
}

// `count` elements of one row.
static void run_row(const job* job, tiles* tiles, const place* place, char* out, int64_t count) {
  const tn_cpu_loop* loop = &job->loop;
  const int last = job->rank - 1;
  if (job->streamed) {
    job->streamed(job->in[0] + place->at[0] * loop->in_size[0], NULL, NULL, out, count);
    return;
  }
  bool dense = !loop->narrow && !job->stream;
  for (int k = 0; k < loop->inputs; ++k) dense = dense && job->strides[k][last] == 1;
  const int64_t step = dense ? count : TILE;
  for (int64_t done = 0; done < count; done += step) {
    const int64_t some = count - done < step ? count - done : step;
    const char* in[TN_CPU_MAX_INPUTS] = {0};
    for (int k = 0; k < loop->inputs; ++k) {
      const int64_t size = loop->in_size[k], stride = job->strides[k][last];
      const char* from = job->in[k] + (place->at[k] + done * stride) * size;
      in[k] = stride == 1 ? from : tiles->in[k];
      if (stride == 1 || (stride == 0 && from == tiles->same[k])) continue;
      // A tile of one element is filled whole, for the next rows; unless there are none.
      const bool whole = stride == 0 && (count > TILE || job->rank > 1);
      gather((size_t)size, from, stride, tiles->in[k], whole ? TILE : some);
      tiles->same[k] = whole ? from : NULL;
    }
    run_dense(job, tiles, in, out + done * loop->out_size, some);
  }
}

// Up to TILE elements of rows that are too few to be worth more; returns how many.
static int64_t run_few_rows(const job* job, tiles* tiles, place* place, char* out, int64_t count) {
  const tn_cpu_loop* loop = &job->loop;
  const int last = job->rank - 1;
  int64_t done = 0;
  if (count > TILE) count = TILE;
  while (done < count) {
    int64_t some = job->dims[last] - place->index[last];
    if (some > count - done) some = count - done;
    for (int k = 0; k < loop->inputs; ++k) {
      const int64_t size = loop->in_size[k];
      gather((size_t)size, job->in[k] + place->at[k] * size, job->strides[k][last],
             tiles->in[k] + done * size, some);
    }
    advance(job, some, place);
    done += some;
  }
  const char* in[] = {tiles->in[0], tiles->in[1], tiles->in[2]};
  for (int k = 0; k < loop->inputs; ++k) tiles->same[k] = NULL;
  run_dense(job, tiles, in, out, done);
  return done;
}

// Moves on by `rows` whole rows, not beyond the end of the dimension before.
static void advance_rows(const job* job, int64_t rows, place* place) {
  const int above = job->rank - 2;
  for (int k = 0; k < job->loop.inputs; ++k) place->at[k] += (rows - 1) * job->strides[k][above];
  place->index[above] += rows - 1;
  advance(job, job->dims[above + 1], place);
}

// The elements of `rows` short rows of one input, next to each other.
static const char* gather_rows(const job* job, tiles* tiles, const place* place, int k,
                               int64_t rows) {
  const int last = job->rank - 1;
  const int64_t size = job->loop.in_size[k], width = job->dims[last];
  const int64_t stride = job->strides[k][last], row_stride = job->strides[k][last - 1];
  const char* from = job->in[k] + place->at[k] * size;
  if (stride == 1 && row_stride == width) return from;
  if (row_stride == 0 && tiles->same[k] == from) return tiles->in[k];
  const int64_t all = TILE / width;
  tiles->same[k] = row_stride == 0 ? from : NULL;
  if (stride == 0 && row_stride == 1) {
    repeat((size_t)size, from, rows, width, tiles->in[k]);
    return tiles->in[k];
  }
  // A row that repeats is there once, then as often as fits.
  for (int64_t r = 0; r < (row_stride == 0 ? 1 : rows); ++r)
    gather((size_t)size, from + r * row_stride * size, stride, tiles->in[k] + r * width * size,
           width);
  if (row_stride == 0)
    for (int64_t have = 1, more; have < all; have += more) {
      more = have < all - have ? have : all - have;
      memcpy(tiles->in[k] + have * width * size, tiles->in[k], (size_t)(more * width * size));
    }
  return tiles->in[k];
}

// As many of the short rows that begin here as a tile holds; returns how many elements these are.
static int64_t run_rows(const job* job, tiles* tiles, place* place, char* out, int64_t count) {
  const int last = job->rank - 1;
  const int64_t width = job->dims[last];
  int64_t rows = job->dims[last - 1] - place->index[last - 1];
  if (rows > count / width) rows = count / width;
  if (rows > TILE / width) rows = TILE / width;
  const char* in[TN_CPU_MAX_INPUTS] = {0};
  for (int k = 0; k < job->loop.inputs; ++k) in[k] = gather_rows(job, tiles, place, k, rows);
  run_dense(job, tiles, in, out, rows * width);
  advance_rows(job, rows, place);
  return rows * width;
}

static void run_chunks(void* arg, int64_t begin, int64_t end) {
  const job* job = arg;
  const int last = job->rank - 1;
  begin *= CHUNK;
  end *= CHUNK;
  if (end > job->total) end = job->total;
  tiles tiles;
  for (int k = 0; k < TN_CPU_MAX_INPUTS; ++k) tiles.same[k] = NULL;
  place place;
  go_to(job, begin, &place);
  const bool many = last > 0 && job->dims[last - 1] >= SHORT;
  while (begin < end) {
    char* out = job->out + begin * job->loop.out_size;
    if (last > 0 && job->dims[last] < SHORT) {
      const int64_t left = end - begin, rest = job->dims[last] - place.index[last];
      if (many && place.index[last] == 0 && rest <= left) {
        begin += run_rows(job, &tiles, &place, out, left);
      } else {
        begin += run_few_rows(job, &tiles, &place, out, many && rest < left ? rest : left);
      }
      continue;
    }
    int64_t some = job->dims[last] - place.index[last];
    if (some > end - begin) some = end - begin;
    run_row(job, &tiles, &place, out, some);
    advance(job, some, &place);
    begin += some;
  }
  if (job->stream) job->stream->end();
}

static bool worth_streaming(const job* job) {
  if (job->total * job->loop.out_size < TN_CPU_STREAM_BYTES) return false;
  for (int k = 0; k < job->loop.inputs; ++k)
    if (job->in[k] == job->out) return false;
  return true;
}

// For loops of one input, into memory that begins at a line of the caches.
static tn_cpu_loop_body streamed_of(const job* job) {
  const tn_math_near_loops* near = TN_CPU_CHOOSE(tn_math_near_loops);
  if (job->rank > 1 || job->strides[0][0] != 1 || job->loop.narrow || (uintptr_t)job->out % 64)
    return NULL;
  for (int op = 0; op < TN_CPU_MATH_OPS; ++op)
    if (near->bodies[op] == job->loop.body) return near->streamed[op];
  return NULL;
}

static void run_job(job* job, const tn_cpu_parallel* parallel) {
  job->narrow = TN_CPU_CHOOSE(tn_narrow_loops);
  job->stream = worth_streaming(job) ? TN_CPU_CHOOSE(tn_stream_loops) : NULL;
  job->streamed = job->stream ? streamed_of(job) : NULL;
  tn_cpu_run(parallel, (job->total + CHUNK - 1) / CHUNK, CHUNK * job->loop.cost / 1000, run_chunks,
             job);
}

void tn_cpu_map(tn_cpu_loop loop, int64_t count, const void* in, void* out,
                const tn_cpu_parallel* parallel) {
  if (tn_cpu_is_little(loop, count)) {
    loop.body(in, NULL, NULL, out, count);
    return;
  }
  job job;
  job.loop = loop;
  job.total = count;
  job.rank = 1;
  job.dims[0] = count;
  job.strides[0][0] = 1;
  job.in[0] = in;
  job.out = out;
  run_job(&job, parallel);
}

// Little, dense and native: nothing to do but to run the body.
static bool is_plain(tn_cpu_loop loop, int rank, const int64_t* dims,
                     const int64_t* const* strides) {
  if (rank != 1 || !tn_cpu_is_little(loop, dims[0])) return false;
  for (int k = 0; k < loop.inputs; ++k)
    if (strides[k][0] != 1) return false;
  return true;
}

void tn_cpu_zip(tn_cpu_loop loop, int rank, const int64_t* dims, const void* const* in,
                const int64_t* const* strides, void* out, const tn_cpu_parallel* parallel) {
  if (is_plain(loop, rank, dims, strides)) {
    loop.body(in[0], loop.inputs > 1 ? in[1] : NULL, loop.inputs > 2 ? in[2] : NULL, out, dims[0]);
    return;
  }
  job job;
  job.loop = loop;
  job.total = 1;
  for (int i = 0; i < rank; ++i) job.total *= dims[i];
  if (job.total == 0) return;
  for (int k = 0; k < loop.inputs; ++k) job.in[k] = in[k];
  job.out = out;
  collapse(&job, rank, dims, strides);
  run_job(&job, parallel);
}

tn_cpu_loop tn_cpu_loop_of(const tn_cpu_bodies bodies, int inputs, tn_dtype dtype, size_t out_size,
                           int cost) {
  const size_t size = tn_cpu_size(dtype);
  const bool narrow = !bodies[dtype] && (dtype == TN_HALF || dtype == TN_BFLOAT16);
  return (tn_cpu_loop){
      .body = bodies[narrow ? TN_FLOAT : dtype],
      .inputs = (uint8_t)inputs,
      .in_size = {(uint8_t)size, inputs > 1 ? (uint8_t)size : 0, inputs > 2 ? (uint8_t)size : 0},
      .out_size = (uint8_t)(out_size ? out_size : size),
      .narrow = narrow ? (uint8_t)dtype : 0,
      .cost = (uint16_t)(size > 4 ? (size_t)cost * size / 4 : (size_t)cost)};
}
