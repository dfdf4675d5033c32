#include "cpu/norm.h"

#include <stdalign.h>

#include "cpu/elementwise_loops.h"
#include "cpu/norm_loops.h"
#include "cpu/parallel.h"

// Elements are visited in strips: some rows of at most LANES columns, whose parameters lie side by
// side. Where channels come last, a row is a row of channels, or several of them when there are
// few; else a row is LANES neighbours of one channel. Sums are made per chunk of `outer`, and the
// chunks, whose number follows from the shape, are added up in order.
enum { LANES = 512, NARROW = 64, WIDENED = 4 * LANES, UNIT = 32768, CHUNKS = 32, PARAMETERS = 4 };

typedef struct norm_job {
  tn_cpu_channels shape;
  const tn_norm_loops* loops;
  void (*widen)(const void* in, float* out, int64_t count);  // or NULL
  void (*narrow)(const float* in, void* out, int64_t count);
  int64_t size, chunks;
  const char *y, *x;  // y: NULL when there is one array only
  char* out;          // NULL: sums are wanted
  const float* parameters[PARAMETERS];
  double* partials;  // [chunks][2][channels]
} norm_job;

typedef struct strip {
  int64_t at;  // its first element
  int64_t stride, rows, width;
} strip;

typedef struct strip_memory {
  alignas(64) float y[WIDENED], x[WIDENED], out[WIDENED];
  alignas(64) float parameters[PARAMETERS][LANES];
  alignas(64) double sums[2][LANES];
} strip_memory;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static void visit_floats(const norm_job* job, strip strip, const float* y, const float* x,
                         float* out, strip_memory* memory) {
  const tn_norm_loops* loops = job->loops;
  float(*const p)[LANES] = memory->parameters;
  if (!out && !y)
    loops->moments(x, strip.stride, strip.rows, strip.width, p[0], memory->sums[0],
                   memory->sums[1]);
  else if (!out)
    loops->sums(y, x, strip.stride, strip.rows, strip.width, p[0], memory->sums[0],
                memory->sums[1]);
  else if (!y)
    loops->scale(x, strip.stride, strip.rows, strip.width, p[0], p[1], p[2], out);
  else
    loops->combine(y, x, strip.stride, strip.rows, strip.width, p[0], p[1], p[2], p[3], out);
}

static void widen_rows(const norm_job* job, strip strip, const char* in, float* out) {
  for (int64_t r = 0; r < strip.rows; ++r)
    job->widen(in + (strip.at + r * strip.stride) * job->size, out + r * strip.width, strip.width);
}

static void visit(const norm_job* job, strip whole, strip_memory* memory) {
  if (!job->widen) {
    visit_floats(job, whole, job->y ? (const float*)job->y + whole.at : NULL,
                 (const float*)job->x + whole.at, job->out ? (float*)job->out + whole.at : NULL,
                 memory);
    return;
  }
  const int64_t fit = WIDENED / whole.width;
  for (int64_t r = 0; r < whole.rows; r += fit) {
    const strip part = {whole.at + r * whole.stride, whole.stride, min_of(fit, whole.rows - r),
                        whole.width};
    const strip dense = {0, whole.width, part.rows, whole.width};
    widen_rows(job, part, job->x, memory->x);
    if (job->y) widen_rows(job, part, job->y, memory->y);
    visit_floats(job, dense, job->y ? memory->y : NULL, memory->x, job->out ? memory->out : NULL,
                 memory);
    for (int64_t i = 0; job->out && i < part.rows; ++i)
      job->narrow(memory->out + i * part.width, job->out + (part.at + i * part.stride) * job->size,
                  part.width);
  }
}

// Makes parameters of `count` channels from `first` on lie side by side, `times` over.
static void load_parameters(const norm_job* job, int64_t first, int64_t count, int64_t times,
                            strip_memory* memory) {
  for (int k = 0; k < PARAMETERS && job->parameters[k]; ++k)
    for (int64_t t = 0; t < times; ++t)
      for (int64_t j = 0; j < count; ++j)
        memory->parameters[k][t * count + j] = job->parameters[k][first + j];
  for (int k = 0; k < 2 && !job->out; ++k)
    memset(memory->sums[k], 0, (size_t)(count * times) * sizeof(double));
}

static void store_sums(const norm_job* job, int64_t chunk, int64_t first, int64_t count,
                       int64_t times, const strip_memory* memory) {
  for (int k = 0; k < 2 && !job->out; ++k) {
    double* to = job->partials + (chunk * 2 + k) * job->shape.channels + first;
    for (int64_t j = 0; j < count; ++j) {
      double sum = 0;
      for (int64_t t = 0; t < times; ++t) sum += memory->sums[k][t * count + j];
      to[j] = sum;
    }
  }
}

// Channels last: rows [begin, end) of the whole.
static void visit_rows(const norm_job* job, int64_t chunk, int64_t begin, int64_t end,
                       strip_memory* memory) {
  const int64_t channels = job->shape.channels, times = channels <= NARROW ? LANES / channels : 1;
  for (int64_t first = 0; first < channels; first += LANES) {
    const int64_t count = min_of(LANES, channels - first);
    load_parameters(job, first, count, times, memory);
    const int64_t whole = (end - begin) / times, rest = (end - begin) % times;
    visit(job, (strip){begin * channels + first, times * channels, whole, times * count}, memory);
    if (rest && times > 1)
      visit(job, (strip){(begin + whole * times) * channels, 0, 1, rest * count}, memory);
    store_sums(job, chunk, first, count, times, memory);
  }
}

