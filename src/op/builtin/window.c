// Windows that slide over an image or volume: convolutions, pools and their gradients.
#include "op/builtin/family.h"

// Where a data format keeps what. Strides and the like always have an entry per dimension, without
// the inner channels of NCHW_VECT_C.
typedef struct format {
  int rank, spatial, spatial_count, channels;
  bool inner_channels;  // a last dimension of 4
} format;

static bool read_format(tn_inference* c, format* out, tn_status* status) {
  tn_view name;
  if (!tn_op_def_find_attr(c->node->op, "data_format")) {
    *out = (format){4, 1, 2, 3, false};
    return true;
  }
  if (!tn_infer_attr_string(c, "data_format", &name, status)) return false;
  bool first = tn_view_skip(&name, "NC");
  int spatial_count = memchr(name.data, 'D', name.size) ? 3 : 2;
  *out = (format){2 + spatial_count, first ? 2 : 1, spatial_count, first ? 1 : 1 + spatial_count,
                  tn_view_is(name, "HW_VECT_C")};
  out->rank += out->inner_channels;
  return true;
}

// The input as that format has it.
static tn_shape_ref read_image(tn_inference* c, const format* f, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank(c, tn_infer_input(c, 0), f->rank, status);
  int64_t inner = tn_infer_dim(input, 4);
  if (!input || !f->inner_channels || inner == 4 || inner == 32) return input;
  tn_shapes_fail(status, "the inner channels must be 4 or 32");
  return NULL;
}

typedef struct padding {
  bool same;
  const int64_t* edges;  // before and after each dimension; NULL: none
} padding;

static bool read_padding(tn_inference* c, const format* f, padding* out, tn_status* status) {
  tn_view name;
  int64_t count = 0;
  if (!tn_infer_attr_string(c, "padding", &name, status)) return false;
  bool edges = tn_view_is(name, "EXPLICIT");
  *out = (padding){.same = tn_view_is(name, "SAME")};
  if (!tn_op_def_find_attr(c->node->op, "explicit_paddings")) return true;
  out->edges = tn_shapes_attr_ints(c, "explicit_paddings", &count, status);
  if (!out->edges) return false;
  int64_t expected = edges ? 2 * (2 + f->spatial_count) : 0;
  if (count != expected)
    return tn_shapes_fail(status, "padding %.*s needs %lld explicit_paddings, not %lld",
                          TN_VIEW_ARGS(name), (long long)expected, (long long)count);
  for (int64_t i = 0; i < count; ++i)
    if (out->edges[i] < 0 || (out->edges[i] > 0 && (i / 2 == 0 || i / 2 == f->channels)))
      return tn_shapes_fail(status,
                            "explicit_paddings must not be negative, and 0 for batch and channels");
  if (!edges) out->edges = NULL;
  return true;
}

// A list attr with an entry per dimension.
static const int64_t* read_entries(tn_inference* c, const char* name, const format* f,
                                   tn_status* status) {
  int64_t count;
  const int64_t* entries = tn_shapes_attr_ints(c, name, &count, status);
  if (!entries || count == 2 + f->spatial_count) return entries;
  tn_shapes_fail(status, "%s needs %d entries, not %lld", name, 2 + f->spatial_count,
                 (long long)count);
  return NULL;
}

// How often a window of `size` (spread by `dilation`) fits into dimension `i` of size `dim`.
static bool slide(const padding* p, int i, int64_t dim, int64_t size, int64_t dilation,
                  int64_t stride, int64_t* out, tn_status* status) {
  if (stride <= 0 || dilation < 1)
    return tn_shapes_fail(status, "stride and dilation of dimension %d must be positive", i);
  if (p->same)
    return tn_infer_add(dim, stride - 1, &dim, status) &&
           tn_infer_divide(dim, stride, false, out, status);
  if (p->edges && (!tn_infer_add(dim, p->edges[2 * i], &dim, status) ||
                   !tn_infer_add(dim, p->edges[2 * i + 1], &dim, status)))
    return false;
  if (dilation > 1 &&
      (!tn_infer_subtract(size, 1, &size, status) ||
       !tn_infer_multiply(size, dilation, &size, status) || !tn_infer_add(size, 1, &size, status)))
    return false;
  return tn_infer_subtract(dim, size, &dim, status) && tn_infer_add(dim, stride, &dim, status) &&
         tn_infer_divide(dim, stride, false, out, status);
}

