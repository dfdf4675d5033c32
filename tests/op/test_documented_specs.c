// The specs that docs/op-specs.md shows: each "spec" block is an op, each line of a "refused" block
// fails with the text behind its '#'.
#include "op_testing.h"

static void add_spec(tn_op_builder* builder, const char* line) {
  if (strncmp(line, "attr ", 5) == 0)
    tn_op_builder_attr(builder, line + 5);
  else if (strncmp(line, "in ", 3) == 0)
    tn_op_builder_input(builder, line + 3);
  else if (strncmp(line, "out ", 4) == 0)
    tn_op_builder_output(builder, line + 4);
  else
    test_fail(__FILE__, __LINE__, "no spec: %s", line);
}

static void check_refused(char* line) {
  char* text = strchr(line, '#');
  CHECK(text != NULL);
  char* end = text;
  while (end > line && end[-1] == ' ') --end;
  *end = 0;
  tn_op_builder* builder = tn_op_builder_create("Documented");
  add_spec(builder, line);
  tn_status status = {0};
  CHECK(!tn_op_builder_finish(builder, &status));
  CHECK_CONTAINS(tn_status_message(&status), text + 2);
  tn_status_deinit(&status);
  tn_op_builder_destroy(builder);
}

TEST(test_the_documented_specs_are_read_as_documented) {
  FILE* file = fopen(TENON_SOURCE_DIR "/docs/op-specs.md", "r");
  CHECK(file != NULL);
  char line[512];
  int specs = 0, refused = 0;
  bool in_refused = false;
  tn_op_builder* builder = NULL;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, "```spec") == 0) {
      builder = tn_op_builder_create("Documented");
    } else if (strcmp(line, "```refused") == 0) {
      in_refused = true;
    } else if (strcmp(line, "```") == 0) {
      if (builder) tn_op_def_destroy(finish_op(builder));
      builder = NULL;
      in_refused = false;
    } else if (builder) {
      add_spec(builder, line);
      ++specs;
    } else if (in_refused) {
      check_refused(line);
      ++refused;
    }
  }
  fclose(file);
  CHECK(specs > 15 && refused > 12);
}
