// The C++ InferenceContext against what each of its calls says of two shapes.
#include "base/status.h"
#include "harness.h"
#include "op/attr_value.h"
#include "op/node.h"
#include "op/op_registry.h"
#include "op/shape_inference.h"
#include "tenon/plugin.h"

static tn_shape shape_of(const char* text) {
  tn_attr_value value;
  CHECK(tn_attr_value_parse_typed(&value, TN_ATTR_SHAPE, false, tn_view_of(text), NULL));
  tn_shape shape = value.shapes[0];
  value.shapes[0] = (tn_shape){0};
  tn_attr_value_deinit(&value);
  return shape;
}

// `expected` is a shape, or a piece of a message after "!".
static void check_shape(const char* what, const char* x, const char* y, const char* expected) {
  char name[64];
  snprintf(name, sizeof name, "CxxShape%s", what);
  tn_status status = {0};
  tn_shape inputs[2] = {shape_of(x), shape_of(y)}, output = {0};
  const tn_op_def* op = tn_op_registry_find(name);
  const tn_dtype types[2] = {TN_FLOAT, TN_FLOAT};
  tn_node* node = op ? tn_node_create(op, "n", NULL, types, 2, &status) : NULL;
  const bool inferred = node && tn_infer_shapes(node, inputs, NULL, &output, &status);
  if (inferred) {
    tn_text text = {0};
    tn_shape_print(&output, &text);
    if (strcmp(text.data, expected) != 0)
      test_fail(__FILE__, __LINE__, "%s of %s and %s is %s, not %s", what, x, y, text.data,
                expected);
    tn_text_deinit(&text);
    tn_shape_deinit(&output);
  } else if (expected[0] != '!' || !strstr(tn_status_message(&status), expected + 1)) {
    test_fail(__FILE__, __LINE__, "%s of %s and %s: \"%s\"", what, x, y,
              tn_status_message(&status));
  }
  tn_node_destroy(node);
  tn_shape_deinit(&inputs[0]);
  tn_shape_deinit(&inputs[1]);
  tn_status_deinit(&status);
}

TEST(test_shape_functions_in_cxx_say_what_the_host_says) {
  tn_status status = {0};
  CHECK(tn_plugin_load(TENON_BUILD_DIR "/tests/plugins/cxx_shapes.so", NULL, &status));
  CHECK_OK(&status);
  static const char* const cases[][4] = {
      {"Merge", "[2,?]", "[?,3]", "[2,3]"},
      {"Merge", "[2]", "[3]", "!must be equal"},
      {"Broadcast", "[2,1]", "[3]", "[2,3]"},
      {"Concatenate", "[2]", "[?,4]", "[2,?,4]"},
      {"WithRank", "[2,?]", "[]", "[2,?]"},
      {"WithRank", "[2]", "[]", "!rank 2"},
      {"WithRankAtLeast", "[2,?,3]", "[]", "[2,?,3]"},
      {"WithRankAtLeast", "[2]", "[]", "!at least rank 2"},
      {"WithRankAtMost", "[]", "[]", "[]"},
      {"WithRankAtMost", "[1,2,3]", "[]", "!at most rank 2"},
      {"Subshape", "[2,?,3]", "[]", "[?,3]"},
      {"SubshapeTo", "[2,?,3]", "[]", "[2,?]"},
      {"ReplaceDim", "[2,?]", "[]", "[2,9]"},
      {"Add", "[2,9]", "[8,3]", "[5]"},
      {"Subtract", "[4]", "[]", "[3]"},
      {"Multiply", "[4]", "[3]", "[12]"},
      {"Divide", "[8]", "[1]", "[4]"},
      {"Divide", "[7]", "[1]", "!must be evenly divisible"},
      {"Min", "[4]", "[3]", "[3]"},
      {"Max", "[4]", "[3]", "[4]"},
      {"MergeDims", "[?]", "[3]", "[3]"},
      {"WithValue", "[?]", "[1]", "[4]"},
      {"WithValue", "[5]", "[1]", "!must be 4"},
      {"MakeShape", "[?,2]", "[]", "[?,7,?]"},
      {"NumElements", "[3,4]", "[]", "[12]"},
      {"FullyDefined", "[3,4]", "[]", "[]"},
      {"FullyDefined", "[3,?]", "[]", "<unknown>"},
      {"Attrs", "[]", "[]", "[3,1,19]"},
      {"NoAttr", "[]", "[]", "!nothing"},
      {"Throw", "[]", "[]", "!thrown among shapes"},
      {"Capture", "[]", "[]", "[8]"},
      {"Unchanged", "[?,1]", "[]", "[?,1]"},
      {"Unknown", "[1]", "[]", "<unknown>"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    check_shape(cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
}
