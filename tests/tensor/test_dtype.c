#include "harness.h"
#include "tensor/dtype.h"
#include "tensor/element.h"
#include "tensorflow/c/tf_datatype.h"

TEST(test_names_are_tensorflows_and_lead_back_to_their_types) {
  for (int number = -5; number < 400; ++number) {
    tn_dtype dtype = (tn_dtype)number;
    const char* name = tn_dtype_name(dtype);
    bool exists = strcmp(name, "unknown") != 0;
    CHECK(exists == ((number >= 1 && number <= 33) || (number >= 101 && number <= 133) ||
                     (number >= 200 && number <= 202)));
    CHECK(tn_dtype_is_known(dtype) == (exists && number < 200));
    if (!exists) {
      CHECK_INT(tn_dtype_size(dtype), 0);
      CHECK_INT(tn_dtype_stored_size(dtype), 0);
      continue;
    }
    CHECK_INT(tn_dtype_from_name(name), number);
    const char* enum_name = tn_dtype_enum_name(dtype);
    CHECK((enum_name != NULL) == (number < 200));
    if (enum_name) CHECK_INT(tn_dtype_from_name(enum_name), number);
  }
}

TEST(test_second_names_and_wrong_names) {
  CHECK_INT(tn_dtype_from_name("float32"), TN_FLOAT);
  CHECK_INT(tn_dtype_from_name("float64"), TN_DOUBLE);
  CHECK_INT(tn_dtype_from_name("float16"), TN_HALF);
  CHECK_INT(tn_dtype_from_name("float32_ref"), TN_FLOAT + TN_REF_OFFSET);
  CHECK_TEXT(tn_dtype_name(TN_FLOAT), "float");
  CHECK_TEXT(tn_dtype_name(TN_HALF), "half");
  CHECK_TEXT(tn_dtype_name((tn_dtype)(TN_STRING + TN_REF_OFFSET)), "string_ref");
  CHECK_TEXT(tn_dtype_enum_name(TN_HALF), "DT_HALF");
  CHECK_TEXT(tn_dtype_enum_name((tn_dtype)101), "DT_FLOAT_REF");
  CHECK_TEXT(tn_dtype_enum_name(TN_INVALID), "DT_INVALID");
  static const char* const wrong[] = {
      "",         "Float",           "DT_",     "_ref",      "float_ref_ref",
      "DT_float", "float8_e4m3_ref", "unknown", "DT_INVALID"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    CHECK_INT(tn_dtype_from_name(wrong[i]), TN_INVALID);
  CHECK_INT(tn_dtype_from_name(NULL), TN_INVALID);
}

TEST(test_sizes) {
  CHECK_INT(tn_dtype_size(TN_COMPLEX128), 16);
  CHECK_INT(tn_dtype_size(TN_INT4), 1);
  CHECK_INT(tn_dtype_size(TN_STRING), 0);
  CHECK_INT(tn_dtype_size((tn_dtype)101), 0);
  CHECK_INT(tn_dtype_stored_size(TN_STRING), 24);
  CHECK_INT(tn_dtype_stored_size(TN_RESOURCE), sizeof(void*));
  CHECK(tn_dtype_owns(TN_VARIANT) && tn_dtype_owns(TN_STRING) && !tn_dtype_owns(TN_FLOAT));
}

TEST(test_the_numbers_are_those_of_the_plugin_abi) {
  CHECK_INT(TN_FLOAT, TF_FLOAT);
  CHECK_INT(TN_STRING, TF_STRING);
  CHECK_INT(TN_BFLOAT16, TF_BFLOAT16);
  CHECK_INT(TN_HALF, TF_HALF);
  CHECK_INT(TN_VARIANT, TF_VARIANT);
  CHECK_INT(TN_UINT64, TF_UINT64);
  CHECK_INT(TN_INT4, TF_INT4);
}

TEST(test_elements_are_read_as_numbers_by_their_kind) {
  int8_t minus_two = -2;
  CHECK_INT(tn_element_signed(TN_INT8, &minus_two), -2);
  CHECK_INT(tn_element_signed(TN_INT4, (uint8_t[]){0x0e}), -2);
  CHECK_INT(tn_element_signed(TN_INT4, (uint8_t[]){0xfe}), -2);
  CHECK_INT(tn_element_unsigned(TN_UINT4, (uint8_t[]){0xfe}), 14);
  CHECK_INT(tn_element_signed(TN_INT2, (uint8_t[]){3}), -1);
  CHECK_INT(tn_element_unsigned(TN_BOOL, (uint8_t[]){7}), 1);
  CHECK(tn_element_unsigned(TN_UINT64, (uint64_t[]){UINT64_MAX}) == UINT64_MAX);
  CHECK(tn_element_float(TN_HALF, (uint16_t[]){0xbc00}) == -1);
  CHECK(tn_element_float(TN_BFLOAT16, (uint16_t[]){0x4049}) == 3.140625);
  CHECK(tn_element_float(TN_FLOAT8_E4M3FN, (uint8_t[]){0x7e}) == 448);
  CHECK(tn_element_float(TN_FLOAT8_E8M0FNU, (uint8_t[]){128}) == 2);
  CHECK(tn_element_float(TN_FLOAT4_E2M1FN, (uint8_t[]){7}) == 6);
  // Asked for as another kind they are nothing.
  CHECK_INT(tn_element_signed(TN_FLOAT, &(float){1}), 0);
  CHECK_INT(tn_element_unsigned(TN_INT8, &minus_two), 0);
  CHECK(tn_element_float(TN_INT8, &minus_two) == 0);
  CHECK_INT(tn_dtype_kind(TN_STRING), TN_NUMBER_NONE);
  CHECK_INT(tn_dtype_kind((tn_dtype)77), TN_NUMBER_NONE);
}