// Slides over the spatial dimensions of `dims`, in place. Window sizes are the filter's first
// dimensions.
static bool slide_filter(tn_inference* c, const format* f, tn_shape_ref filter, int64_t* dims,
                         tn_status* status) {
  padding p;
  const int64_t* strides = read_entries(c, "strides", f, status);
  const int64_t* dilations = read_entries(c, "dilations", f, status);
  if (!strides || !dilations || !read_padding(c, f, &p, status)) return false;
  for (int k = 0, i = f->spatial; k < f->spatial_count; ++k, ++i)
    if (!slide(&p, i, dims[i], tn_infer_dim(filter, k), dilations[i], strides[i], &dims[i], status))
      return false;
  return true;
}

static void conv(tn_inference* c, bool depthwise, tn_status* status) {
  format f;
  if (!read_format(c, &f, status)) return;
  tn_shape_ref input = read_image(c, &f, status);
  tn_shape_ref filter = tn_infer_with_rank(c, tn_infer_input(c, 1), f.rank, status);
  if (!input || !filter) return;
  int64_t dims[5], channels = tn_infer_dim(input, f.channels);
  int64_t in = tn_infer_dim(filter, f.spatial_count),
          out = tn_infer_dim(filter, f.spatial_count + 1);
  for (int i = 0; i < f.rank; ++i) dims[i] = tn_infer_dim(input, i);
  if (depthwise) {
    if (!tn_infer_merge_dim(channels, in, &in, status) || !tn_infer_multiply(in, out, &out, status))
      return;
  } else if (channels >= 0 && in >= 0) {
    // More channels than the filter takes in are several groups, each with its share of the output.
    if (in == 0 || channels % in || (out >= 0 && (channels == 0 || out % (channels / in)))) {
      tn_shapes_fail(status, "%lld channels do not divide into groups of %lld to %lld outputs",
                     (long long)channels, (long long)in, (long long)out);
      return;
    }
  }
  dims[f.channels] = out;
  if (slide_filter(c, &f, filter, dims, status))
    tn_infer_set_output(c, 0, tn_infer_make(c, dims, f.rank, status));
}

static void conv_shape(tn_inference* c, tn_status* status) { conv(c, false, status); }
static void depthwise_shape(tn_inference* c, tn_status* status) { conv(c, true, status); }

// input_sizes is the whole shape, or only height and width.
static void conv2d_input_grad_shape(tn_inference* c, tn_status* status) {
  format f;
  tn_shape_ref filter = tn_infer_with_rank(c, tn_infer_input(c, 1), 4, status);
  tn_shape_ref gradient = tn_infer_with_rank(c, tn_infer_input(c, 2), 4, status);
  int64_t dims[4], unused;
  if (!filter || !gradient || !read_format(c, &f, status) ||
      !tn_infer_merge_dim(tn_infer_dim(gradient, f.channels), tn_infer_dim(filter, 3), &unused,
                          status))
    return;
  tn_shape_ref sizes = tn_infer_value_as_shape(c, 0, status);
  if (!sizes) return;
  int64_t batch = tn_infer_dim(gradient, 0);
  if (sizes->rank == 2) {
    dims[f.spatial] = tn_infer_dim(sizes, 0);
    dims[f.spatial + 1] = tn_infer_dim(sizes, 1);
    dims[f.channels] = tn_infer_dim(filter, 2);
  } else {
    sizes = tn_infer_with_rank(c, sizes, 4, status);
    if (!sizes || !tn_infer_merge_dim(tn_infer_dim(sizes, 0), batch, &unused, status)) return;
    for (int i = 1; i < 4; ++i) dims[i] = tn_infer_dim(sizes, i);
  }
  dims[0] = batch;
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, 4, status));
}

// The shape that input i spells, of this rank.
static void set_spelled(tn_inference* c, int i, int rank, tn_status* status) {
  tn_infer_set_output(c, 0,
                      tn_infer_with_rank(c, tn_infer_value_as_shape(c, i, status), rank, status));
}

static void image_grad_shape(tn_inference* c, tn_status* status) { set_spelled(c, 0, 4, status); }
static void filter_grad_shape(tn_inference* c, tn_status* status) { set_spelled(c, 1, 4, status); }
static void volume_grad_shape(tn_inference* c, tn_status* status) { set_spelled(c, 0, 5, status); }
static void volume_filter_grad_shape(tn_inference* c, tn_status* status) {
  set_spelled(c, 1, 5, status);
}

