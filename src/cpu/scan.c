#include "cpu/scan.h"

#include <stdalign.h>

#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"
#include "cpu/scan_loops.h"

// [outer, depth, inner] in tiles of COLUMNS of inner. Long runs of neighbours are cut into chunks:
// first each chunk's total, then each chunk with the totals before it.
enum { COLUMNS = 512, WIDENED = 2048, CHUNK = 16384, ACC = 16 };

typedef struct scan_job {
  tn_scan scan;
  void (*widen)(const void* in, float* out, int64_t count);  // or NULL
  void (*narrow)(const float* in, void* out, int64_t count);
  bool exclusive, reverse;
  int64_t size, outer, depth, inner, tiles, chunks, cost;
  const char* in;
  char* out;
  char* totals;  // [outer][chunks], ACC bytes each
} scan_job;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

// `rows` rows from `row` on (in the order of the scan) of `width` columns from `column` on.
static void scan_rows(const scan_job* job, int64_t outer, int64_t row, int64_t rows, int64_t column,
                      int64_t width, void* acc) {
  const int step = job->reverse ? -1 : 1;
  const int64_t first = job->reverse ? job->depth - 1 - row : row;
  const int64_t at = ((outer * job->depth + first) * job->inner + column) * job->size;
  if (job->inner == 1)
    job->scan.run(job->in + at, job->out + at, rows, step, job->exclusive, acc);
  else
    job->scan.columns(job->in + at, job->out + at, step * job->inner, rows, width, job->exclusive,
                      acc);
}

// The same through float. Rows that are whole neighbours are taken several at a time.
static void scan_narrow_rows(const scan_job* job, int64_t outer, int64_t row, int64_t rows,
                             int64_t column, int64_t width, void* acc) {
  alignas(64) float in[WIDENED], out[WIDENED];
  const int64_t fit = width == job->inner ? WIDENED / width : 1;
  const int step = job->reverse ? -1 : 1;
  for (int64_t r = 0; r < rows; r += fit) {
    const int64_t some = min_of(fit, rows - r), count = some * width;
    const int64_t lowest = job->reverse ? job->depth - row - r - some : row + r;
    const int64_t at = ((outer * job->depth + lowest) * job->inner + column) * job->size;
    const int64_t first = job->reverse ? count - width : 0;
    job->widen(job->in + at, in, count);
    if (job->inner == 1)
      job->scan.run(in + first, out + first, some, step, job->exclusive, acc);
    else
      job->scan.columns(in + first, out + first, step * width, some, width, job->exclusive, acc);
    job->narrow(out, job->out + at, count);
  }
}

static void scan_some(const scan_job* job, int64_t outer, int64_t row, int64_t rows, int64_t column,
                      int64_t width, void* acc) {
  (job->widen ? scan_narrow_rows : scan_rows)(job, outer, row, rows, column, width, acc);
}

static void scan_units(void* arg, int64_t begin, int64_t end) {
  const scan_job* job = arg;
  alignas(64) char acc[COLUMNS * ACC];
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t column = unit % job->tiles * COLUMNS;
    const int64_t width = min_of(COLUMNS, job->inner - column);
    job->scan.begin(acc, width);
    scan_some(job, unit / job->tiles, 0, job->depth, column, width, acc);
  }
}

static void total_chunks(void* arg, int64_t begin, int64_t end) {
  const scan_job* job = arg;
  float widened[WIDENED];
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t outer = unit / job->chunks, row = unit % job->chunks * CHUNK;
    const int64_t rows = min_of(CHUNK, job->depth - row);
    const int64_t lowest = job->reverse ? job->depth - row - rows : row;
    const char* in = job->in + (outer * job->depth + lowest) * job->size;
    char* acc = job->totals + unit * ACC;
    job->scan.begin(acc, 1);
    if (!job->widen) {
      job->scan.total(in, rows, acc);
      continue;
    }
    for (int64_t r = 0; r < rows; r += WIDENED) {
      const int64_t some = min_of(WIDENED, rows - r);
      job->widen(in + r * job->size, widened, some);
      job->scan.total(widened, some, acc);
    }
  }
}

static void scan_chunks(void* arg, int64_t begin, int64_t end) {
  const scan_job* job = arg;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t row = unit % job->chunks * CHUNK;
    scan_some(job, unit / job->chunks, row, min_of(CHUNK, job->depth - row), 0, 1,
              job->totals + unit * ACC);
  }
}

// What comes before each chunk, in place of its total.
static void carry_totals(const scan_job* job) {
  for (int64_t outer = 0; outer < job->outer; ++outer) {
    char* totals = job->totals + outer * job->chunks * ACC;
    alignas(16) char before[ACC], total[ACC];
    job->scan.begin(before, 1);
    for (int64_t chunk = 0; chunk < job->chunks; ++chunk) {
      memcpy(total, totals + chunk * ACC, ACC);
      memcpy(totals + chunk * ACC, before, ACC);
      job->scan.merge(before, total);
    }
  }
}

static bool in_chunks(int64_t outer, int64_t depth, int64_t inner) {
  return inner == 1 && depth >= 4 * CHUNK && outer < 16;
}

size_t tn_cpu_scan_workspace(int64_t outer, int64_t depth, int64_t inner) {
  return in_chunks(outer, depth, inner) ? (size_t)(outer * ((depth + CHUNK - 1) / CHUNK)) * ACC : 0;
}

void tn_cpu_scan(tn_cpu_scan_op op, tn_dtype dtype, bool exclusive, bool reverse, int64_t outer,
                 int64_t depth, int64_t inner, const void* in, void* out, void* workspace,
                 const tn_cpu_parallel* parallel) {
  scan_job job = {.exclusive = exclusive,
                  .reverse = reverse,
                  .size = (int64_t)tn_cpu_size(dtype),
                  .outer = outer,
                  .depth = depth,
                  .inner = inner,
                  .tiles = (inner + COLUMNS - 1) / COLUMNS,
                  .chunks = (depth + CHUNK - 1) / CHUNK,
                  .cost = op == TN_CPU_CUMLOGSUMEXP ? 20 : 1,
                  .in = in,
                  .out = out,
                  .totals = workspace};
  if (dtype == TN_HALF || dtype == TN_BFLOAT16) {
    job.widen = TN_CPU_CHOOSE(tn_narrow_loops)->widen[dtype];
    job.narrow = TN_CPU_CHOOSE(tn_narrow_loops)->narrow[dtype];
    dtype = TN_FLOAT;
  }
  job.scan = TN_CPU_CHOOSE(tn_scan_loops)->scan[op][dtype];
  if (job.scan.total && in_chunks(outer, depth, inner)) {
    tn_cpu_run(parallel, outer * job.chunks, CHUNK / 8, total_chunks, &job);
    carry_totals(&job);
    tn_cpu_run(parallel, outer * job.chunks, CHUNK / 3, scan_chunks, &job);
  } else {
    tn_cpu_run(parallel, outer * job.tiles, depth * min_of(inner, COLUMNS) * job.cost / 2 + 20,
               scan_units, &job);
  }
}
