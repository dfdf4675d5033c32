#include "cpu/depthwise.h"

#include <string.h>

#include "cpu/cast_loops.h"
#include "cpu/depthwise_loops.h"
#include "cpu/elementwise.h"
#include "cpu/parallel.h"

// Whatever the multiplier, there are as many lanes as output channels, each with one filter: input
// channels are repeated, their gradients added up. Half and bfloat16 go through copies in float.

// Along rows or columns, output `first_out + i * out_move` has taps k < taps at sources
// first + i * move + k * tap, as far as these are in [0, size), with filter first_filter +
// k * filter_move.
typedef struct track {
  int64_t count, first_out, out_move;
  int64_t size, first, move, tap, taps;
  int64_t first_filter, filter_move;
} track;

static int64_t divisor(int64_t a, int64_t b) { return b == 0 ? a : divisor(b, a % b); }

static track track_forward(int64_t out, int64_t in, int64_t window, int64_t stride,
                           int64_t dilation, int64_t before) {
  return (track){out, 0, 1, in, -before, stride, dilation, window, 0, 1};
}

// Of the inputs, those that are `phase` above a multiple of the stride: they have the same taps.
static track track_backward(int64_t out, int64_t in, int64_t window, int64_t stride,
                            int64_t dilation, int64_t before, int64_t phase) {
  const int64_t step = stride / divisor(stride, dilation);
  int64_t first = 0;
  const int64_t most = step < window ? step : window;
  while (first < most && (phase + before - first * dilation) % stride != 0) ++first;
  const int64_t taps = first < most ? (window - 1 - first) / step + 1 : 0;
  return (track){(in - phase + stride - 1) / stride,
                 phase,
                 stride,
                 out,
                 (phase + before - first * dilation) / stride,
                 1,
                 -(step * dilation / stride),
                 taps,
                 first,
                 step};
}

typedef struct span {
  int64_t begin, end;
} span;

// The taps of output i that are there.
static span find_taps(const track* t, int64_t i) {
  const int64_t at = t->first + i * t->move, tap = t->tap < 0 ? -t->tap : t->tap;
  // at + k * tap in [0, size), counted from whichever end the taps walk away from.
  const int64_t from = t->tap < 0 ? t->size - 1 - at : at;
  span taps = {from < 0 ? (-from + tap - 1) / tap : 0,
               from < t->size ? (t->size - 1 - from) / tap + 1 : 0};
  if (taps.end > t->taps) taps.end = t->taps;
  if (taps.begin >= taps.end) taps = (span){0, 0};
  return taps;
}

// The last output that has all taps, if there is one.
static int64_t last_whole(const track* t) {
  const int64_t reach = t->tap < 0 ? 0 : (t->taps - 1) * t->tap;
  return (t->size - 1 - reach - t->first) / t->move;
}

typedef struct depth_job {
  const tn_cpu_window* w;
  const tn_depthwise_loops* loops;
  tn_dtype dtype;  // float or double, or bfloat16
  int64_t size;    // of elements in memory
  int64_t lanes, strips, strip;
  const char *in, *filter, *grad;
  char* out;
  bool backward;
  int64_t rows, columns, in_rows, in_columns;  // of what is computed, and of what it is made of
  int64_t pieces;
  int64_t tile;                 // lanes of a tile, where there are tiles
  tn_unary_loop widen, narrow;  // of elements in memory, where these are not what is computed in
} depth_job;

static void run_row(const depth_job* job, const track* columns, int64_t begin, int64_t end,
                    span taps, tn_depthwise_row row, const char* in, const char* filter,
                    int64_t count, char* out) {
  const int64_t at = columns->first + begin * columns->move + taps.begin * columns->tap;
  const int64_t tap = columns->first_filter + taps.begin * columns->filter_move;
  const int64_t to = columns->first_out + begin * columns->out_move;
  row.pixels = end - begin;
  row.taps = taps.end - taps.begin;
  job->loops->row[job->dtype](in + at * job->lanes * job->size,
                              filter + tap * job->lanes * job->size, row, count,
                              out + to * job->lanes * job->size);
}