// Input i as an entry per dimension; NULL without failure when it is unknown.
static const int64_t* read_entries_input(tn_inference* c, int i, tn_status* status) {
  int64_t count;
  tn_shape_ref vector = tn_infer_with_rank(c, tn_infer_input(c, i), 1, status);
  if (!vector || !tn_infer_with_value(tn_infer_dim(vector, 0), 4, &count, status)) return NULL;
  return tn_shapes_ints(c, i, &count, status);
}

static void slide_pool(tn_inference* c, const format* f, tn_shape_ref input, const int64_t* sizes,
                       const int64_t* strides, bool over_channels, tn_status* status) {
  padding p;
  if (!read_padding(c, f, &p, status)) return;
  int64_t dims[5];
  for (int i = 0; i < f->rank; ++i) {
    dims[i] = i == 4 && f->inner_channels ? 4 : tn_infer_dim(input, i);
    bool spatial = i >= f->spatial && i < f->spatial + f->spatial_count;
    if ((spatial || (over_channels && i == f->channels)) &&
        !slide(&p, i, dims[i], sizes[i], 1, strides[i], &dims[i], status))
      return;
  }
  tn_shape_ref out = tn_infer_make(c, dims, f->rank, status);
  for (int i = 0; i < (int)c->node->output_count; ++i) tn_infer_set_output(c, i, out);
}

static void pool(tn_inference* c, bool over_channels, tn_status* status) {
  format f;
  if (!read_format(c, &f, status)) return;
  tn_shape_ref input = read_image(c, &f, status);
  const int64_t* strides = read_entries(c, "strides", &f, status);
  const int64_t* sizes = read_entries(c, "ksize", &f, status);
  if (input && strides && sizes) slide_pool(c, &f, input, sizes, strides, over_channels, status);
}

// Sizes and strides are the last two inputs.
static void max_pool_v2_shape(tn_inference* c, tn_status* status) {
  format f;
  const int inputs = (int)c->node->op->input_count;
  if (!read_format(c, &f, status)) return;
  tn_shape_ref input = read_image(c, &f, status);
  if (!input) return;
  const int64_t* sizes = read_entries_input(c, inputs - 2, status);
  if (!tn_ok(status)) return;
  const int64_t* strides = read_entries_input(c, inputs - 1, status);
  if (!tn_ok(status)) return;
  if (sizes && strides)
    slide_pool(c, &f, input, sizes, strides, true, status);
  else
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
}

// The gradient of a gradient: that is like the input, and the result like the pool's output.
static void check_grad_grad(tn_inference* c, tn_status* status) {
  if (tn_ok(status) && tn_infer_merge(c, tn_infer_input(c, 0), tn_infer_input(c, 2), status))
    tn_infer_merge(c, tn_infer_input(c, 1), c->outputs[0], status);
}

static void max_pool_grad_grad_shape(tn_inference* c, tn_status* status) {
  pool(c, true, status);
  check_grad_grad(c, status);
}

static void max_pool_grad_grad_v2_shape(tn_inference* c, tn_status* status) {
  max_pool_v2_shape(c, status);
  check_grad_grad(c, status);
}

static void max_pool_argmax_shape(tn_inference* c, tn_status* status) {
  int64_t count = 0;
  const int64_t* sizes = tn_shapes_attr_ints(c, "ksize", &count, status);
  for (int64_t i = 0; i < count; ++i) {
    if (sizes[i] > 0) continue;
    tn_shapes_fail(status, "ksize must be positive, but entry %lld is %lld", (long long)i,
                   (long long)sizes[i]);
    return;
  }
  if (sizes) pool(c, true, status);
}

static void max_pool_shape(tn_inference* c, tn_status* status) { pool(c, true, status); }
static void pool_shape(tn_inference* c, tn_status* status) { pool(c, false, status); }

static void max_pool_grad_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_with_rank(c, tn_infer_input(c, 0), 4, status));
}

#define IMAGE "; data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define VOLUME "; data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"
#define SAME_VALID "; padding: {'SAME', 'VALID'}"
#define EXPLICIT "; padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []"
#define DILATIONS IMAGE "; dilations: list(int) = [1, 1, 1, 1]"
#define CONV_2D "; strides: list(int); use_cudnn_on_gpu: bool = true" EXPLICIT DILATIONS
#define DEPTHWISE "T: " FLOATS "; strides: list(int)" EXPLICIT DILATIONS
#define CONV_3D                                              \
  "T: " FLOATS "; strides: list(int) >= 5" SAME_VALID VOLUME \
  "; dilations: list(int) = [1, 1, 1, 1, 1]"
