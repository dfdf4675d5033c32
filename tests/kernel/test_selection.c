#include "kernel_testing.h"

static void given(const char* op, const char* device, const char* label, int32_t priority,
                  tn_dtype type) {
  tn_kernel_functions functions = {.compute = compute_nothing};
  tn_kernel_builder* builder = tn_kernel_builder_create(op, device, &functions);
  if (*label) tn_kernel_builder_label(builder, label);
  tn_kernel_builder_priority(builder, priority);
  if (type) constrain(builder, "T", type);
  register_builder(builder, op);
}

static const tn_kernel* select_for(const char* op, tn_dtype type, const char* label,
                                   tn_status* status) {
  tn_attrs attrs = {0};
  if (label) set_attr(&attrs, "_kernel", TN_ATTR_STRING, false, label);
  tn_node* node = node_of(tn_op_registry_find(op), &attrs, &type, 1);
  const tn_kernel* kernel = tn_kernel_select(node, "CPU", status);
  tn_node_destroy(node);
  return kernel;
}

#define CHECK_SELECTS(op, type, label, wanted_priority)               \
  do {                                                                \
    tn_status status_ = {0};                                          \
    const tn_kernel* kernel_ = select_for(op, type, label, &status_); \
    CHECK_OK(&status_);                                               \
    CHECK_INT(kernel_->def.priority, wanted_priority);                \
  } while (0)

#define CHECK_REFUSES(op, type, label, code, text)     \
  do {                                                 \
    tn_status status_ = {0};                           \
    CHECK(!select_for(op, type, label, &status_));     \
    CHECK_CONTAINS(tn_status_message(&status_), text); \
    CHECK_CODE(&status_, code);                        \
  } while (0)

TEST(test_constraints_choose_the_kernel) {
  given_unary_op("ByType");
  given("ByType", "CPU", "", 1, TN_FLOAT);
  given("ByType", "CPU", "", 2, TN_INT32);
  CHECK_SELECTS("ByType", TN_FLOAT, NULL, 1);
  CHECK_SELECTS("ByType", TN_INT32, NULL, 2);
}

TEST(test_the_highest_priority_wins_and_lower_ties_do_not_matter) {
  given_unary_op("ByPriority");
  given("ByPriority", "CPU", "", 0, TN_FLOAT);
  given("ByPriority", "CPU", "", 0, TN_FLOAT);
  given("ByPriority", "CPU", "", 5, TN_FLOAT);
  given("ByPriority", "CPU", "", -2147483647 - 1, TN_FLOAT);
  given("ByPriority", "CPU", "", 2147483647, TN_HALF);
  CHECK_SELECTS("ByPriority", TN_FLOAT, NULL, 5);
}

TEST(test_a_tie_is_an_error_that_names_both_and_their_files) {
  static tn_origin first = {.path = "/plugins/first.so"}, second = {.path = "/plugins/second.so"};
  given_unary_op("Tied");
  tn_origin_enter(&first);
  given("Tied", "CPU", "", 3, TN_FLOAT);
  tn_origin_enter(&second);
  given("Tied", "CPU", "", 3, 0);
  tn_origin_enter(NULL);
  CHECK_SELECTS("Tied", TN_INT32, NULL, 3);
  CHECK_REFUSES(
      "Tied", TN_FLOAT, NULL, TN_INVALID_ARGUMENT,
      "Multiple OpKernel registrations match NodeDef at the same priority "
      "'{{node node}} = Tied[T=DT_FLOAT](x)': "
      "'device='CPU'; T in [DT_FLOAT] (/plugins/first.so)' and "
      "'device='CPU' (/plugins/second.so)'; give one of them another priority or label, or "
      "load one plugin only (tenon run leaves out its own with --no-default-plugins)");
}

TEST(test_the_label_is_part_of_the_choice) {
  given_unary_op("ByLabel");
  given("ByLabel", "CPU", "", 1, 0);
  given("ByLabel", "CPU", "fast", 2, 0);
  CHECK_SELECTS("ByLabel", TN_FLOAT, NULL, 1);
  CHECK_SELECTS("ByLabel", TN_FLOAT, "fast", 2);
  CHECK_REFUSES("ByLabel", TN_FLOAT, "slow", TN_NOT_FOUND,
                "device='CPU' (tenon): has label '', the node asks for 'slow'\n"
                "  device='CPU'; label='fast' (tenon): has label 'fast', the node asks for 'slow'");
}

TEST(test_kernels_for_every_device_come_last) {
  given_unary_op("OnAll");
  given("OnAll", "DEFAULT", "", 9, 0);
  CHECK_SELECTS("OnAll", TN_FLOAT, NULL, 9);
  given("OnAll", "CPU", "", 1, TN_FLOAT);
  CHECK_SELECTS("OnAll", TN_FLOAT, NULL, 1);
  CHECK_SELECTS("OnAll", TN_INT32, NULL, 9);
  given("OnAll", "DEFAULT", "", 8, 0);
  CHECK_REFUSES("OnAll", TN_INT32, NULL, TN_INVALID_ARGUMENT,
                "Multiple Default OpKernel registrations match NodeDef '");
}