// All columns of a row: those with the same taps together.
static void run_columns(const depth_job* job, const track* columns, tn_depthwise_row row,
                        const char* in, const char* filter, int64_t count, char* out) {
  row.in_step = columns->move * job->lanes;
  row.out_step = columns->out_move * job->lanes;
  row.tap_step = columns->tap * job->lanes;
  row.filter_tap_step = columns->filter_move * job->lanes;
  for (int64_t begin = 0; begin < columns->count;) {
    const span taps = find_taps(columns, begin);
    int64_t end = begin + 1;
    if (taps.end - taps.begin == columns->taps && taps.end > 0) end = last_whole(columns) + 1;
    if (end > columns->count) end = columns->count;
    run_row(job, columns, begin, end, taps, row, in, filter, count, out);
    begin = end;
  }
}

// Half goes through tiles of floats: some lanes of as many columns as there is room for.
enum { MAX_TILE_LANES = 256, IN_TILE = 6144, FILTER_TILE = 4096, OUT_TILE = 4096 };
typedef struct tiles {
  float in[IN_TILE], filter[FILTER_TILE], out[OUT_TILE];
} tiles;

// How many lanes; 0 when not even a few fit.
static int64_t tile_lanes(const tn_cpu_window* w) {
  if (w->window_rows > 64 || w->window_columns > 64 || w->column_dilation > 64) return 0;
  const int64_t taps = w->window_rows * w->window_columns;
  const int64_t sources = w->window_rows * ((w->window_columns - 1) * w->column_dilation + 1);
  int64_t lanes = MAX_TILE_LANES;
  while (lanes >= 16 && (lanes * taps > FILTER_TILE || lanes * sources > IN_TILE)) lanes /= 2;
  return lanes >= 16 ? lanes : 0;
}

// `rows` x `columns` pixels of `count` lanes, side by side in `out`.
static void widen_pixels(const depth_job* job, const char* in, int64_t rows, int64_t row_step,
                         int64_t columns, int64_t count, float* out) {
  const bool dense = count == job->lanes;
  const int64_t calls = dense ? 1 : columns, each = dense ? columns * count : count;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < calls; ++c, out += each)
      job->widen(in + (r * row_step + c * job->lanes) * job->size, out, each);
}

static void narrow_pixels(const depth_job* job, const track* columns, int64_t begin, int64_t pixels,
                          int64_t count, const float* in, char* out) {
  const bool dense = count == job->lanes && columns->out_move == 1;
  const int64_t calls = dense ? 1 : pixels, each = dense ? pixels * count : count;
  for (int64_t i = 0; i < calls; ++i) {
    const int64_t to = columns->first_out + (begin + i) * columns->out_move;
    job->narrow(in + i * each, out + to * job->lanes * job->size, each);
  }
}

static void run_tiled_columns(const depth_job* job, const track* columns, tn_depthwise_row row,
                              const char* in, const char* filter, int64_t count, char* out) {
  const int64_t window = job->w->window_columns, tap = columns->tap;
  const int64_t reach = columns->taps > 0 ? (columns->taps - 1) * (tap < 0 ? -tap : tap) : 0;
  const int64_t room = IN_TILE / count / (row.rows > 0 ? row.rows : 1) - 1 - reach;
  const int64_t most = OUT_TILE / count, fitting = room / columns->move + 1;
  const int64_t block = fitting < most ? fitting : most;
  tiles tiles;
  depth_job inner = *job;
  inner.size = sizeof(float);
  inner.lanes = count;
  inner.widen = NULL;
  widen_pixels(job, filter, row.rows, row.filter_row_step, window, count, tiles.filter);
  row.filter_row_step = window * count;
  for (int64_t begin = 0; begin < columns->count; begin += block) {
    const int64_t left = columns->count - begin, some = left < block ? left : block;
    const int64_t at = columns->first + begin * columns->move;
    int64_t low = tap < 0 ? at - reach : at;
    int64_t high = at + (some - 1) * columns->move + (tap < 0 ? 0 : reach) + 1;
    if (low < 0) low = 0;
    if (high > columns->size) high = columns->size;
    if (high < low) high = low;
    widen_pixels(job, in + low * job->lanes * job->size, row.rows, row.row_step, high - low, count,
                 tiles.in);
    tn_depthwise_row tile_row = row;
    tile_row.row_step = (high - low) * count;
    track part = *columns;
    part.count = some;
    part.first_out = 0;
    part.out_move = 1;
    part.size = high - low;
    part.first = at - low;
    run_columns(&inner, &part, tile_row, (const char*)tiles.in, (const char*)tiles.filter, count,
                (char*)tiles.out);
    narrow_pixels(job, columns, begin, some, count, tiles.out, out);
  }
}

