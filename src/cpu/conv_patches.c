#include "cpu/conv_patches.h"

#include <string.h>

// Elements that lie together: one tap's channels, or those of all taps of a line of the filter when
// neighbours look at neighbours.
typedef struct span {
  int64_t taps, per_line;  // taps in a span, spans in a line of the filter
  int64_t size;            // elements
} span;

static span span_of(const tn_patches* patches) {
  const bool joined = patches->x.apart == 1 && patches->pixel_stride == patches->depth;
  const int64_t taps = joined ? patches->x.count : 1;
  return (span){taps, joined ? 1 : patches->x.count, taps * patches->depth};
}

static int64_t between(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

// Elements [from, to) of a span whose first tap is at (y, x), zeros where that is outside.
static char* copy_span(const tn_patches* patches, const tn_matmul_loops* loops, const char* image,
                       int64_t y, int64_t x, int64_t from, int64_t to, char* out) {
  const int64_t size = (int64_t)tn_cpu_size(patches->dtype);
  const int64_t wide = (int64_t)tn_cpu_compute_size(patches->dtype);
  int64_t low = to, high = to;
  if (y >= 0 && y < patches->y.size) {
    low = between(-x * patches->depth, from, to);
    high = between((patches->x.size - x) * patches->depth, low, to);
  }
  if (low > from) memset(out, 0, (size_t)((low - from) * wide));
  if (high > low)
    loops->gather[patches->dtype](
        image + ((y * patches->x.size + x) * patches->pixel_stride + low) * size, 1, false,
        high - low, out + (low - from) * wide);
  if (to > high) memset(out + (high - from) * wide, 0, (size_t)((to - high) * wide));
  return out + (to - from) * wide;
}

void tn_patches_as_a(const tn_patches* patches, const tn_matmul_loops* loops, int64_t row, int rows,
                     int64_t column, int64_t columns, void* panel) {
  const tn_taps *y = &patches->y, *x = &patches->x;
  const span span = span_of(patches);
  const int64_t image_bytes =
      y->size * x->size * patches->pixel_stride * (int64_t)tn_cpu_size(patches->dtype);
  const int64_t step = TN_MATMUL_A_STRIDE * (int64_t)tn_cpu_compute_size(patches->dtype);
  int64_t at_x = row % x->positions, at_y = row / x->positions % y->positions;
  const char* image = patches->data + row / x->positions / y->positions * image_bytes;
  for (int i = 0; i < rows; ++i) {
    char* out = (char*)panel + i * step;
    int64_t from = column % span.size, left = columns;
    int64_t line = column / span.size / span.per_line, tap = column / span.size % span.per_line;
    while (left > 0) {
      const int64_t to = tn_smaller(span.size, from + left);
      out = copy_span(patches, loops, image, at_y * y->step + y->first + line * y->apart,
                      at_x * x->step + x->first + tap * x->apart, from, to, out);
      left -= to - from;
      from = 0;
      if (++tap == span.per_line) ++line, tap = 0;
    }
    if (++at_x == x->positions) {
      at_x = 0;
      if (++at_y == y->positions) at_y = 0, image += image_bytes;
    }
  }
}

// Channels [channel, channel + count) of one tap, for positions along one line of the grid, into
// rows of a panel that has `wide` columns. No line: it is outside.
static void copy_line(const tn_patches* patches, const tn_matmul_loops* loops, const char* line,
                      int64_t first_x, int64_t from, int64_t to, int64_t channel, int count,
                      char* out, int wide) {
  const tn_taps* x = &patches->x;
  const int64_t compute_size = (int64_t)tn_cpu_compute_size(patches->dtype);
  const size_t bytes = (size_t)(count * compute_size);
  const int64_t step = wide * compute_size;
  int64_t low = to, high = to;
  if (line) {
    low = between(first_x < 0 ? tn_pieces(-first_x, x->step) : 0, from, to);
    high = between(x->size > first_x ? tn_pieces(x->size - first_x, x->step) : 0, low, to);
  }
  for (int64_t i = from; i < low; ++i) memset(out + (i - from) * step, 0, bytes);
  if (high > low)
    loops->pack[patches->dtype](
        line + ((low * x->step + first_x) * patches->pixel_stride + channel) *
                   (int64_t)tn_cpu_size(patches->dtype),
        x->step * patches->pixel_stride, 1, false, high - low, count, out + (low - from) * step,
        wide);
  for (int64_t i = high; i < to; ++i) memset(out + (i - from) * step, 0, bytes);
}

void tn_patches_as_b(const tn_patches* patches, const tn_matmul_loops* loops, int64_t row,
                     int64_t rows, int64_t column, int columns, void* panel) {
  const tn_taps *y = &patches->y, *x = &patches->x;
  const int wide = loops->columns[patches->dtype];
  const int64_t compute_size = (int64_t)tn_cpu_compute_size(patches->dtype);
  const int64_t line_bytes = x->size * patches->pixel_stride * (int64_t)tn_cpu_size(patches->dtype);
  if (columns < wide) memset(panel, 0, (size_t)(rows * wide * compute_size));
  for (int done = 0; done < columns;) {
    const int64_t tap = (column + done) / patches->depth;
    const int64_t channel = (column + done) % patches->depth;
    const int count = (int)tn_smaller(columns - done, patches->depth - channel);
    const int64_t tap_y = tap / x->count, first_x = x->first + tap % x->count * x->apart;
    char* out = (char*)panel + done * compute_size;
    for (int64_t at = row; at < row + rows;) {
      const int64_t from = at % x->positions, line = at / x->positions;
      const int64_t to = tn_smaller(x->positions, from + row + rows - at);
      const int64_t see = line % y->positions * y->step + y->first + tap_y * y->apart;
      const bool inside = see >= 0 && see < y->size;
      copy_line(patches, loops,
                inside ? patches->data + (line / y->positions * y->size + see) * line_bytes : NULL,
                first_x, from, to, channel, count, out, wide);
      out += (to - from) * wide * compute_size;
      at += to - from;
    }
    done += count;
  }
}