#define WINDOW_4 "ksize: list(int) >= 4; strides: list(int) >= 4"
#define WINDOW_5 "ksize: list(int) >= 5; strides: list(int) >= 5"

const tn_builtin_op tn_window_ops[] = {
    {"Conv2D", "input: T; filter: T", "output: T",
     "T: {half, bfloat16, float, double, int32}" CONV_2D, conv_shape},
    {"Conv2DBackpropInput", "input_sizes: int32; filter: T; out_backprop: T", "output: T",
     "T: {half, bfloat16, float, double, int32}" CONV_2D, conv2d_input_grad_shape},
    {"Conv2DBackpropFilter", "input: T; filter_sizes: int32; out_backprop: T", "output: T",
     "T: " FLOATS CONV_2D, filter_grad_shape},
    {"DepthwiseConv2dNative", "input: T; filter: T", "output: T", DEPTHWISE, depthwise_shape},
    {"DepthwiseConv2dNativeBackpropInput", "input_sizes: int32; filter: T; out_backprop: T",
     "output: T", DEPTHWISE, image_grad_shape},
    {"DepthwiseConv2dNativeBackpropFilter", "input: T; filter_sizes: int32; out_backprop: T",
     "output: T", DEPTHWISE, filter_grad_shape},
    {"Conv3D", "input: T; filter: T", "output: T", CONV_3D, conv_shape},
    {"Conv3DBackpropInputV2", "input_sizes: Tshape; filter: T; out_backprop: T", "output: T",
     CONV_3D "; Tshape: " INDEX_32, volume_grad_shape},
    {"Conv3DBackpropFilterV2", "input: T; filter_sizes: int32; out_backprop: T", "output: T",
     CONV_3D, volume_filter_grad_shape},
    {"MaxPool", "input: T", "output: T",
     "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
     "DT_FLOAT; " WINDOW_4 EXPLICIT "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     max_pool_shape},
    {"MaxPoolGrad", "orig_input: T; orig_output: T; grad: T", "output: T",
     WINDOW_4 EXPLICIT IMAGE "; T: realnumbertype = DT_FLOAT", max_pool_grad_shape},
    {"MaxPoolV2", "input: T; ksize: int32; strides: int32", "output: T",
     "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
     "DT_FLOAT" SAME_VALID "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     max_pool_v2_shape},
    {"MaxPoolGradV2", "orig_input: T; orig_output: T; grad: T; ksize: int32; strides: int32",
     "output: T", "padding: {'SAME', 'VALID'}" IMAGE "; T: realnumbertype = DT_FLOAT",
     max_pool_grad_shape},
    {"MaxPoolGradGrad", "orig_input: T; orig_output: T; grad: T", "output: T",
     WINDOW_4 SAME_VALID IMAGE "; T: realnumbertype", max_pool_grad_grad_shape},
    {"MaxPoolGradGradV2", "orig_input: T; orig_output: T; grad: T; ksize: int32; strides: int32",
     "output: T", "padding: {'SAME', 'VALID'}" IMAGE "; T: realnumbertype",
     max_pool_grad_grad_v2_shape},
    {"MaxPoolGradWithArgmax", "input: T; grad: T; argmax: Targmax", "output: T",
     WINDOW_4 SAME_VALID "; include_batch_in_index: bool = false; Targmax: " INDEX
                         "; T: realnumbertype",
     max_pool_grad_shape},
    {"MaxPoolWithArgmax", "input: T", "output: T; argmax: Targmax",
     WINDOW_4 "; Targmax: " INDEX_64 SAME_VALID
              "; include_batch_in_index: bool = false; T: realnumbertype",
     max_pool_argmax_shape},
    {"MaxPool3D", "input: T", "output: T",
     WINDOW_5 SAME_VALID VOLUME "; T: {half, bfloat16, float}", pool_shape},
    {"AvgPool", "value: T", "output: T", WINDOW_4 SAME_VALID IMAGE "; T: " FLOATS, pool_shape},
    {"AvgPoolGrad", "orig_input_shape: int32; grad: T", "output: T",
     WINDOW_4 SAME_VALID IMAGE "; T: " FLOATS, image_grad_shape},
    {"AvgPool3D", "input: T", "output: T", WINDOW_5 SAME_VALID VOLUME "; T: " FLOATS, pool_shape},
    {0},
};