TEST(test_a_list_of_types_must_be_allowed_whole) {
  given_op("OfList", "attr T: list(type)", "in x: T", "out y: T", NULL);
  given("OfList", "CPU", "", 1, TN_FLOAT);
  tn_status status = {0};
  tn_node* node = node_of(tn_op_registry_find("OfList"), NULL, TYPES(TN_FLOAT, TN_FLOAT));
  CHECK(tn_kernel_select(node, "CPU", &status));
  tn_node_destroy(node);
  node = node_of(tn_op_registry_find("OfList"), NULL, TYPES(TN_FLOAT, TN_INT32));
  CHECK(!tn_kernel_select(node, "CPU", &status));
  CHECK_CONTAINS(tn_status_message(&status), "T is [DT_FLOAT, DT_INT32]");
  CHECK_CODE(&status, TN_NOT_FOUND);
  tn_node_destroy(node);
}

TEST(test_every_near_miss_is_listed_with_what_kept_it_out) {
  given_op("Missed", "attr T: type", "attr n: int = 3", "in x: T", "out y: T", NULL);
  given("Missed", "GPU", "", 0, TN_FLOAT);
  given("Missed", "CPU", "", 0, TN_HALF);
  given("Missed", "CPU", "other", 0, TN_FLOAT);
  tn_status status = {0};
  CHECK(!select_for("Missed", TN_FLOAT, NULL, &status));
  CHECK_TEXT(tn_status_message(&status),
             "No registered 'Missed' OpKernel for 'CPU' devices compatible with node {{node node}}"
             "\n\t (OpKernel was found, but attributes didn't match) Requested Attributes: "
             "T=DT_FLOAT, n=3"
             "\n\t.  Registered:"
             "  device='GPU'; T in [DT_FLOAT] (tenon): is for device 'GPU', not 'CPU'\n"
             "  device='CPU'; T in [DT_HALF] (tenon): T is DT_FLOAT\n"
             "  device='CPU'; label='other'; T in [DT_FLOAT] (tenon): has label 'other', the node "
             "asks for ''\n");
  CHECK_CODE(&status, TN_NOT_FOUND);
}

TEST(test_an_op_without_kernels_says_so) {
  given_unary_op("Alone");
  tn_status status = {0};
  CHECK(!select_for("Alone", TN_FLOAT, NULL, &status));
  CHECK_TEXT(tn_status_message(&status),
             "No registered 'Alone' OpKernel for 'CPU' devices compatible with node {{node node}}"
             "; no plugin loaded so far has one");
  CHECK_CODE(&status, TN_NOT_FOUND);
}

TEST(test_a_constraint_on_an_attr_the_op_lacks_is_the_plugins_fault) {
  given_unary_op("Mistaken");
  tn_kernel_builder* builder = builder_for("Mistaken", compute_nothing);
  constrain(builder, "Tindices", TN_INT32);
  register_builder(builder, "Mistaken");
  tn_status status = {0};
  CHECK(!select_for("Mistaken", TN_FLOAT, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "OpKernel 'Mistaken' has constraint on attr 'Tindices' not in NodeDef '");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  // It does not stand in the way of a kernel that fits.
  given("Mistaken", "CPU", "", 4, 0);
  CHECK_SELECTS("Mistaken", TN_FLOAT, NULL, 4);
}

TEST(test_kernels_that_were_rolled_back_are_not_selected) {
  static tn_origin gone = {.path = "gone.so"};
  given_unary_op("RolledBack");
  given("RolledBack", "CPU", "", 1, 0);
  tn_origin_enter(&gone);
  given("RolledBack", "CPU", "", 2, 0);
  tn_origin_enter(NULL);
  CHECK_SELECTS("RolledBack", TN_FLOAT, NULL, 2);
  tn_kernel_registry_remove_origin(&gone);
  CHECK_SELECTS("RolledBack", TN_FLOAT, NULL, 1);
}

TEST(test_other_attrs_than_types_can_be_constrained_by_a_definition) {
  given_op("ByValue", "attr T: type", "attr mode: string = 'a'", "attr n: int = 1",
           "attr b: bool = true", "in x: T", "out y: T", NULL);
  tn_kernel_builder* builder = builder_for("ByValue", compute_nothing);
  tn_constraint* mode = tn_kernel_def_add_constraint(&builder->def, tn_view_of("mode"));
  tn_view modes[] = {tn_view_of("a"), tn_view_of("b")};
  CHECK(tn_attr_value_init(&mode->allowed, TN_ATTR_STRING, true, modes, 2, NULL));
  tn_constraint* n = tn_kernel_def_add_constraint(&builder->def, tn_view_of("n"));
  CHECK(tn_attr_value_init(&n->allowed, TN_ATTR_INT, true, (int64_t[]){1}, 1, NULL));
  tn_constraint* b = tn_kernel_def_add_constraint(&builder->def, tn_view_of("b"));
  CHECK(tn_attr_value_init(&b->allowed, TN_ATTR_BOOL, true, (bool[]){true}, 1, NULL));
  register_builder(builder, "ByValue");
  static const struct {
    const char *mode, *n, *b;
    bool fits;
  } cases[] = {{"a", "1", "true", true},
               {"b", "1", "true", true},
               {"c", "1", "true", false},
               {"a", "2", "true", false},
               {"a", "1", "false", false}};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    tn_attrs attrs = {0};
    set_attr(&attrs, "mode", TN_ATTR_STRING, false, cases[i].mode);
    set_attr(&attrs, "n", TN_ATTR_INT, false, cases[i].n);
    set_attr(&attrs, "b", TN_ATTR_BOOL, false, cases[i].b);
    tn_node* node = node_of(tn_op_registry_find("ByValue"), &attrs, TYPES(TN_FLOAT));
    CHECK_INT(tn_kernel_select(node, "CPU", NULL) != NULL, cases[i].fits);
    tn_node_destroy(node);
  }
}