static void run_track(const depth_job* job, const track* columns, tn_depthwise_row row,
                      const char* in, const char* filter, int64_t count, char* out) {
  if (!job->widen) {
    run_columns(job, columns, row, in, filter, count, out);
    return;
  }
  for (int64_t lane = 0; lane < count; lane += job->tile) {
    const int64_t left = count - lane, offset = lane * job->size;
    run_tiled_columns(job, columns, row, in + offset, filter + offset,
                      left < job->tile ? left : job->tile, out + offset);
  }
}

static void convolve_rows(void* arg, int64_t begin, int64_t end) {
  const depth_job* job = arg;
  const tn_cpu_window* w = job->w;
  const int64_t pixel = job->lanes * job->size;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t unit = i / job->strips, lane = i % job->strips * job->strip;
    const int64_t left = job->lanes - lane, count = left < job->strip ? left : job->strip;
    const int64_t image = unit / job->rows, y = unit % job->rows;
    const int64_t phase = job->backward ? y % w->row_stride : 0;
    const track rows = job->backward ? track_backward(w->out_rows, w->rows, w->window_rows,
                                                      w->row_stride, w->row_dilation, w->top, phase)
                                     : track_forward(w->out_rows, w->rows, w->window_rows,
                                                     w->row_stride, w->row_dilation, w->top);
    const int64_t at = job->backward ? y / w->row_stride : y;
    const span taps = find_taps(&rows, at);
    const int64_t filter_row = rows.first_filter + taps.begin * rows.filter_move;
    const int64_t in_row =
        image * job->in_rows + rows.first + at * rows.move + taps.begin * rows.tap;
    const tn_depthwise_row row = {
        .rows = taps.end - taps.begin,
        .row_step = rows.tap * job->in_columns * job->lanes,
        .filter_row_step = rows.filter_move * w->window_columns * job->lanes};
    const char* in = job->in + in_row * job->in_columns * pixel + lane * job->size;
    const char* filter = job->filter + filter_row * w->window_columns * pixel + lane * job->size;
    char* out = job->out + unit * job->columns * pixel + lane * job->size;
    if (!job->backward) {
      const track columns = track_forward(w->out_columns, w->columns, w->window_columns,
                                          w->column_stride, w->column_dilation, w->left);
      run_track(job, &columns, row, in, filter, count, out);
      continue;
    }
    for (int64_t p = 0; p < w->column_stride && p < w->columns; ++p) {
      const track columns = track_backward(w->out_columns, w->columns, w->window_columns,
                                           w->column_stride, w->column_dilation, w->left, p);
      run_track(job, &columns, row, in, filter, count, out);
    }
  }
}

static int64_t clamp_cost(double cost) { return (int64_t)(cost < 1e12 ? cost : 1e12); }

static void run_rows(depth_job* job, const tn_cpu_parallel* parallel) {
  const tn_cpu_window* w = job->w;
  const int64_t units = w->images * job->rows, line = 64 / job->size;
  if (units == 0 || job->lanes == 0 || job->columns == 0) return;
  const int64_t wanted = units >= 32 ? 1 : (32 + units - 1) / units;
  job->strip = ((job->lanes + line - 1) / line + wanted - 1) / wanted * line;
  job->strips = (job->lanes + job->strip - 1) / job->strip;
  const double taps = (double)w->window_rows * (double)w->window_columns;
  const double cost = (double)(job->columns * job->strip * job->size) * (taps + 1) / 100 + 50;
  tn_cpu_run(parallel, units * job->strips, clamp_cost(cost), convolve_rows, job);
}

// Repeating and folding, in units of pixels.
typedef struct spread_job {
  void (*loop)(const void*, int64_t, int64_t, void*);
  const char* in;
  char* out;
  int64_t channels, multiplier, in_bytes, out_bytes;
} spread_job;

static void spread_pixels(void* arg, int64_t begin, int64_t end) {
  const spread_job* job = arg;
  job->loop(job->in + begin * job->in_bytes, (end - begin) * job->channels, job->multiplier,
            job->out + begin * job->out_bytes);
}

