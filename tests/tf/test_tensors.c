// tf_tensor.h as programs for TensorFlow's C API know it.
#include <stdint.h>

#include "harness.h"
#include "tensor/tensor.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

static int deallocated;
static void count_deallocation(void* data, size_t size, void* arg) {
  deallocated += 1;
  if (arg) *(size_t*)arg = size;
}

TEST(test_aligned_foreign_memory_is_used_where_it_lies) {
  _Alignas(64) static float values[6] = {1, 2, 3, 4, 5, 6};
  int64_t dims[] = {2, 3};
  size_t freed = 0;
  TF_Tensor* tensor =
      TF_NewTensor(TF_FLOAT, dims, 2, values, sizeof values, count_deallocation, &freed);
  CHECK(TF_TensorData(tensor) == values);
  CHECK(TF_TensorIsAligned(tensor));
  CHECK_INT(TF_TensorType(tensor), TF_FLOAT);
  CHECK_INT(TF_NumDims(tensor), 2);
  CHECK_INT(TF_Dim(tensor, 1), 3);
  CHECK_INT(TF_TensorByteSize(tensor), 24);
  CHECK_INT(TF_TensorElementCount(tensor), 6);
  CHECK(TF_TensorMaybeMove(tensor) == NULL);
  CHECK_INT(deallocated, 0);
  TF_DeleteTensor(tensor);
  CHECK_INT(deallocated, 1);
  CHECK_INT(freed, sizeof values);
}

TEST(test_unaligned_foreign_memory_is_copied_and_given_back_at_once) {
  _Alignas(64) static char memory[64 + 16];
  float value = 7;
  memcpy(memory + 4, &value, sizeof value);
  TF_Tensor* tensor = TF_NewTensor(TF_FLOAT, NULL, 0, memory + 4, 4, count_deallocation, NULL);
  CHECK_INT(deallocated, 1);
  CHECK(TF_TensorData(tensor) != memory + 4);
  CHECK(TF_TensorIsAligned(tensor));
  CHECK(*(float*)TF_TensorData(tensor) == 7);
  TF_DeleteTensor(tensor);
  CHECK_INT(deallocated, 1);
}

TEST(test_memory_that_is_too_short_gives_no_tensor_and_is_given_back) {
  _Alignas(64) static float values[2];
  int64_t dims[] = {3}, negative[] = {-1}, huge[] = {INT64_MAX, 8};
  CHECK(!TF_NewTensor(TF_FLOAT, dims, 1, values, sizeof values, count_deallocation, NULL));
  CHECK(!TF_NewTensor(TF_FLOAT, negative, 1, values, sizeof values, count_deallocation, NULL));
  CHECK(!TF_NewTensor(TF_FLOAT, huge, 2, values, sizeof values, count_deallocation, NULL));
  CHECK(!TF_NewTensor((TF_DataType)77, dims, 1, values, sizeof values, count_deallocation, NULL));
  CHECK(!TF_NewTensor(TF_FLOAT, dims, 1, NULL, 12, count_deallocation, NULL));
  CHECK_INT(deallocated, 5);
  CHECK(!TF_AllocateTensor(TF_FLOAT, dims, 1, 8));
  CHECK(!TF_AllocateTensor(TF_FLOAT, negative, 1, 8));
}

TEST(test_an_empty_tensor_has_data_and_no_bytes) {
  int64_t dims[] = {0, 3};
  TF_Tensor* tensor = TF_AllocateTensor(TF_DOUBLE, dims, 2, 0);
  CHECK(TF_TensorData(tensor) != NULL);
  CHECK_INT(TF_TensorByteSize(tensor), 0);
  CHECK_INT(TF_TensorElementCount(tensor), 0);
  TF_DeleteTensor(tensor);
  tensor = TF_NewTensor(TF_DOUBLE, dims, 2, NULL, 0, count_deallocation, NULL);
  CHECK(tensor && TF_TensorData(tensor));
  TF_DeleteTensor(tensor);
  CHECK_INT(deallocated, 1);
}

