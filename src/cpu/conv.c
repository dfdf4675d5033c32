#include "cpu/conv.h"

#include <string.h>

#include "cpu/conv_patches.h"
#include "cpu/layout.h"
#include "cpu/onednn_conv.h"

// A convolution is the product of the patches of its input and the filter; the gradients are
// products too, of patches of the output's gradient, and of transposed patches of the input. With
// strides, the input's gradient falls into as many products as there are phases: positions whose
// distances to the stride's raster are the same see the same taps.

typedef struct conv_source {
  const tn_cpu_conv2d* conv;
  tn_patches patches;
  tn_cpu_matrix b;             // unless the filter's taps are picked
  const char* gradient;        // of the output, from the group's first channel on
  const char* filter;          // from the group's first channel on
  tn_taps filter_y, filter_x;  // which taps of the filter belong to those of the patches
  int64_t phase_y, phase_x;
} conv_source;

static void fill_patches(const tn_product* product, const tn_matmul_loops* loops, int64_t row,
                         int rows, int64_t p, int64_t depth, void* panel) {
  const conv_source* source = product->source;
  tn_patches_as_a(&source->patches, loops, row, rows, p, depth, panel);
}

static void fill_patches_as_b(const tn_product* product, const tn_matmul_loops* loops, int64_t p,
                              int64_t depth, int64_t column, int columns, void* panel) {
  const conv_source* source = product->source;
  tn_patches_as_b(&source->patches, loops, p, depth, column, columns, panel);
}

// Rows are output channels, columns are positions.
static void fill_gradient(const tn_product* product, const tn_matmul_loops* loops, int64_t row,
                          int rows, int64_t p, int64_t depth, void* panel) {
  const conv_source* source = product->source;
  const int64_t step = source->conv->out_depth;
  loops->pack[product->dtype](
      source->gradient + (p * step + row) * (int64_t)tn_cpu_size(product->dtype), step, 1, false,
      depth, rows, panel, loops->rows[product->dtype]);
}

static void fill_matrix(const tn_product* product, const tn_matmul_loops* loops, int64_t p,
                        int64_t depth, int64_t column, int columns, void* panel) {
  const tn_cpu_matrix* b = &((const conv_source*)product->source)->b;
  const char* from = (const char*)b->data + (p * b->row_stride + column * b->column_stride) *
                                                (int64_t)tn_cpu_size(product->dtype);
  loops->pack_b[product->dtype](from, b->row_stride, b->column_stride, false, depth, columns,
                                panel);
}

// The filter's taps in the order of the patches', each transposed: rows are output channels.
static void fill_filter(const tn_product* product, const tn_matmul_loops* loops, int64_t p,
                        int64_t depth, int64_t column, int columns, void* panel) {
  const conv_source* source = product->source;
  const tn_cpu_conv2d* conv = source->conv;
  const int64_t out_depth = conv->out_depth / conv->groups;
  const int64_t size = (int64_t)tn_cpu_size(product->dtype);
  const int64_t row_bytes =
      loops->columns[product->dtype] * (int64_t)tn_cpu_compute_size(product->dtype);
  for (int64_t done = 0; done < depth;) {
    const int64_t tap = (p + done) / out_depth, channel = (p + done) % out_depth;
    const int64_t count = tn_smaller(depth - done, out_depth - channel);
    const tn_taps *taps_y = &source->filter_y, *taps_x = &source->filter_x;
    const int64_t y = taps_y->first + tap / taps_x->count * taps_y->apart;
    const int64_t x = taps_x->first + tap % taps_x->count * taps_x->apart;
    const int64_t row = (y * conv->filter_width + x) * (conv->in_depth / conv->groups) + column;
    loops->pack_b[product->dtype](source->filter + (row * conv->out_depth + channel) * size, 1,
                                  conv->out_depth, false, count, columns,
                                  (char*)panel + done * row_bytes);
    done += count;
  }
}

static int64_t place_by_out_depth(const tn_product* product, int64_t row) {
  return row * ((const conv_source*)product->source)->conv->out_depth;
}