static void spread(void (*loop)(const void*, int64_t, int64_t, void*), int64_t pixels,
                   int64_t channels, int64_t multiplier, int64_t in_bytes, int64_t out_bytes,
                   const void* in, void* out, const tn_cpu_parallel* parallel) {
  spread_job job = {loop, in, out, channels, multiplier, in_bytes, out_bytes};
  tn_cpu_run(parallel, pixels, clamp_cost((double)channels * (double)multiplier / 2 + 1),
             spread_pixels, &job);
}

// Memory that is cut off the workspace piece by piece.
static void* cut(char** workspace, int64_t bytes) {
  void* piece = *workspace;
  *workspace += (bytes + 63) / 64 * 64;
  return piece;
}

enum { PIECES = 16 };  // of the sums for a filter's gradient

static int64_t in_count(const tn_cpu_window* w) {
  return w->images * w->rows * w->columns * w->channels;
}
static int64_t out_count(const tn_cpu_window* w, int64_t multiplier) {
  return w->images * w->out_rows * w->out_columns * w->channels * multiplier;
}
static int64_t filter_count(const tn_cpu_window* w, int64_t multiplier) {
  return w->window_rows * w->window_columns * w->channels * multiplier;
}

static bool is_narrow(tn_dtype dtype) { return dtype == TN_HALF || dtype == TN_BFLOAT16; }

size_t tn_cpu_depthwise_workspace(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier) {
  const int64_t size = dtype == TN_DOUBLE ? 8 : 4;
  int64_t count = PIECES * filter_count(w, multiplier);
  if (multiplier > 1) count += in_count(w) * multiplier;
  if (is_narrow(dtype))
    count += in_count(w) + out_count(w, multiplier) + filter_count(w, multiplier);
  return (size_t)(count * size) + (PIECES + 8) * 64;
}

// The same numbers in the job's type.
static const void* widen(const depth_job* job, tn_dtype dtype, const void* in, int64_t count,
                         char** workspace, const tn_cpu_parallel* parallel) {
  if (dtype == job->dtype) return in;
  void* wide = cut(workspace, count * job->size);
  tn_cpu_cast(dtype, job->dtype, false, count, in, wide, parallel);
  return wide;
}

static const void* repeat_channels(const depth_job* job, int64_t multiplier, const void* in,
                                   char** workspace, const tn_cpu_parallel* parallel) {
  const tn_cpu_window* w = job->w;
  if (multiplier == 1) return in;
  void* repeated = cut(workspace, in_count(w) * multiplier * job->size);
  spread(job->loops->repeat[job->dtype], w->images * w->rows * w->columns, w->channels, multiplier,
         w->channels * job->size, job->lanes * job->size, in, repeated, parallel);
  return repeated;
}

static depth_job make_job(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier) {
  return (depth_job){.w = w,
                     .loops = TN_CPU_CHOOSE(tn_depthwise_loops),
                     .dtype = dtype == TN_DOUBLE ? TN_DOUBLE : TN_FLOAT,
                     .size = dtype == TN_DOUBLE ? 8 : 4,
                     .lanes = w->channels * multiplier,
                     .rows = w->out_rows,
                     .columns = w->out_columns,
                     .in_rows = w->rows,
                     .in_columns = w->columns};
}

// Without copies, where channels need not be repeated; half only where the window is small enough.
static bool run_narrow(depth_job* job, tn_dtype dtype, int64_t multiplier, const void* in,
                       const void* filter, void* out, const tn_cpu_parallel* parallel) {
  job->tile = tile_lanes(job->w);
  if (!is_narrow(dtype) || multiplier != 1 || (dtype == TN_HALF && job->tile == 0)) return false;
  if (dtype == TN_HALF) {
    const tn_cast_loops* casts = TN_CPU_CHOOSE(tn_cast_loops);
    job->widen = casts->round[dtype][TN_FLOAT];
    job->narrow = casts->round[TN_FLOAT][dtype];
  } else {
    job->dtype = dtype;
  }
  job->size = 2;
  job->in = in;
  job->filter = filter;
  job->out = out;
  run_rows(job, parallel);
  return true;
}

// One image, so that copies of half and bfloat16 stay in cache.
static tn_cpu_window one_image(const tn_cpu_window* w) {
  tn_cpu_window one = *w;
  one.images = 1;
  return one;
}

