#include "base/suggest.h"

#include "harness.h"

static const char* const ops[] = {"Abs",  "Add",     "AddV2",    "BatchMatMul", "BiasAdd",
                                  "Cast", "Conv2D",  "Identity", "MatMul",      "Mul",
                                  "Relu", "Reshape", "Softmax",  "Transpose",   "VarHandleOp"};

static const char* suggest(const char* wanted) {
  const char* found = tn_suggest(wanted, ops, sizeof ops / sizeof *ops);
  return found ? found : "(none)";
}

TEST(test_a_slip_of_the_keyboard_finds_the_name) {
  CHECK_TEXT(suggest("MatMull"), "MatMul");
  CHECK_TEXT(suggest("MtaMul"), "MatMul");
  CHECK_TEXT(suggest("Rehsape"), "Reshape");
  CHECK_TEXT(suggest("Sofmax"), "Softmax");
  CHECK_TEXT(suggest("Transposed"), "Transpose");
}

TEST(test_other_case_is_nearer_than_other_letters) {
  CHECK_TEXT(suggest("matmul"), "MatMul");
  CHECK_TEXT(suggest("MUL"), "Mul");
  CHECK_TEXT(suggest("add"), "Add");
  CHECK_TEXT(suggest("varhandleop"), "VarHandleOp");
}

TEST(test_a_name_cut_short_is_found) { CHECK_TEXT(suggest("Conv"), "Conv2D"); }

TEST(test_nothing_is_suggested_for_a_name_that_is_far_from_all) {
  CHECK_TEXT(suggest("FusedBatchNorm"), "(none)");
  CHECK_TEXT(suggest("Xyz"), "(none)");
  CHECK_TEXT(suggest("Q"), "(none)");
  CHECK_TEXT(suggest(""), "(none)");
}

TEST(test_of_equally_near_names_the_first_is_taken) {
  const char* const names[] = {"axis_a", "axis_b"};
  CHECK_TEXT(tn_suggest("axis_c", names, 2), "axis_a");
}

TEST(test_there_may_be_no_names_at_all) { CHECK(tn_suggest("x", NULL, 0) == NULL); }

TEST(test_very_long_names_are_passed_over) {
  char wanted[300], known[300];
  memset(wanted, 'a', 299);
  memset(known, 'a', 298);
  wanted[299] = known[298] = 0;
  const char* const names[] = {known};
  CHECK(tn_suggest(wanted, names, 1) == NULL);
}

TEST(test_one_edit_in_a_long_name_always_finds_it_again) {
  static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  uint64_t random = test_seed();
  for (int round = 0; round < 2000; ++round) {
    const char* name = ops[test_between(&random, 3, sizeof ops / sizeof *ops - 1)];
    if (strlen(name) < 6) continue;
    char wrong[32];
    size_t at = (size_t)test_between(&random, 0, (int64_t)strlen(name) - 1);
    char letter = alphabet[test_between(&random, 0, sizeof alphabet - 2)];
    switch (test_between(&random, 0, 2)) {
      case 0: snprintf(wrong, sizeof wrong, "%.*s%s", (int)at, name, name + at + 1); break;
      case 1: snprintf(wrong, sizeof wrong, "%.*s%c%s", (int)at, name, letter, name + at); break;
      default: snprintf(wrong, sizeof wrong, "%.*s%c%s", (int)at, name, letter, name + at + 1);
    }
    CHECK_TEXT(suggest(wrong), name);
  }
}
