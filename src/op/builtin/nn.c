// Layers of neural networks without windows: activations, softmax, losses, bias, batch norm.
#include "op/builtin/family.h"

static void softmax_loss_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref logits = tn_infer_input(c, 0), labels = tn_infer_input(c, 1);
  // One matrix, or two things that broadcast to one.
  tn_status mismatch = {0};
  tn_shape_ref matrix = tn_infer_with_rank(c, logits, 2, &mismatch);
  matrix = tn_infer_merge(c, matrix, labels, &mismatch);
  tn_status_deinit(&mismatch);
  if (!matrix) matrix = tn_infer_broadcast(c, logits, labels, status);
  if (!matrix) return;
  if (matrix->rank != 2) {
    tn_shapes_fail(status, "logits and labels must make a matrix");
    return;
  }
  tn_infer_set_output(c, 0, tn_infer_vector(c, tn_infer_dim(matrix, 0), status));
  tn_infer_set_output(c, 1, matrix);
}

static void sparse_softmax_loss_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref logits = tn_infer_with_rank(c, tn_infer_input(c, 0), 2, status);
  tn_shape_ref labels = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  int64_t batch;
  if (!logits || !labels ||
      !tn_infer_merge_dim(tn_infer_dim(logits, 0), tn_infer_dim(labels, 0), &batch, status))
    return;
  tn_infer_set_output(c, 0, tn_infer_vector(c, batch, status));
  tn_infer_set_output(c, 1, tn_infer_replace_dim(c, logits, 0, batch, status));
}

// Input 0 of a rank with channels in it; `out_axis` gets their place.
static tn_shape_ref read_channels(tn_inference* c, int64_t* out_axis, tn_status* status) {
  tn_view format;
  if (!tn_infer_attr_string(c, "data_format", &format, status)) return NULL;
  bool first = tn_view_is(format, "NCHW");
  *out_axis = first ? 1 : -1;
  return tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), first ? 3 : 2, status);
}

static void bias_add_shape(tn_inference* c, tn_status* status) {
  int64_t axis, channels;
  tn_shape_ref input = read_channels(c, &axis, status);
  tn_shape_ref bias = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  if (input && bias &&
      tn_infer_merge_dim(tn_infer_dim(input, axis), tn_infer_dim(bias, 0), &channels, status))
    tn_infer_set_output(c, 0, tn_infer_replace_dim(c, input, axis, channels, status));
}

static void bias_add_v1_shape(tn_inference* c, tn_status* status) {
  int64_t channels;
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 2, status);
  tn_shape_ref bias = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  if (input && bias &&
      tn_infer_merge_dim(tn_infer_dim(input, -1), tn_infer_dim(bias, 0), &channels, status))
    tn_infer_set_output(c, 0, tn_infer_replace_dim(c, input, -1, channels, status));
}

static void bias_add_grad_shape(tn_inference* c, tn_status* status) {
  int64_t axis;
  tn_shape_ref input = read_channels(c, &axis, status);
  if (input) tn_infer_set_output(c, 0, tn_infer_vector(c, tn_infer_dim(input, axis), status));
}

// Merges the sizes of channels that input 0 (to `images` - 1) and vectors up to `stop` give, and
// sets the first output like input 0 and two more to vectors of that size.
static bool batch_norm(tn_inference* c, int images, int stop, int64_t* out_channels,
                       tn_status* status) {
  tn_view format;
  if (!tn_infer_attr_string(c, "data_format", &format, status)) return false;
  int rank = (int)format.size, axis = tn_view_skip(&format, "NC") ? 1 : rank - 1;
  int64_t channels = -1;
  for (int i = 0; i < stop; ++i) {
    tn_shape_ref input = tn_infer_with_rank(c, tn_infer_input(c, i), i < images ? rank : 1, status);
    if (!input || !tn_infer_merge_dim(channels, tn_infer_dim(input, i < images ? axis : 0),
                                      &channels, status))
      return false;
  }
  tn_shape_ref image = tn_infer_with_rank(c, tn_infer_input(c, 0), rank, status);
  tn_infer_set_output(c, 0, tn_infer_replace_dim(c, image, axis, channels, status));
  for (int i = 1; i < 3; ++i) tn_infer_set_output(c, i, tn_infer_vector(c, channels, status));
  *out_channels = channels;
  return true;
}

static void batch_norm_shape(tn_inference* c, tn_status* status) {
  bool training;
  int64_t channels;
  const tn_attr_value* factor =
      tn_infer_attr(c, "exponential_avg_factor", TN_ATTR_FLOAT, false, status);
  if (!factor || !tn_infer_attr_bool(c, "is_training", &training, status)) return;
  // Training from scratch reads no mean and variance.
  if (!batch_norm(c, 1, training && factor->floats[0] == 1 ? 3 : 5, &channels, status)) return;
  for (int i = 3; i < 5; ++i) tn_infer_set_output(c, i, tn_infer_vector(c, channels, status));
  if (c->node->output_count > 5) tn_infer_set_output(c, 5, tn_infer_unknown(c));
}