void tn_cpu_depthwise(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier, const void* in,
                      const void* filter, void* out, void* workspace,
                      const tn_cpu_parallel* parallel) {
  depth_job job = make_job(dtype, w, multiplier);
  if (run_narrow(&job, dtype, multiplier, in, filter, out, parallel)) return;
  if (is_narrow(dtype) && w->images > 1) {
    const tn_cpu_window one = one_image(w);
    for (int64_t i = 0; i < w->images; ++i)
      tn_cpu_depthwise(dtype, &one, multiplier, (const uint16_t*)in + i * in_count(&one), filter,
                       (uint16_t*)out + i * out_count(&one, multiplier), workspace, parallel);
    return;
  }
  char* room = workspace;
  const int64_t count = out_count(w, multiplier);
  job.filter = widen(&job, dtype, filter, filter_count(w, multiplier), &room, parallel);
  in = widen(&job, dtype, in, in_count(w), &room, parallel);
  job.in = repeat_channels(&job, multiplier, in, &room, parallel);
  job.out = dtype == job.dtype ? out : cut(&room, count * job.size);
  run_rows(&job, parallel);
  if (dtype != job.dtype) tn_cpu_cast(job.dtype, dtype, false, count, job.out, out, parallel);
}

void tn_cpu_depthwise_grad_input(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier,
                                 const void* filter, const void* grad, void* out, void* workspace,
                                 const tn_cpu_parallel* parallel) {
  depth_job job = make_job(dtype, w, multiplier);
  job.backward = true;
  job.rows = w->rows;
  job.columns = w->columns;
  job.in_rows = w->out_rows;
  job.in_columns = w->out_columns;
  if (run_narrow(&job, dtype, multiplier, grad, filter, out, parallel)) return;
  if (is_narrow(dtype) && w->images > 1) {
    const tn_cpu_window one = one_image(w);
    for (int64_t i = 0; i < w->images; ++i)
      tn_cpu_depthwise_grad_input(dtype, &one, multiplier, filter,
                                  (const uint16_t*)grad + i * out_count(&one, multiplier),
                                  (uint16_t*)out + i * in_count(&one), workspace, parallel);
    return;
  }
  char* room = workspace;
  const int64_t count = in_count(w);
  job.filter = widen(&job, dtype, filter, filter_count(w, multiplier), &room, parallel);
  job.in = widen(&job, dtype, grad, out_count(w, multiplier), &room, parallel);
  void* sums = dtype == job.dtype ? out : cut(&room, count * job.size);
  job.out = multiplier == 1 ? sums : cut(&room, count * multiplier * job.size);
  run_rows(&job, parallel);
  if (multiplier != 1)
    spread(job.loops->fold[job.dtype], w->images * w->rows * w->columns, w->channels, multiplier,
           job.lanes * job.size, w->channels * job.size, job.out, sums, parallel);
  if (dtype != job.dtype) tn_cpu_cast(job.dtype, dtype, false, count, sums, out, parallel);
}

// Outputs whose tap, at input column x * stride + first, is there.
static span find_outputs(const tn_cpu_window* w, int64_t first) {
  const int64_t stride = w->column_stride;
  span found = {first < 0 ? (-first + stride - 1) / stride : 0,
                first < w->columns ? (w->columns - 1 - first) / stride + 1 : 0};
  if (found.end > w->out_columns) found.end = w->out_columns;
  if (found.begin > found.end) found.begin = found.end;
  return found;
}

typedef struct dot_place {
  const char *in, *grad;  // the rows
  char* sums;             // of tap 0
} dot_place;

static void dot_taps(const depth_job* job, dot_place place, int64_t tap, int64_t taps,
                     int64_t begin, int64_t end) {
  const tn_cpu_window* w = job->w;
  const int64_t pixel = job->lanes * job->size;
  const int64_t column = begin * w->column_stride + tap * w->column_dilation - w->left;
  if (begin < end)
    job->loops->dot[job->dtype](place.in + column * pixel, w->column_stride * job->lanes,
                                w->column_dilation * job->lanes, taps, place.grad + begin * pixel,
                                end - begin, job->lanes, place.sums + tap * pixel);
}

