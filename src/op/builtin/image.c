// Pictures: resizing, cropping, colours.
#include "op/builtin/family.h"

// [batch, height, width, channels] with the two in the middle from vector input i.
static void set_sized(tn_inference* c, int64_t batch, int i, int64_t channels, tn_status* status) {
  tn_shape_ref size = tn_infer_with_rank(c, tn_infer_input(c, i), 1, status);
  int64_t count;
  if (!size || !tn_infer_with_value(tn_infer_dim(size, 0), 2, &count, status)) return;
  const int64_t* given = tn_shapes_ints(c, i, &count, status);
  if (!tn_ok(status)) return;
  int64_t dims[] = {batch, given ? given[0] : -1, given ? given[1] : -1, channels};
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, 4, status));
}

static void resize_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref images = tn_infer_with_rank(c, tn_infer_input(c, 0), 4, status);
  if (images) set_sized(c, tn_infer_dim(images, 0), 1, tn_infer_dim(images, 3), status);
}

static void resize_grad_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_input(c, 1));
}

static void crop_and_resize_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref images = tn_infer_with_rank(c, tn_infer_input(c, 0), 4, status);
  tn_shape_ref boxes = tn_infer_with_rank(c, tn_infer_input(c, 1), 2, status);
  tn_shape_ref owners = tn_infer_with_rank(c, tn_infer_input(c, 2), 1, status);
  int64_t count, four;
  if (images && boxes && owners &&
      tn_infer_merge_dim(tn_infer_dim(boxes, 0), tn_infer_dim(owners, 0), &count, status) &&
      tn_infer_with_value(tn_infer_dim(boxes, 1), 4, &four, status))
    set_sized(c, count, 3, tn_infer_dim(images, 3), status);
}

static void colour_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref images = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  int64_t three;
  if (images && tn_infer_with_value(tn_infer_dim(images, -1), 3, &three, status))
    tn_infer_set_output(c, 0, tn_infer_replace_dim(c, images, -1, three, status));
}

static void contrast_shape(tn_inference* c, tn_status* status) {
  if (tn_shapes_input_rank(c, 1, 0, status)) tn_shapes_like_volume(c, status);
}

#define PIXELS "{int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}"
#define CORNERS "; align_corners: bool = false; half_pixel_centers: bool = false"

const tn_builtin_op tn_image_ops[] = {
    {"ResizeBilinear", "images: T; size: int32", "resized_images: float",
     "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, "
     "bfloat16}" CORNERS,
     resize_shape},
    {"ResizeBicubic", "images: T; size: int32", "resized_images: float", "T: " PIXELS CORNERS,
     resize_shape},
    {"ResizeNearestNeighbor", "images: T; size: int32", "resized_images: T", "T: " PIXELS CORNERS,
     resize_shape},
    {"ResizeArea", "images: T; size: int32", "resized_images: float",
     "T: " PIXELS "; align_corners: bool = false", resize_shape},
    {"ResizeBilinearGrad", "grads: float; original_image: T", "output: T",
     "T: {float, bfloat16, half, double}" CORNERS, resize_grad_shape},
    {"ResizeNearestNeighborGrad", "grads: T; size: int32", "output: T",
     "T: {uint8, int8, int32, half, float, double, bfloat16}" CORNERS, resize_shape},
    {"CropAndResize", "image: T; boxes: float; box_ind: int32; crop_size: int32", "crops: float",
     "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; "
     "method: {'bilinear', 'nearest'} = 'bilinear'; extrapolation_value: float = 0",
     crop_and_resize_shape},
    {"AdjustContrastv2", "images: T; contrast_factor: float", "output: T",
     "T: {half, float} = DT_FLOAT", contrast_shape},
    {"AdjustHue", "images: T; delta: float", "output: T", "T: {half, float} = DT_FLOAT",
     tn_shapes_like_volume},
    {"AdjustSaturation", "images: T; scale: float", "output: T", "T: {half, float} = DT_FLOAT",
     tn_shapes_like_volume},
    {"RGBToHSV HSVToRGB", "images: T", "output: T", "T: " FLOATS " = DT_FLOAT", colour_shape},
    {0},
};
