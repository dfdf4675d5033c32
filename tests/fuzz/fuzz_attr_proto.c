// Any bytes as AttrValue or, in one, as NameAttrList: a value that encodes to bytes which decode to
// the same, or a status.
#include <stdint.h>
#include <stdlib.h>

#include "base/status.h"
#include "op/attr_value.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check_value(const tn_attr_value* value) {
  tn_text text = {0}, bytes = {0};
  tn_attr_value again, copy;
  tn_attr_value_print(value, &text);
  if (!tn_attr_value_encode(value, &bytes, NULL)) abort();
  if (!tn_attr_value_decode(&again, tn_text_view(&bytes), NULL)) abort();
  if (!tn_attr_value_copy(&copy, value, NULL)) abort();
  if (!tn_attr_value_equal(value, &again) || !tn_attr_value_equal(&copy, &again)) abort();
  if (tn_attr_value_hash(value, 1) != tn_attr_value_hash(&again, 1)) abort();
  tn_attr_value_deinit(&again);
  tn_attr_value_deinit(&copy);
  tn_text_deinit(&text);
  tn_text_deinit(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  tn_attr_value value;
  bool decoded =
      tn_attr_value_decode_within(&value, (tn_view){(const char*)data, size}, 1 << 20, &status);
  if (decoded != tn_ok(&status)) abort();
  if (decoded) check_value(&value);
  tn_attr_value_deinit(&value);
  tn_status_deinit(&status);
  return 0;
}