static int64_t place_in_phase(const tn_product* product, int64_t row) {
  const conv_source* source = product->source;
  const tn_cpu_conv2d* conv = source->conv;
  const int64_t width = source->patches.x.positions, height = source->patches.y.positions;
  const int64_t x = row % width * conv->stride_width + source->phase_x;
  const int64_t y = row / width % height * conv->stride_height + source->phase_y;
  return ((row / width / height * conv->in_height + y) * conv->in_width + x) * conv->in_depth;
}

static tn_taps input_taps(int64_t positions, int64_t stride, int64_t count, int64_t dilation,
                          int64_t pad, int64_t size) {
  return (tn_taps){positions, stride, count, -pad, dilation, size};
}

static tn_patches input_patches(tn_dtype dtype, const tn_cpu_conv2d* conv, const void* input) {
  return (tn_patches){.dtype = dtype,
                      .data = input,
                      .depth = conv->in_depth / conv->groups,
                      .pixel_stride = conv->in_depth,
                      .y = input_taps(conv->out_height, conv->stride_height, conv->filter_height,
                                      conv->dilation_height, conv->pad_top, conv->in_height),
                      .x = input_taps(conv->out_width, conv->stride_width, conv->filter_width,
                                      conv->dilation_width, conv->pad_left, conv->in_width)};
}

static int64_t positions(const tn_cpu_conv2d* conv) {
  return conv->batch * conv->out_height * conv->out_width;
}

