// What any tensor that came out of foreign bytes must stand.
#ifndef TENON_TESTS_FUZZ_TENSOR_CHECKS_H_
#define TENON_TESTS_FUZZ_TENSOR_CHECKS_H_

#include <stdlib.h>

#include "base/status.h"
#include "tensor/print.h"

static inline bool same_tensors(const tn_tensor* a, const tn_tensor* b) {
  if (a->dtype != b->dtype || !tn_shape_equal(&a->shape, &b->shape)) return false;
  if (a->dtype != TN_STRING)
    return memcmp(tn_tensor_data(a), tn_tensor_data(b), tn_tensor_bytes(a)) == 0;
  for (int64_t i = 0; i < tn_tensor_elements(a); ++i) {
    tn_view texts[2];
    texts[0].data = tn_tensor_string(a, i, &texts[0].size);
    texts[1].data = tn_tensor_string(b, i, &texts[1].size);
    if (!tn_view_equal(texts[0], texts[1])) return false;
  }
  return true;
}

// Prints it, and sends it through a TensorProto when there is one for it.
static inline void check_tensor(const tn_tensor* tensor) {
  tn_text text = {0};
  if (!tn_tensor_print(tensor, &text, NULL, NULL) || text.size == 0) abort();
  text.size = 0;
  if (tn_dtype_is_known(tensor->dtype)) {
    tn_tensor* again = NULL;
    if (tn_tensor_encode(tensor, &text, NULL)) again = tn_tensor_decode(tn_text_view(&text), NULL);
    // Integers of less than a byte lose what lies in the bits that do not count.
    bool exact = tensor->dtype < TN_INT4 || tensor->dtype > TN_UINT2;
    if (!again || (exact && !same_tensors(tensor, again))) abort();
    tn_tensor_destroy(again);
  }
  tn_text_deinit(&text);
}

#endif  // TENON_TESTS_FUZZ_TENSOR_CHECKS_H_