static void batch_norm_grad_shape(tn_inference* c, tn_status* status) {
  int64_t channels;
  if (!batch_norm(c, 2, 5, &channels, status)) return;
  for (int i = 3; i < 5; ++i) tn_infer_set_output(c, i, tn_infer_vector(c, 0, status));
}

static void lrn_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_with_rank(c, tn_infer_input(c, 0), 4, status));
}

#define TRAINING "; is_training: bool = true"
#define NORM_ATTRS "; data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'" TRAINING
#define NHWC "; data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define NORM_OUTPUTS(T, U)                                                  \
  "y: " T "; batch_mean: " U "; batch_variance: " U "; reserve_space_1: " U \
  "; "                                                                      \
  "reserve_space_2: " U
#define EPSILON "; epsilon: float = 0.0001"
#define AVERAGE "; exponential_avg_factor: float = 1.0"

const tn_builtin_op tn_nn_ops[] = {
    {"Relu", "features: T", "activations: T", "T: {realnumbertype, qint8}", tn_shapes_like_input},
    {"Relu6", "features: T", "activations: T", "T: realnumbertype", tn_shapes_like_input},
    {"Elu Selu Softplus Softsign", "features: T", "activations: T", "T: " FLOATS,
     tn_shapes_like_input},
    {"LeakyRelu", "features: T", "activations: T", "alpha: float = 0.2; T: " FLOATS " = DT_FLOAT",
     tn_shapes_like_input},
    {"ReluGrad Relu6Grad", "gradients: T; features: T", "backprops: T", "T: realnumbertype",
     tn_shapes_merged},
    {"SoftplusGrad SoftsignGrad", "gradients: T; features: T", "backprops: T", "T: " FLOATS,
     tn_shapes_merged},
    {"EluGrad SeluGrad", "gradients: T; outputs: T", "backprops: T", "T: " FLOATS,
     tn_shapes_merged},
    {"LeakyReluGrad", "gradients: T; features: T", "backprops: T",
     "alpha: float = 0.2; T: " FLOATS " = DT_FLOAT", tn_shapes_merged},
    {"Softmax", "logits: T", "softmax: T", "T: " FLOATS, tn_shapes_like_vector},
    {"LogSoftmax", "logits: T", "logsoftmax: T", "T: " FLOATS, tn_shapes_like_vector},
    {"SoftmaxCrossEntropyWithLogits", "features: T; labels: T", "loss: T; backprop: T",
     "T: " FLOATS, softmax_loss_shape},
    {"SparseSoftmaxCrossEntropyWithLogits", "features: T; labels: Tlabels", "loss: T; backprop: T",
     "T: " FLOATS "; Tlabels: " INDEX_64, sparse_softmax_loss_shape},
    {"BiasAdd", "value: T; bias: T", "output: T", "T: numbertype" NHWC, bias_add_shape},
    {"BiasAddGrad", "out_backprop: T", "output: T", "T: numbertype" NHWC, bias_add_grad_shape},
    {"BiasAddV1", "value: T; bias: T", "output: T", "T: numbertype", bias_add_v1_shape},
    {"FusedBatchNorm", "x: T; scale: T; offset: T; mean: T; variance: T", NORM_OUTPUTS("T", "T"),
     "T: {float}" EPSILON AVERAGE NHWC TRAINING, batch_norm_shape},
    {"FusedBatchNormV2", "x: T; scale: U; offset: U; mean: U; variance: U", NORM_OUTPUTS("T", "U"),
     "T: {half, bfloat16, float}; U: {float}" EPSILON AVERAGE NHWC TRAINING, batch_norm_shape},
    {"FusedBatchNormGrad", "y_backprop: T; x: T; scale: T; reserve_space_1: T; reserve_space_2: T",
     "x_backprop: T; scale_backprop: T; offset_backprop: T; reserve_space_3: T; "
     "reserve_space_4: T",
     "T: {float}" EPSILON NHWC TRAINING, batch_norm_grad_shape},
    {"FusedBatchNormGradV2",
     "y_backprop: T; x: T; scale: float; reserve_space_1: U; reserve_space_2: U",
     "x_backprop: T; scale_backprop: U; offset_backprop: U; reserve_space_3: U; "
     "reserve_space_4: U",
     "T: {half, bfloat16, float}; U: {float}" EPSILON NHWC TRAINING, batch_norm_grad_shape},
    {"FusedBatchNormV3", "x: T; scale: U; offset: U; mean: U; variance: U",
     NORM_OUTPUTS("T", "U") "; reserve_space_3: U",
     "T: {half, bfloat16, float}; U: {bfloat16, float}" EPSILON AVERAGE NORM_ATTRS,
     batch_norm_shape},
    {"FusedBatchNormGradV3",
     "y_backprop: T; x: T; scale: float; reserve_space_1: U; reserve_space_2: U; "
     "reserve_space_3: U",
     "x_backprop: T; scale_backprop: U; offset_backprop: U; reserve_space_4: U; "
     "reserve_space_5: U",
     "T: {half, bfloat16, float}; U: {float}" EPSILON NORM_ATTRS, batch_norm_grad_shape},
    {"LRN", "input: T", "output: T",
     "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; "
     "T: {half, bfloat16, float} = DT_FLOAT",
     lrn_shape},
    {0},
};
