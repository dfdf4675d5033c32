#include "sliding.h"

#include <string.h>

padding attr_padding(attrs* attrs, bool has_explicit) {
  static const char* const kinds[] = {"VALID", "SAME", "EXPLICIT", NULL};
  padding padding = {attr_choice(attrs, "padding", kinds), {0}};
  if (!has_explicit) return padding;
  int64_t edges[8];
  const int count = attr_ints(attrs, "explicit_paddings", edges, 8);
  if (padding.kind != PADDING_EXPLICIT) return padding;
  if (count != 8)
    attrs_fail(attrs, TF_INVALID_ARGUMENT, "explicit_paddings has %d numbers, and must have 8",
               count);
  for (int i = 0; i < count && attrs_ok(attrs); ++i) {
    if (edges[i] < 0 || edges[i] > INT32_MAX) {
      attrs_fail(attrs, TF_INVALID_ARGUMENT,
                 "explicit_paddings[%d] is %lld, and must be in [0, 2^31)", i, (long long)edges[i]);
    } else if ((i < 2 || i >= 6) && edges[i] > 0) {
      attrs_fail(attrs, TF_INVALID_ARGUMENT,
                 "explicit_paddings[%d] is %lld, and must be 0: batch and channels are not padded",
                 i, (long long)edges[i]);
    }
    padding.edges[i] = edges[i];
  }
  return padding;
}

bool slide(run* run, const padding* padding, int dimension, sliding s, int64_t* out_size,
           int64_t* out_before) {
  if (s.stride <= 0 || s.stride > INT32_MAX || s.dilation <= 0 || s.dilation > INT32_MAX ||
      s.window > INT32_MAX) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "window %lld, stride %lld and dilation %lld of dimension %d must be positive and fit "
             "into 32 bits",
             (long long)s.window, (long long)s.stride, (long long)s.dilation, dimension);
    return false;
  }
  // No overflow: sizes of arrays are below 2^60.
  const int64_t reach = (s.window - 1) * s.dilation + 1;
  int64_t before = 0, after = 0;
  if (padding->kind == PADDING_SAME) {
    *out_size = (s.size + s.stride - 1) / s.stride;
    const int64_t missing = (*out_size - 1) * s.stride + reach - s.size;
    *out_before = missing > 0 ? missing / 2 : 0;
    return true;
  }
  if (padding->kind == PADDING_EXPLICIT) {
    before = padding->edges[2 * dimension];
    after = padding->edges[2 * dimension + 1];
  }
  *out_size = (s.size + before + after - reach + s.stride) / s.stride;
  *out_before = before;
  if (*out_size >= 0) return true;
  run_fail(
      run, TF_INVALID_ARGUMENT,
      "a window that reaches over %lld is larger than dimension %d, which is %lld with padding",
      (long long)reach, dimension, (long long)(s.size + before + after));
  return false;
}

bool check_rank(run* run, const char* name, const array* found, int rank) {
  char text[SHAPE_TEXT];
  if (found->rank == rank) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input %s must be of rank %d, not of shape %s", name, rank,
           shape_text(found->rank, found->dims, text));
  return false;
}

bool check_dims(run* run, const char* name, const array* found, int rank, const int64_t* dims) {
  char text[SHAPE_TEXT], wanted[SHAPE_TEXT];
  if (found->rank == rank && memcmp(found->dims, dims, (size_t)rank * sizeof *dims) == 0)
    return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input %s is of shape %s, and must be of shape %s", name,
           shape_text(found->rank, found->dims, text), shape_text(rank, dims, wanted));
  return false;
}