// A row of taps, some at a time where all of them are there, and one by one at the edges.
static void dot_tap_row(const depth_job* job, dot_place place) {
  const tn_cpu_window* w = job->w;
  for (int64_t tap = 0; tap < w->window_columns; tap += TN_DEPTHWISE_TAPS) {
    const int64_t left = w->window_columns - tap;
    const int64_t taps = left < TN_DEPTHWISE_TAPS ? left : TN_DEPTHWISE_TAPS;
    span all = find_outputs(w, tap * w->column_dilation - w->left);
    for (int64_t t = tap + 1; t < tap + taps; ++t) {
      const span one = find_outputs(w, t * w->column_dilation - w->left);
      if (one.begin > all.begin) all.begin = one.begin;
      if (one.end < all.end) all.end = one.end;
    }
    if (all.begin > all.end) all.begin = all.end;
    dot_taps(job, place, tap, taps, all.begin, all.end);
    for (int64_t t = tap; t < tap + taps; ++t) {
      const span one = find_outputs(w, t * w->column_dilation - w->left);
      dot_taps(job, place, t, 1, one.begin, all.begin < one.end ? all.begin : one.end);
      dot_taps(job, place, t, 1, all.end > one.begin ? all.end : one.begin, one.end);
    }
  }
}

// Adds what one row of the gradient gives to the filter's.
static void dot_row(const depth_job* job, int64_t image, int64_t y, char* sums) {
  const tn_cpu_window* w = job->w;
  const int64_t pixel = job->lanes * job->size;
  for (int64_t r = 0; r < w->window_rows; ++r) {
    const int64_t row = y * w->row_stride - w->top + r * w->row_dilation;
    if (row < 0 || row >= w->rows) continue;
    dot_tap_row(job, (dot_place){job->in + (image * w->rows + row) * w->columns * pixel,
                                 job->grad + (image * w->out_rows + y) * w->out_columns * pixel,
                                 sums + r * w->window_columns * pixel});
  }
}

static void dot_pieces(void* arg, int64_t begin, int64_t end) {
  const depth_job* job = arg;
  const tn_cpu_window* w = job->w;
  const int64_t rows = w->images * w->out_rows;
  const int64_t bytes = w->window_rows * w->window_columns * job->lanes * job->size;
  for (int64_t i = begin; i < end; ++i) {
    char* sums = job->out + i * ((bytes + 63) / 64 * 64);
    memset(sums, 0, (size_t)bytes);
    for (int64_t row = rows * i / job->pieces; row < rows * (i + 1) / job->pieces; ++row)
      dot_row(job, row / w->out_rows, row % w->out_rows, sums);
  }
}

void tn_cpu_depthwise_grad_filter(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier,
                                  const void* in, const void* grad, void* out, void* workspace,
                                  const tn_cpu_parallel* parallel) {
  depth_job job = make_job(dtype, w, multiplier);
  char* room = workspace;
  const int64_t count = filter_count(w, multiplier), rows = w->images * w->out_rows;
  if (count == 0) return;
  // As many pieces whatever the number of threads, so that sums are the same.
  job.pieces = rows < 1 ? 1 : rows < PIECES ? rows : PIECES;
  job.out = cut(&room, 0);
  for (int64_t i = 0; i < job.pieces; ++i) cut(&room, count * job.size);
  in = widen(&job, dtype, in, in_count(w), &room, parallel);
  job.in = repeat_channels(&job, multiplier, in, &room, parallel);
  job.grad = widen(&job, dtype, grad, out_count(w, multiplier), &room, parallel);
  const double work = (double)rows * (double)w->out_columns * (double)count * (double)job.size;
  tn_cpu_run(parallel, job.pieces, clamp_cost(work / 100 / (double)job.pieces + 50), dot_pieces,
             &job);
  const int64_t stride = (count * job.size + 63) / 64 * 64;
  for (int64_t step = 1; step < job.pieces; step *= 2)
    for (int64_t i = 0; i + step < job.pieces; i += 2 * step)
      job.loops->add[job.dtype](job.out + i * stride, job.out + (i + step) * stride, count);
  if (dtype == job.dtype) {
    memcpy(out, job.out, (size_t)(count * job.size));
  } else {
    tn_cpu_cast(job.dtype, dtype, false, count, job.out, out, parallel);
  }
}
