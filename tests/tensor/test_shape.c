#include "base/status.h"
#include "harness.h"
#include "tensor/shape.h"

static const char* printed(const tn_shape* shape) {
  static char result[4096];
  tn_text text = {0};
  tn_shape_print(shape, &text);
  snprintf(result, sizeof result, "%s", tn_text_view(&text).data);
  tn_text_deinit(&text);
  return result;
}

TEST(test_shapes_print_as_in_tensorflows_messages) {
  tn_shape shape = {0};
  CHECK_TEXT(printed(&shape), "[]");
  CHECK(tn_shape_init(&shape, (int64_t[]){2, -1, 3}, 3, NULL));
  CHECK_TEXT(printed(&shape), "[2,?,3]");
  tn_shape_deinit(&shape);
  CHECK(tn_shape_init(&shape, NULL, -1, NULL));
  CHECK_TEXT(printed(&shape), "<unknown>");
}

TEST(test_the_number_of_elements) {
  struct {
    int64_t dims[3];
    int rank;
    int64_t elements;
  } const cases[] = {
      {{0}, 0, 1},
      {{0}, -1, -1},
      {{2, 3, 4}, 3, 24},
      {{2, -1, 4}, 3, -1},
      {{0, -1, 4}, 3, -1},
      {{INT64_MAX, 2, 1}, 3, -1},
      {{INT64_MAX, 2, 0}, 3, 0},
      {{0, INT64_MAX, INT64_MAX}, 3, 0},
      {{INT64_MAX, 1, 1}, 3, INT64_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_shape shape;
    CHECK(tn_shape_init(&shape, cases[i].dims, cases[i].rank, NULL));
    CHECK_INT(tn_shape_elements(&shape), cases[i].elements);
    tn_shape_deinit(&shape);
  }
}

TEST(test_bad_shapes_are_refused_and_leave_a_scalar) {
  tn_status status = {0};
  tn_shape shape;
  int64_t dims[TN_MAX_RANK + 1] = {0};
  CHECK(!tn_shape_init(&shape, dims, TN_MAX_RANK + 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(shape.rank, 0);
  CHECK(!tn_shape_init(&shape, dims, -2, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_shape_init(&shape, NULL, 1, &status));
  CHECK_CONTAINS(tn_status_message(&status), "without dimensions");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_shape_init(&shape, (int64_t[]){1, -2}, 2, &status));
  CHECK_CONTAINS(tn_status_message(&status), "dimension 1 of a shape is -2");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

TEST(test_shapes_survive_their_proto) {
  uint64_t random = test_seed();
  tn_status status = {0};
  for (int round = 0; round < 300; ++round) {
    int64_t dims[TN_MAX_RANK];
    int rank = (int)test_between(&random, -1, round % 10 ? 10 : TN_MAX_RANK);
    for (int i = 0; i < rank; ++i)
      dims[i] = test_between(&random, -1, test_between(&random, 0, 1) ? 3 : INT64_MAX - 2);
    tn_shape shape, copy, decoded;
    CHECK(tn_shape_init(&shape, dims, rank, &status) && tn_shape_copy(&copy, &shape, &status));
    tn_text bytes = {0};
    tn_shape_encode(&shape, &bytes);
    CHECK(tn_shape_decode(&decoded, tn_text_view(&bytes), &status));
    CHECK(tn_shape_equal(&decoded, &shape) && tn_shape_equal(&copy, &decoded));
    bool full = rank >= 0;
    for (int i = 0; i < rank; ++i) full = full && dims[i] >= 0;
    CHECK(tn_shape_is_full(&decoded) == full);
    if (rank > 0) {
      dims[rank - 1] += 1;
      tn_shape_deinit(&copy);
      CHECK(tn_shape_init(&copy, dims, rank, &status) && !tn_shape_equal(&copy, &decoded));
      tn_shape_deinit(&copy);
      CHECK(tn_shape_init(&copy, dims, rank - 1, &status) && !tn_shape_equal(&copy, &decoded));
    }
    tn_text_deinit(&bytes);
    tn_shape_deinit(&shape);
    tn_shape_deinit(&copy);
    tn_shape_deinit(&decoded);
  }
  CHECK_OK(&status);
}

TEST(test_a_damaged_shape_proto_is_a_status) {
  tn_status status = {0};
  tn_shape shape;
  static const char* const damaged[] = {"\x12", "\x12\x05\x08", "\xff", "\x12\x02\x08\xff",
                                        "\x12\x02\x08\x02\x18\x01"};
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; ++i) {
    CHECK(!tn_shape_decode(&shape, tn_view_of(damaged[i]), &status));
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK_INT(shape.rank, 0);
  }
}

static bool copy_large_shape(void* arg, tn_status* status) {
  int64_t dims[20] = {0};
  tn_shape shape, copy;
  if (!tn_shape_init(&shape, dims, 20, status)) return false;
  bool copied = tn_shape_copy(&copy, &shape, status);
  tn_shape_deinit(&shape);
  if (copied) tn_shape_deinit(&copy);
  return copied;
}

TEST(test_shapes_without_memory) { CHECK_INT(test_sweep_allocations(copy_large_shape, NULL), 2); }