// Channels before others: one channel in outer positions [begin, end).
static void visit_channel(const norm_job* job, int64_t chunk, int64_t channel, int64_t begin,
                          int64_t end, strip_memory* memory) {
  const int64_t inner = job->shape.inner, times = min_of(LANES, inner);
  load_parameters(job, channel, 1, times, memory);
  for (int64_t outer = begin; outer < end; ++outer) {
    const int64_t at = (outer * job->shape.channels + channel) * inner;
    const int64_t rows = inner / times, rest = inner % times;
    visit(job, (strip){at, times, rows, times}, memory);
    if (rest) visit(job, (strip){at + rows * times, 0, 1, rest}, memory);
  }
  store_sums(job, chunk, channel, 1, times, memory);
}

static void visit_units(void* arg, int64_t begin, int64_t end) {
  const norm_job* job = arg;
  strip_memory memory;
  const bool last = job->shape.inner == 1;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t chunk = last ? unit : unit / job->shape.channels;
    const int64_t from = job->shape.outer * chunk / job->chunks;
    const int64_t to = job->shape.outer * (chunk + 1) / job->chunks;
    if (last)
      visit_rows(job, chunk, from, to, &memory);
    else
      visit_channel(job, chunk, unit % job->shape.channels, from, to, &memory);
  }
}

static int64_t chunks_of(const tn_cpu_channels* shape) {
  const int64_t elements = shape->outer * shape->channels * shape->inner;
  const int64_t wanted = min_of(min_of(elements / UNIT, CHUNKS), shape->outer);
  return wanted < 1 ? 1 : wanted;
}

static norm_job job_of(const tn_cpu_channels* shape, const void* y, const void* x, void* out) {
  norm_job job = {.shape = *shape,
                  .loops = TN_CPU_CHOOSE(tn_norm_loops),
                  .size = (int64_t)tn_cpu_size(shape->dtype),
                  .chunks = chunks_of(shape),
                  .y = y,
                  .x = x,
                  .out = out};
  if (shape->dtype != TN_FLOAT) {
    job.widen = TN_CPU_CHOOSE(tn_narrow_loops)->widen[shape->dtype];
    job.narrow = TN_CPU_CHOOSE(tn_narrow_loops)->narrow[shape->dtype];
  }
  return job;
}

static void run_units(norm_job* job, const tn_cpu_parallel* parallel) {
  const int64_t units = job->chunks * (job->shape.inner == 1 ? 1 : job->shape.channels);
  const int64_t elements = job->shape.outer * job->shape.channels * job->shape.inner;
  if (elements > 0) tn_cpu_run(parallel, units, elements / units / 2 + 50, visit_units, job);
}

// The workspace: partial sums, then one float per channel.
size_t tn_cpu_channels_workspace(const tn_cpu_channels* shape) {
  return (size_t)(shape->channels * (2 * chunks_of(shape) + 1)) * sizeof(double);
}

static void add_partials(const norm_job* job, double* sum, double* product_sum) {
  const int64_t channels = job->shape.channels;
  for (int64_t c = 0; c < channels; ++c) {
    double sums[2] = {0, 0};
    for (int64_t i = 0; i < job->chunks; ++i)
      for (int k = 0; k < 2; ++k) sums[k] += job->partials[(i * 2 + k) * channels + c];
    sum[c] = sums[0];
    product_sum[c] = sums[1];
  }
}

void tn_cpu_channels_moments(const tn_cpu_channels* shape, const void* x, double* mean,
                             double* variance, void* workspace, const tn_cpu_parallel* parallel) {
  norm_job job = job_of(shape, NULL, x, NULL);
  job.partials = workspace;
  // Distances are taken from each channel's first element, so that a mean that is large against
  // the variance costs no accuracy.
  float* shift = (float*)(job.partials + shape->channels * 2 * job.chunks);
  for (int64_t c = 0; c < shape->channels; ++c) {
    const char* first = job.x + c * shape->inner * job.size;
    if (job.widen)
      job.widen(first, &shift[c], 1);
    else
      shift[c] = *(const float*)first;
  }
  job.parameters[0] = shift;
  run_units(&job, parallel);
  add_partials(&job, mean, variance);
  const double count = (double)(shape->outer * shape->inner);
  for (int64_t c = 0; c < shape->channels; ++c) {
    const double distance = mean[c] / count, spread = variance[c] / count - distance * distance;
    mean[c] = (double)shift[c] + distance;
    variance[c] = spread < 0 ? 0 : spread;
  }
}

void tn_cpu_channels_sums(const tn_cpu_channels* shape, const void* y, const void* x,
                          const float* mean, double* sum, double* product_sum, void* workspace,
                          const tn_cpu_parallel* parallel) {
  norm_job job = job_of(shape, y, x, NULL);
  job.partials = workspace;
  job.parameters[0] = mean;
  run_units(&job, parallel);
  add_partials(&job, sum, product_sum);
}

void tn_cpu_channels_scale(const tn_cpu_channels* shape, const void* x, const float* mean,
                           const float* scale, const float* offset, void* out,
                           const tn_cpu_parallel* parallel) {
  norm_job job = job_of(shape, NULL, x, out);
  job.parameters[0] = mean;
  job.parameters[1] = scale;
  job.parameters[2] = offset;
  run_units(&job, parallel);
}

void tn_cpu_channels_combine(const tn_cpu_channels* shape, const void* y, const void* x,
                             const float* mean, const float* scale, const float* slope,
                             const float* offset, void* out, const tn_cpu_parallel* parallel) {
  norm_job job = job_of(shape, y, x, out);
  job.parameters[0] = mean;
  job.parameters[1] = scale;
  job.parameters[2] = slope;
  job.parameters[3] = offset;
  run_units(&job, parallel);
}