// A filter of one element at every place: a plain product of matrices.
static bool is_plain(const tn_cpu_conv2d* conv) {
  return conv->filter_height == 1 && conv->filter_width == 1 && conv->groups == 1 &&
         conv->stride_height == 1 && conv->stride_width == 1 && conv->pad_top == 0 &&
         conv->pad_left == 0 && conv->in_height == conv->out_height &&
         conv->in_width == conv->out_width;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t transposed_at(tn_dtype dtype, const tn_cpu_conv2d* conv) {
  const int64_t rows = conv->filter_height * conv->filter_width * (conv->in_depth / conv->groups);
  const size_t bytes =
      tn_product_workspace(dtype, conv->out_depth / conv->groups, rows, positions(conv));
  return (bytes + 63) / 64 * 64;
}

size_t tn_cpu_conv2d_workspace(tn_dtype dtype, const tn_cpu_conv2d* conv) {
  const int64_t in_depth = conv->in_depth / conv->groups,
                out_depth = conv->out_depth / conv->groups;
  const int64_t taps = conv->filter_height * conv->filter_width;
  const int64_t inputs = conv->batch * conv->in_height * conv->in_width, outputs = positions(conv);
  if (is_plain(conv))
    return larger(tn_cpu_matmul_workspace(dtype, outputs, out_depth, in_depth),
                  larger(tn_cpu_matmul_workspace(dtype, inputs, in_depth, out_depth),
                         tn_cpu_matmul_workspace(dtype, in_depth, out_depth, outputs)));
  const size_t transposed = (size_t)(taps * in_depth * out_depth) * tn_cpu_size(dtype);
  return larger(transposed_at(dtype, conv) + transposed,
                larger(tn_product_workspace(dtype, outputs, out_depth, taps * in_depth),
                       tn_product_workspace(dtype, inputs, in_depth, taps * out_depth)));
}

static const char* at(const void* data, tn_dtype dtype, int64_t element) {
  return (const char*)data + element * (int64_t)tn_cpu_size(dtype);
}

void tn_cpu_conv2d_run(tn_dtype dtype, const tn_cpu_conv2d* conv, const void* input,
                       const void* filter, void* output, void* workspace,
                       const tn_cpu_parallel* parallel) {
  const int64_t in_depth = conv->in_depth / conv->groups,
                out_depth = conv->out_depth / conv->groups;
  if (is_plain(conv)) {
    tn_cpu_matmul(dtype, positions(conv), out_depth, in_depth,
                  (tn_cpu_matrix){input, in_depth, 1, false},
                  (tn_cpu_matrix){filter, out_depth, 1, false}, output, workspace, parallel);
    return;
  }
  if (dtype == TN_FLOAT &&
      tn_onednn_conv2d(TN_ONEDNN_FORWARD, conv, (float*)input, (float*)filter, output, parallel))
    return;
  for (int64_t group = 0; group < conv->groups; ++group) {
    const conv_source source = {
        .conv = conv,
        .patches = input_patches(dtype, conv, at(input, dtype, group * in_depth)),
        .b = {at(filter, dtype, group * out_depth), conv->out_depth, 1, false}};
    const tn_product product = {
        .dtype = dtype,
        .m = positions(conv),
        .n = out_depth,
        .k = tn_patches_columns(&source.patches),
        .source = &source,
        .fill_a = fill_patches,
        .fill_b = fill_matrix,
        .place = place_by_out_depth,
        .out = (char*)output + group * out_depth * (int64_t)tn_cpu_size(dtype)};
    tn_product_run(&product, workspace, parallel);
  }
}

void tn_cpu_conv2d_filter_gradient(tn_dtype dtype, const tn_cpu_conv2d* conv, const void* input,
                                   const void* output_gradient, void* filter_gradient,
                                   void* workspace, const tn_cpu_parallel* parallel) {
  const int64_t in_depth = conv->in_depth / conv->groups,
                out_depth = conv->out_depth / conv->groups;
  if (is_plain(conv)) {
    tn_cpu_matmul(dtype, in_depth, out_depth, positions(conv),
                  (tn_cpu_matrix){input, 1, in_depth, false},
                  (tn_cpu_matrix){output_gradient, out_depth, 1, false}, filter_gradient, workspace,
                  parallel);
    return;
  }
  if (dtype == TN_FLOAT && tn_onednn_conv2d(TN_ONEDNN_FILTER_GRADIENT, conv, (float*)input,
                                            filter_gradient, (float*)output_gradient, parallel))
    return;
  const int64_t size = (int64_t)tn_cpu_size(dtype);
  const int64_t rows = conv->filter_height * conv->filter_width * in_depth;
  if (positions(conv) == 0) memset(filter_gradient, 0, (size_t)(rows * conv->out_depth * size));
  if (positions(conv) == 0) return;
  // The product comes transposed: the patches, which are many, are then packed once and in long
  // runs.
  char* transposed = (char*)workspace + transposed_at(dtype, conv);
  for (int64_t group = 0; group < conv->groups; ++group) {
    const conv_source source = {
        .conv = conv,
        .patches = input_patches(dtype, conv, at(input, dtype, group * in_depth)),
        .gradient = at(output_gradient, dtype, group * out_depth)};
    const tn_product product = {.dtype = dtype,
                                .m = out_depth,
                                .n = rows,
                                .k = positions(conv),
                                .source = &source,
                                .by_column = true,
                                .fill_a = fill_gradient,
                                .fill_b = fill_patches_as_b,
                                .out = transposed};
    tn_product_run(&product, workspace, parallel);
    tn_cpu_move((size_t)size, 2, (int64_t[]){rows, out_depth}, transposed, (int64_t[]){1, rows},
                (char*)filter_gradient + group * out_depth * size, (int64_t[]){conv->out_depth, 1},
                parallel);
  }
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The taps that positions phase, phase + stride, ... of the input's gradient see in the output's
// (`taps`) and in the filter: those t with (phase + pad - t * dilation) a multiple of the stride.
// The last one comes first, so that neighbours look at neighbours.
static void phase_taps(int64_t phase, int64_t stride, int64_t dilation, int64_t pad, int64_t size,
                       int64_t filter_size, int64_t out_size, tn_taps* taps, tn_taps* filter) {
  const int64_t cycle = stride / common_divisor(stride, dilation);
  *taps = (tn_taps){.positions = size > phase ? tn_pieces(size - phase, stride) : 0,
                    .step = 1,
                    .apart = cycle * dilation / stride,
                    .size = out_size};
  *filter = (tn_taps){.apart = -cycle};
  int64_t first = 0;
  while (first < cycle && first < filter_size && (phase + pad - first * dilation) % stride != 0)
    ++first;
  if (first == cycle || first >= filter_size) return;
  taps->count = (filter_size - 1 - first) / cycle + 1;
  filter->count = taps->count;
  filter->first = first + (taps->count - 1) * cycle;
  taps->first = (phase + pad - filter->first * dilation) / stride;
}

// The gradient of one group's channels at positions (phase_y, phase_x) of the stride's raster.
static void run_phase(tn_dtype dtype, const tn_cpu_conv2d* conv, int64_t phase_y, int64_t phase_x,
                      int64_t group, const void* filter, const void* output_gradient,
                      void* input_gradient, void* workspace, const tn_cpu_parallel* parallel) {
  const int64_t in_depth = conv->in_depth / conv->groups,
                out_depth = conv->out_depth / conv->groups;
  conv_source source = {.conv = conv,
                        .filter = at(filter, dtype, group * out_depth),
                        .phase_y = phase_y,
                        .phase_x = phase_x};
  source.patches = (tn_patches){.dtype = dtype,
                                .data = at(output_gradient, dtype, group * out_depth),
                                .depth = out_depth,
                                .pixel_stride = conv->out_depth};
  phase_taps(phase_y, conv->stride_height, conv->dilation_height, conv->pad_top, conv->in_height,
             conv->filter_height, conv->out_height, &source.patches.y, &source.filter_y);
  phase_taps(phase_x, conv->stride_width, conv->dilation_width, conv->pad_left, conv->in_width,
             conv->filter_width, conv->out_width, &source.patches.x, &source.filter_x);
  const tn_product product = {
      .dtype = dtype,
      .m = conv->batch * source.patches.y.positions * source.patches.x.positions,
      .n = in_depth,
      .k = tn_patches_columns(&source.patches),
      .source = &source,
      .fill_a = fill_patches,
      .fill_b = fill_filter,
      .place = place_in_phase,
      .out = (char*)input_gradient + group * in_depth * (int64_t)tn_cpu_size(dtype)};
  tn_product_run(&product, workspace, parallel);
}

void tn_cpu_conv2d_input_gradient(tn_dtype dtype, const tn_cpu_conv2d* conv, const void* filter,
                                  const void* output_gradient, void* input_gradient,
                                  void* workspace, const tn_cpu_parallel* parallel) {
  const int64_t in_depth = conv->in_depth / conv->groups,
                out_depth = conv->out_depth / conv->groups;
  if (is_plain(conv)) {
    tn_cpu_matmul(dtype, positions(conv), in_depth, out_depth,
                  (tn_cpu_matrix){output_gradient, out_depth, 1, false},
                  (tn_cpu_matrix){filter, 1, out_depth, false}, input_gradient, workspace,
                  parallel);
    return;
  }
  if (dtype == TN_FLOAT && tn_onednn_conv2d(TN_ONEDNN_INPUT_GRADIENT, conv, input_gradient,
                                            (float*)filter, (float*)output_gradient, parallel))
    return;
  // Positions between the places that the filter reaches stay zero.
  if (conv->filter_height < conv->stride_height || conv->filter_width < conv->stride_width ||
      conv->dilation_height > 1 || conv->dilation_width > 1)
    memset(input_gradient, 0,
           (size_t)(conv->batch * conv->in_height * conv->in_width * conv->in_depth) *
               tn_cpu_size(dtype));
  for (int64_t y = 0; y < conv->stride_height && y < conv->in_height; ++y)
    for (int64_t x = 0; x < conv->stride_width && x < conv->in_width; ++x)
      for (int64_t group = 0; group < conv->groups; ++group)
        run_phase(dtype, conv, y, x, group, filter, output_gradient, input_gradient, workspace,
                  parallel);
}
