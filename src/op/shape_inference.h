// Shape inference: the context a shape function works in. Shapes and their dimensions live in the
// context until it dies; a shape is never changed once made. Dimensions are plain numbers, -1
// unknown.
#ifndef TENON_OP_SHAPE_INFERENCE_H_
#define TENON_OP_SHAPE_INFERENCE_H_

#include "base/arena.h"
#include "op/node.h"

typedef struct TF_ShapeInferenceContext tn_inference;
typedef const tn_shape* tn_shape_ref;

// What a resource input or output holds, where known.
typedef struct tn_handle_data {
  tn_dtype dtype;
  tn_shape_ref shape;  // NULL: nothing is known of it
} tn_handle_data;

struct TF_ShapeInferenceContext {
  const tn_node* node;
  tn_arena arena;  // owns every shape made here, large dimensions too: none is deinited
  tn_shape_ref* inputs;
  const tn_tensor* const* values;  // constant inputs where known, else NULL entries; may be NULL
  const tn_shape_ref* values_as_shapes;  // partially known shape-valued inputs; may be NULL
  const tn_handle_data* input_handles;   // may be NULL
  tn_shape_ref* outputs;
  tn_handle_data* output_handles;
};

// Boxes that the C API hands out.
struct TF_ShapeHandle {
  tn_shape_ref shape;  // NULL: unset
};
struct TF_DimensionHandle {
  int64_t value;
  bool is_set;
};

// Runs the op's shape function (or "all unknown" when it has none). `inputs` may be partial;
// `values` may be NULL or hold NULLs. `out_shapes` gets node->output_count shapes, each to be
// deinited by the caller; on failure none. `status` annotated with the op.
bool tn_infer_shapes(const tn_node* node, const tn_shape* inputs, const tn_tensor* const* values,
                     tn_shape* out_shapes, tn_status* status);

// The same in steps, for callers that know more than shapes or want more than shapes back. `inputs`
// and `values` must live as long as the context. After init the caller may set values_as_shapes and
// input_handles (node->input_count entries each); after run read outputs and output_handles, which
// die with the context. Run fails with what the shape function reported.
bool tn_inference_init(tn_inference* c, const tn_node* node, const tn_shape* inputs,
                       const tn_tensor* const* values, tn_status* status);
bool tn_inference_run(tn_inference* c, tn_status* status);
void tn_inference_deinit(tn_inference* c);

// The verbs below are what shape functions use. Those that return a tn_shape_ref return NULL after
// setting `status`, and pass a NULL shape argument through as failure, so calls can be chained and
// checked once.
tn_shape_ref tn_infer_input(tn_inference* c, int i);
void tn_infer_set_output(tn_inference* c, int i, tn_shape_ref shape);
tn_shape_ref tn_infer_unknown(tn_inference* c);
// A rank of -1 is an unknown one, here and in make.
tn_shape_ref tn_infer_unknown_of_rank(tn_inference* c, int64_t rank, tn_status* status);
tn_shape_ref tn_infer_make(tn_inference* c, const int64_t* dims, int64_t rank, tn_status* status);
tn_shape_ref tn_infer_scalar(tn_inference* c);
tn_shape_ref tn_infer_vector(tn_inference* c, int64_t size, tn_status* status);

static inline bool tn_infer_rank_known(tn_shape_ref shape) { return shape->rank >= 0; }
// Dimension i, counted from the end when negative; -1 when unknown or out of range.
int64_t tn_infer_dim(tn_shape_ref shape, int64_t i);

tn_shape_ref tn_infer_with_rank(tn_inference* c, tn_shape_ref shape, int64_t rank,
                                tn_status* status);
tn_shape_ref tn_infer_with_rank_at_least(tn_inference* c, tn_shape_ref shape, int64_t rank,
                                         tn_status* status);
tn_shape_ref tn_infer_with_rank_at_most(tn_inference* c, tn_shape_ref shape, int64_t rank,
                                        tn_status* status);
tn_shape_ref tn_infer_merge(tn_inference* c, tn_shape_ref a, tn_shape_ref b, tn_status* status);
tn_shape_ref tn_infer_merge_prefix(tn_inference* c, tn_shape_ref shape, tn_shape_ref prefix,
                                   tn_status* status);
bool tn_infer_merge_dim(int64_t a, int64_t b, int64_t* out_dim, tn_status* status);
bool tn_infer_with_value(int64_t dim, int64_t value, int64_t* out_dim, tn_status* status);
tn_shape_ref tn_infer_subshape(tn_inference* c, tn_shape_ref shape, int64_t start, int64_t end,
                               tn_status* status);
tn_shape_ref tn_infer_concatenate(tn_inference* c, tn_shape_ref a, tn_shape_ref b,
                                  tn_status* status);
tn_shape_ref tn_infer_replace_dim(tn_inference* c, tn_shape_ref shape, int64_t i, int64_t dim,
                                  tn_status* status);
// Numpy broadcasting of partial shapes, as TensorFlow infers it.
tn_shape_ref tn_infer_broadcast(tn_inference* c, tn_shape_ref a, tn_shape_ref b, tn_status* status);

// Dimension arithmetic with unknowns (and overflow checks).
bool tn_infer_add(int64_t a, int64_t b, int64_t* out_dim, tn_status* status);
bool tn_infer_subtract(int64_t a, int64_t b, int64_t* out_dim, tn_status* status);
bool tn_infer_multiply(int64_t a, int64_t b, int64_t* out_dim, tn_status* status);
// A divisor of -1 is an unknown one.
bool tn_infer_divide(int64_t a, int64_t divisor, bool evenly, int64_t* out_dim, tn_status* status);

int64_t tn_infer_min(int64_t a, int64_t b);
int64_t tn_infer_max(int64_t a, int64_t b);

// What resource input i holds, as far as known; NULL when nothing is.
const tn_handle_data* tn_infer_handle(tn_inference* c, int i);
void tn_infer_set_handle(tn_inference* c, int i, tn_dtype dtype, tn_shape_ref shape);

// Input i's value when it is known, else NULL. Borrowed.
const tn_tensor* tn_infer_value(tn_inference* c, int i);
// The shape that shape-valued input i spells, as far as known.
tn_shape_ref tn_infer_value_as_shape(tn_inference* c, int i, tn_status* status);
// A known scalar integer input; false without failure when it is unknown.
bool tn_infer_value_as_int(tn_inference* c, int i, int64_t* out_value, tn_status* status);

// Attributes; false and INVALID_ARGUMENT when missing or of another type.
const tn_attr_value* tn_infer_attr(tn_inference* c, const char* name, tn_attr_kind kind,
                                   bool is_list, tn_status* status);
bool tn_infer_attr_int(tn_inference* c, const char* name, int64_t* out_value, tn_status* status);
bool tn_infer_attr_bool(tn_inference* c, const char* name, bool* out_value, tn_status* status);
bool tn_infer_attr_type(tn_inference* c, const char* name, tn_dtype* out_value, tn_status* status);
bool tn_infer_attr_string(tn_inference* c, const char* name, tn_view* out_value, tn_status* status);

#endif  // TENON_OP_SHAPE_INFERENCE_H_