TEST(test_only_a_sole_owner_may_move) {
  int64_t dims[] = {4};
  TF_Tensor* tensor = TF_AllocateTensor(TF_INT32, dims, 1, 16);
  CHECK(TF_TensorMaybeMove(tensor) == tensor);
  tn_tensor* second = tn_tensor_share(tensor, NULL);
  CHECK(TF_TensorMaybeMove(tensor) == NULL);
  TF_DeleteTensor(second);
  CHECK(TF_TensorMaybeMove(tensor) == tensor);
  TF_DeleteTensor(tensor);
  CHECK(TF_TensorMaybeMove(NULL) == NULL);
}

TEST(test_bitcast_shares_memory_both_ways_and_refuses_other_sizes) {
  int64_t dims[] = {2, 3}, flat[] = {6}, bytes[] = {24}, wrong[] = {7};
  TF_Status* status = TF_NewStatus();
  TF_Tensor* a = TF_AllocateTensor(TF_FLOAT, dims, 2, 24);
  TF_Tensor* b = TF_AllocateTensor(TF_FLOAT, flat, 1, 24);
  TF_TensorBitcastFrom(a, TF_UINT8, b, bytes, 1, status);
  CHECK_OK(status);
  CHECK(TF_TensorData(a) == TF_TensorData(b));
  CHECK_INT(TF_TensorType(b), TF_UINT8);
  CHECK_INT(TF_Dim(b, 0), 24);
  ((char*)TF_TensorData(b))[23] = 5;
  CHECK_INT(((char*)TF_TensorData(a))[23], 5);
  TF_TensorBitcastFrom(a, TF_FLOAT, b, wrong, 1, status);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  TF_TensorBitcastFrom(NULL, TF_FLOAT, b, wrong, 1, status);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  TF_TensorBitcastFrom(a, TF_FLOAT, NULL, wrong, 1, status);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  TF_DeleteTensor(a);
  CHECK_INT(((char*)TF_TensorData(b))[23], 5);
  TF_DeleteTensor(b);
  TF_DeleteStatus(status);
}

TEST(test_string_tensors_start_empty_and_free_their_text) {
  int64_t dims[] = {3};
  TF_Tensor* tensor = TF_AllocateTensor(TF_STRING, dims, 1, 3 * sizeof(TF_TString));
  TF_TString* strings = TF_TensorData(tensor);
  for (int i = 0; i < 3; ++i) CHECK_INT(TF_StringGetSize(&strings[i]), 0);
  char text[200];
  memset(text, 'x', sizeof text);
  TF_StringCopy(&strings[0], text, sizeof text);
  TF_StringCopy(&strings[1], "small", 5);
  CHECK_INT(TF_StringGetType(&strings[0]), TF_TSTR_LARGE);
  CHECK_INT(TF_StringGetType(&strings[1]), TF_TSTR_SMALL);
  TF_DeleteTensor(tensor);
}

TEST(test_null_tensors_answer_and_do_not_crash) {
  TF_DeleteTensor(NULL);
  CHECK_INT(TF_NumDims(NULL), 0);
  CHECK_INT(TF_Dim(NULL, 0), -1);
  CHECK_INT(TF_TensorByteSize(NULL), 0);
  CHECK(TF_TensorData(NULL) == NULL);
  CHECK(!TF_TensorIsAligned(NULL));
  TF_SetShape(NULL, NULL, 0);
  TF_DeleteBuffer(NULL);
  TF_DeleteStatus(NULL);
}

TEST(test_a_tensor_takes_the_contents_of_a_proto) {
  // dtype DT_INT32, shape [2], int_val 5 repeated by rule.
  static const char proto[] = "\x08\x03\x12\x04\x12\x02\x08\x02\x38\x05";
  TF_Status* status = TF_NewStatus();
  TF_Buffer* buffer = TF_NewBufferFromString(proto, sizeof proto - 1);
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
  TF_TensorFromProto(buffer, tensor, status);
  CHECK_OK(status);
  CHECK_INT(TF_TensorType(tensor), TF_INT32);
  CHECK_INT(TF_Dim(tensor, 0), 2);
  CHECK_INT(((int32_t*)TF_TensorData(tensor))[1], 5);
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBufferFromString("\xff\xff", 2);
  TF_TensorFromProto(buffer, tensor, status);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK_INT(TF_TensorType(tensor), TF_INT32);
  TF_TensorFromProto(NULL, tensor, status);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  TF_DeleteBuffer(buffer);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
}
