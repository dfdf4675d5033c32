#include "base/status.h"
#include "harness.h"
#include "tensor/tensor.h"
#include "tensor/tstring.h"

TEST(test_a_new_tensor_is_aligned_and_has_its_type_and_shape) {
  tn_status status = {0};
  const int64_t dims[] = {2, 3};
  for (int i = 0; i < 20; ++i) {
    tn_tensor* tensor = tn_tensor_create(TN_DOUBLE, dims, 2, &status);
    CHECK_OK(&status);
    CHECK_INT((uintptr_t)tn_tensor_data(tensor) % TN_ALIGNMENT, 0);
    CHECK_INT(tn_tensor_dtype(tensor), TN_DOUBLE);
    CHECK_INT(tn_tensor_rank(tensor), 2);
    CHECK_INT(tn_tensor_dim(tensor, 0), 2);
    CHECK_INT(tn_tensor_dim(tensor, 1), 3);
    CHECK_INT(tn_tensor_dim(tensor, 2), -1);
    CHECK_INT(tn_tensor_dim(tensor, -1), -1);
    CHECK_INT(tn_tensor_elements(tensor), 6);
    CHECK_INT(tn_tensor_bytes(tensor), 48);
    memset(tn_tensor_data(tensor), 0xff, 48);
    tn_tensor_destroy(tensor);
  }
}

TEST(test_a_tensor_without_elements_still_has_an_address) {
  tn_status status = {0};
  const int64_t huge_but_empty[] = {INT64_MAX, INT64_MAX, 0};
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, huge_but_empty, 3, &status);
  CHECK_OK(&status);
  CHECK(tn_tensor_data(tensor));
  CHECK_INT(tn_tensor_elements(tensor), 0);
  CHECK_INT(tn_tensor_bytes(tensor), 0);
  tn_tensor_destroy(tensor);
}

TEST(test_ranks_over_eight_work_like_small_ones) {
  tn_status status = {0};
  int64_t dims[TN_MAX_RANK];
  for (int i = 0; i < TN_MAX_RANK; ++i) dims[i] = i == 200 ? 5 : 1;
  tn_tensor* tensor = tn_tensor_create(TN_INT8, dims, TN_MAX_RANK, &status);
  tn_tensor* shared = tn_tensor_share(tensor, &status);
  CHECK_OK(&status);
  CHECK_INT(tn_tensor_dim(shared, 200), 5);
  tn_tensor_destroy(tensor);
  CHECK_INT(tn_tensor_elements(shared), 5);
  tn_tensor_destroy(shared);
  CHECK(!tn_tensor_create(TN_INT8, dims, TN_MAX_RANK + 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}
