// The layout of a struct of this very program, by its own debug information.

#include "elf/debug_layout.h"

#include "harness.h"

typedef struct sample_inner {
  char letter;
  double number;
} sample_inner;

typedef enum sample_color { SAMPLE_RED, SAMPLE_BLUE = -7 } sample_color;

struct sample {
  size_t struct_size;
  int (*call)(const char* name, void* arg);
  sample_inner inner;
  union {
    float as_float;
    uint16_t as_short;
  };
  sample_color color;
  struct sample* next;
};

int sample_function(const struct sample* one, unsigned count);
int sample_function(const struct sample* one, unsigned count) {
  return (int)one->color + (int)count;
}

TEST(structs_enums_and_functions_are_read_from_debug_information) {
  CHECK_INT(sample_function(&(struct sample){.color = SAMPLE_BLUE}, 7), 0);
  tn_status* status = tn_status_create();
  tn_abi_model model = {0};
  CHECK(tn_elf_read_layout("/proc/self/exe", &model, status));
  CHECK_OK(status);
  const tn_abi_struct* sample = tn_abi_model_struct(&model, "sample");
  CHECK(sample && !sample->opaque);
  CHECK_INT(sample->size, (int64_t)sizeof(struct sample));
  const struct {
    const char *name, *kind, *type;
    int64_t offset, size;
    bool in_union;
  } fields[] = {
      {"struct_size", "unsigned_integer", "size_t", 0, 8, false},
      {"call", "function_pointer", "int (*)(const char *, void *)", 8, 8, false},
      {"inner", "struct", "sample_inner", 16, 16, false},
      {"<anon>", "union", "", 32, 4, false},
      {"as_float", "float", "float", 32, 4, true},
      {"as_short", "unsigned_integer", "uint16_t", 32, 2, true},
      {"color", "enum", "sample_color", 36, 4, false},
      {"next", "pointer", "sample *", 40, 8, false},
  };
  CHECK_INT(sample->field_count, sizeof fields / sizeof fields[0]);
  for (size_t i = 0; i < sample->field_count; ++i) {
    CHECK_TEXT(sample->fields[i].name, fields[i].name);
    CHECK_TEXT(sample->fields[i].kind, fields[i].kind);
    CHECK_TEXT(sample->fields[i].type, fields[i].type);
    CHECK_INT(sample->fields[i].offset, fields[i].offset);
    CHECK_INT(sample->fields[i].size, fields[i].size);
    CHECK_INT(sample->fields[i].in_union, fields[i].in_union);
  }
  const tn_abi_constant* blue = tn_abi_model_constant(&model, "sample_color", "SAMPLE_BLUE");
  CHECK(blue && blue->value == -7);
  const tn_abi_function* function = tn_abi_model_function(&model, "sample_function");
  CHECK(function);
  CHECK_TEXT(function->type, "int (const sample *, unsigned int)");
  CHECK(!tn_abi_model_struct(&model, "_IO_FILE"));
  tn_abi_model_deinit(&model);
  tn_status_destroy(status);
}

TEST(files_without_debug_information_are_told_so) {
  tn_status* status = tn_status_create();
  tn_abi_model model = {0};
  CHECK(!tn_elf_read_layout("/bin/true", &model, status));
  CHECK_CONTAINS(tn_status_message(status), "/bin/true has no debug information");
  CHECK(!tn_elf_read_layout("/no/such/file", &model, status));
  CHECK(!tn_elf_read_layout("/etc/passwd", &model, status));
  tn_status_destroy(status);
}
