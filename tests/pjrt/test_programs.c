#include "base/memory.h"
#include "base/text.h"
#include "host.h"
#include "pjrt/host/compile_options.h"

TEST(test_a_program_tells_what_it_is) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_executable* program = compile_text(client, program_text("4x3xf32", 2, ""), status);
  CHECK_OK(status);
  CHECK_TEXT(tn_pjrt_executable_name(program), "main");
  CHECK_INT(tn_pjrt_executable_replicas(program), 1);
  CHECK_INT(tn_pjrt_executable_partitions(program), 1);
  CHECK(tn_pjrt_executable_code_size(program) >= 0);
  CHECK_INT(tn_pjrt_executable_output_count(program), 2);
  CHECK_TEXT(tn_pjrt_executable_output_memory_kind(program, 1), "device");
  CHECK(!tn_pjrt_executable_output_memory_kind(program, 2));
  tn_pjrt_shape shape;
  CHECK(tn_pjrt_executable_output(program, 1, &shape, status));
  CHECK_INT(shape.type, PJRT_Buffer_Type_F32);
  CHECK(shape.rank == 2 && shape.dims[0] == 4 && shape.dims[1] == 3);
  CHECK(!tn_pjrt_executable_output(program, 2, &shape, status));
  CHECK_CODE(status, TN_OUT_OF_RANGE);
  CHECK_INT(tn_pjrt_executable_device_count(program), 1);
  CHECK(tn_pjrt_executable_device(program, 0) == tn_pjrt_client_device(client, 0));
  CHECK(!tn_pjrt_executable_device(program, 1));
  int id = -1;
  CHECK(tn_pjrt_executable_device_assignment(program, &id, 1, status));
  CHECK_INT(id, 0);
  tn_pjrt_values* cost = tn_pjrt_executable_cost_analysis(program, status);
  CHECK_OK(status);
  CHECK(tn_pjrt_values_count(cost) > 0);
  tn_pjrt_values_destroy(cost);
  tn_pjrt_program_memory memory = TN_INIT(tn_pjrt_program_memory);
  CHECK(tn_pjrt_executable_memory(program, &memory, status));
  CHECK_OK(status);
  CHECK_INT(memory.arguments, 2 * 4 * 3 * 4);
  CHECK_INT(memory.outputs, 2 * 4 * 3 * 4);
  CHECK(memory.peak >= 0 && memory.total >= 0 && memory.host_temporary >= 0);
  CHECK(!tn_pjrt_executable_deleted(program));
  CHECK(tn_pjrt_executable_delete(program, status));
  CHECK(tn_pjrt_executable_deleted(program));
  CHECK_OK(status);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_programs_of_older_plugins_tell_less) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(28);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
  CHECK_OK(status);
  tn_pjrt_shape shape;
  CHECK(!tn_pjrt_executable_output(program, 0, &shape, status));
  CHECK_CONTAINS(tn_status_message(status), "0.29");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  tn_pjrt_program_memory memory = TN_INIT(tn_pjrt_program_memory);
  CHECK(!tn_pjrt_executable_memory(program, &memory, status));
  CHECK_CONTAINS(tn_status_message(status), "0.40");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  int id = -1;
  CHECK(tn_pjrt_executable_device_assignment(program, &id, 1, status));
  CHECK_INT(id, 0);
  void* bytes = NULL;
  size_t size = 0;
  CHECK(tn_pjrt_executable_fingerprint(program, &bytes, &size, status));
  CHECK_OK(status);
  CHECK(size > 0);
  tn_pjrt_bytes_free(bytes);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  // What came later is -1.
  client = client_of(44);
  program = compile_text(client, program_text("4xf32", 1, ""), status);
  CHECK(tn_pjrt_executable_memory(program, &memory, status));
  CHECK_OK(status);
  CHECK(memory.arguments == 16 && memory.host_arguments >= 0);
  CHECK_INT(memory.peak, -1);
  CHECK_INT(memory.total, -1);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_a_program_is_serialized_and_loaded_again) {
  tn_status* status = tn_status_create();
  static const int numbers[] = {28, 54, 114};
  for (int n = 0; n < 3; ++n) {
    tn_pjrt_client* client = client_of(numbers[n]);
    tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
    void *bytes = NULL, *print = NULL, *again = NULL;
    size_t size = 0, print_size = 0, again_size = 0;
    CHECK(tn_pjrt_executable_serialize(program, &bytes, &size, status));
    CHECK_OK(status);
    tn_pjrt_executable* loaded = tn_pjrt_executable_load(client, bytes, size, status);
    CHECK_OK(status);
    CHECK(tn_pjrt_executable_fingerprint(program, &print, &print_size, status) &&
          tn_pjrt_executable_fingerprint(loaded, &again, &again_size, status));
    CHECK(print_size == again_size && memcmp(print, again, print_size) == 0);
    tn_pjrt_buffer *x = four_floats(client, NULL, status), *y = NULL;
    CHECK(tn_pjrt_execute(loaded, &x, 1, &y, 1, NULL, status));
    CHECK(holds_floats(y, (float[]){2, 3, 4, 5}, 4, status));
    CHECK_OK(status);
    CHECK(!tn_pjrt_executable_load(client, "no program", 10, status));
    CHECK(!tn_ok(status));
    tn_status_clear(status);
    tn_pjrt_buffer_destroy(x);
    tn_pjrt_buffer_destroy(y);
    tn_pjrt_bytes_free(bytes);
    tn_pjrt_bytes_free(print);
    tn_pjrt_bytes_free(again);
    tn_pjrt_executable_destroy(loaded);
    tn_pjrt_executable_destroy(program);
    tn_pjrt_client_destroy(client);
  }
  tn_status_destroy(status);
}

TEST(test_the_optimized_program_is_had_with_its_format) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  const char* text = program_text("4xf32", 1, "");
  tn_pjrt_executable* program = compile_text(client, text, status);
  void* bytes = NULL;
  size_t size = 0;
  const char* format = NULL;
  CHECK(tn_pjrt_executable_program(program, &bytes, &size, &format, status));
  CHECK_OK(status);
  CHECK_TEXT(format, "mlir");
  CHECK(size == strlen(text) && memcmp(bytes, text, size) == 0);
  tn_pjrt_bytes_free(bytes);
  CHECK(tn_pjrt_executable_program(program, &bytes, &size, NULL, status));
  tn_pjrt_bytes_free(bytes);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

// The head of a portable artifact: magic, bytecode version 6 as MLIR writes it, producer.
#define ARTIFACT(version) "ML\xefR\x0dStableHLO_v" version "\0rest"

TEST(test_the_version_of_a_portable_artifact_is_read) {
  int version[3] = {7, 7, 7};
  static const char good[] = ARTIFACT("1.17.3");
  CHECK(tn_pjrt_program_version(good, sizeof good, version));
  CHECK(version[0] == 1 && version[1] == 17 && version[2] == 3);
  // Cut anywhere, it has none.
  for (size_t size = 0; size < 5 + 17 + 1; ++size)
    CHECK(!tn_pjrt_program_version(good, size, version));
  CHECK(tn_pjrt_program_version(good, 5 + 17 + 1, version));
  static const char* const bad[] = {
      "module @x {}",
      "ML\xefR\x0dMLIR17\0",
      "ML\xefR\x0dStableHLO_v1.17",
      "ML\xefR\x0dStableHLO_v1.x.0",
      "ML\xefR\x0dStableHLO_v99999999999.0.0",
      "ML\xefR\x0dStableHLO_v1.2.3.4",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    CHECK(!tn_pjrt_program_version(bad[i], strlen(bad[i]) + 1, version));
  CHECK(!tn_pjrt_program_version(NULL, 5, version));
  CHECK(!tn_pjrt_program_version(good, sizeof good, NULL));
  CHECK_INT(version[1], 17);
}

TEST(test_a_program_that_the_plugin_does_not_read_is_refused_before_it_is_given_one) {
  setenv("PJRT_MISDEED", "bad_program_crashes", 1);
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  static const char newer[] = ARTIFACT("1.18.0"), older[] = ARTIFACT("0.8.9");
  CHECK(!tn_pjrt_compile(client, newer, sizeof newer, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "StableHLO 1.18.0");
  CHECK_CONTAINS(tn_status_message(status), "reads up to 1.17.0; export it again");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  CHECK(!tn_pjrt_compile(client, older, sizeof older, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "reads from 0.9.0 on");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_bytes_that_can_be_no_program_are_refused_and_text_of_any_kind_is_the_plugins_to_judge) {
  static const char* const words[] = {"PK\x03\x04", "\x93NUMPY\x01", "\n\x04main", "a\x7f"};
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    CHECK(!tn_pjrt_compile(client, words[i], strlen(words[i]), NULL, status));
    CHECK_CONTAINS(tn_status_message(status), "is no StableHLO: neither text nor MLIR bytecode");
    CHECK_CODE(status, TN_INVALID_ARGUMENT);
  }
  static const char text[] = "\t// \xc3\xa4\r\n \v\f";  // with the zero behind it, too
  CHECK(!tn_pjrt_compile(client, text, sizeof text, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "PJRT_Client_Compile");
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

static void check_proto(const tn_pjrt_compile_options* options, const char* expected, size_t size) {
  tn_text text = {0};
  tn_pjrt_compile_options_write(options, &text);
  CHECK_INT(text.size, size);
  CHECK(text.size == size && memcmp(text.data, expected, size) == 0);
  tn_text_deinit(&text);
}

// The bytes that JAX writes for the same options, less its debug options, are these.
TEST(test_compile_options_are_a_compile_options_proto) {
  tn_pjrt_compile_options options = TN_INIT(tn_pjrt_compile_options);
  options.replicas = 1;
  options.partitions = 1;
#define ORDINAL "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
#define REST "\x62\x01\x00\x92\x01\x01\x00\xb8\x01\x01"
  static const char one[] = "\x1a\x19" ORDINAL "\x20\x01\x28\x01" REST;
  check_proto(&options, one, sizeof one - 1);
  static const char six[] =
      "\x1a\x33" ORDINAL
      "\x20\x02\x28\x03\x30\x01"
      "\x4a\x16\x08\x02\x10\x03\x1a\x04\x0a\x02\x0a\x0d\x1a\x04\x0a\x02\x0b\x0e\x1a\x04\x0a\x02\x0c"
      "\x0f" REST;
  options.replicas = 2;
  options.partitions = 3;
  options.device_ids = (int[]){10, 11, 12, 13, 14, 15};
  check_proto(&options, six, sizeof six - 1);
}

TEST(test_wrong_arguments_of_program_calls_are_refused) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  const char* text = program_text("4xf32", 1, "");
  tn_pjrt_executable* program = compile_text(client, text, status);
  tn_pjrt_compile_options options = TN_INIT(tn_pjrt_compile_options);
  tn_pjrt_program_memory memory = TN_INIT(tn_pjrt_program_memory);
  tn_pjrt_shape shape;
  void* bytes = NULL;
  size_t size = 0;
  int id;
  CHECK_OK(status);
#define REFUSED(call)                        \
  do {                                       \
    CHECK(!(call));                          \
    CHECK_CODE(status, TN_INVALID_ARGUMENT); \
  } while (0)
  REFUSED(tn_pjrt_compile(NULL, text, 4, NULL, status));
  REFUSED(tn_pjrt_compile(client, NULL, 4, NULL, status));
  REFUSED(tn_pjrt_compile(client, text, 0, NULL, status));
  options.replicas = -1;
  REFUSED(tn_pjrt_compile(client, text, strlen(text), &options, status));
  options.replicas = INT32_MAX;
  options.partitions = 2;
  REFUSED(tn_pjrt_compile(client, text, strlen(text), &options, status));
  options = TN_INIT(tn_pjrt_compile_options);
  options.ext = client;
  REFUSED(tn_pjrt_compile(client, text, strlen(text), &options, status));
  options = TN_INIT(tn_pjrt_compile_options);
  options.struct_size = 20;
  REFUSED(tn_pjrt_compile(client, text, strlen(text), &options, status));
  options = TN_INIT(tn_pjrt_compile_options);
  options.proto = "\xff";
  options.proto_size = 1;
  CHECK(!tn_pjrt_compile(client, text, strlen(text), &options, status));
  CHECK(!tn_ok(status));
  tn_status_clear(status);
  options = TN_INIT(tn_pjrt_compile_options);
  options.format = "cobol";
  CHECK(!tn_pjrt_compile(client, text, strlen(text), &options, status));
  CHECK(!tn_ok(status));
  tn_status_clear(status);
  REFUSED(tn_pjrt_compile_file(NULL, "x", NULL, status));
  REFUSED(tn_pjrt_compile_file(client, NULL, NULL, status));
  CHECK(!tn_pjrt_compile_file(client, "/no/such/file", NULL, status));
  CHECK_CODE(status, TN_NOT_FOUND);
  REFUSED(tn_pjrt_compile_file(client, "/dev/null", NULL, status));
  REFUSED(tn_pjrt_executable_output(NULL, 0, &shape, status));
  REFUSED(tn_pjrt_executable_output(program, 0, NULL, status));
  REFUSED(tn_pjrt_executable_delete(NULL, status));
  REFUSED(tn_pjrt_executable_serialize(NULL, &bytes, &size, status));
  REFUSED(tn_pjrt_executable_serialize(program, NULL, &size, status));
  REFUSED(tn_pjrt_executable_load(NULL, text, 4, status));
  REFUSED(tn_pjrt_executable_load(client, text, 0, status));
  REFUSED(tn_pjrt_executable_program(NULL, &bytes, &size, NULL, status));
  REFUSED(tn_pjrt_executable_fingerprint(program, &bytes, NULL, status));
  REFUSED(tn_pjrt_executable_cost_analysis(NULL, status));
  REFUSED(tn_pjrt_executable_memory(NULL, &memory, status));
  memory.ext = client;
  REFUSED(tn_pjrt_executable_memory(program, &memory, status));
  REFUSED(tn_pjrt_executable_device_assignment(program, &id, 0, status));
  REFUSED(tn_pjrt_executable_device_assignment(NULL, &id, 1, status));
  tn_pjrt_executable_destroy(NULL);
  tn_pjrt_bytes_free(NULL);
  CHECK_TEXT(tn_pjrt_executable_name(NULL), "");
  CHECK(tn_pjrt_executable_replicas(NULL) == 0 && tn_pjrt_executable_partitions(NULL) == 0);
  CHECK_INT(tn_pjrt_executable_code_size(NULL), -1);
  CHECK_INT(tn_pjrt_executable_output_count(NULL), 0);
  CHECK(!tn_pjrt_executable_output_memory_kind(NULL, 0));
  CHECK_INT(tn_pjrt_executable_device_count(NULL), 0);
  CHECK(!tn_pjrt_executable_device(NULL, 0));
  CHECK(tn_pjrt_executable_deleted(NULL));
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_a_program_is_compiled_from_a_file) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  char path[512];
  snprintf(path, sizeof path, "%s/add.mlir", test_folder());
  FILE* file = fopen(path, "w");
  fputs(program_text("4xf32", 1, ""), file);
  fclose(file);
  tn_pjrt_executable* program = tn_pjrt_compile_file(client, path, NULL, status);
  CHECK_OK(status);
  tn_pjrt_executable_destroy(program);
  file = fopen(path, "w");
  fputs("no program", file);
  fclose(file);
  CHECK(!tn_pjrt_compile_file(client, path, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), path);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

typedef struct given {
  tn_pjrt* plugin;
  char path[512];
} given;

// Everything that makes something of a program.
static bool use_program(void* arg, tn_status* status) {
  const given* from = arg;
  tn_pjrt_client* client = tn_pjrt_client_create(from->plugin, NULL, status);
  tn_pjrt_executable* program =
      client ? tn_pjrt_compile_file(client, from->path, NULL, status) : NULL;
  tn_pjrt_executable* loaded = NULL;
  void *bytes = NULL, *code = NULL, *print = NULL;
  size_t size, code_size, print_size;
  tn_pjrt_values* cost = NULL;
  tn_pjrt_program_memory memory = TN_INIT(tn_pjrt_program_memory);
  tn_pjrt_shape shape;
  int id, version[3];
  bool ok = program && tn_pjrt_executable_serialize(program, &bytes, &size, status) &&
            (loaded = tn_pjrt_executable_load(client, bytes, size, status)) &&
            tn_pjrt_executable_program(program, &code, &code_size, NULL, status) &&
            tn_pjrt_executable_fingerprint(program, &print, &print_size, status) &&
            (cost = tn_pjrt_executable_cost_analysis(program, status)) &&
            tn_pjrt_executable_memory(program, &memory, status) &&
            tn_pjrt_executable_output(program, 0, &shape, status) &&
            tn_pjrt_executable_device_assignment(program, &id, 1, status) &&
            !tn_pjrt_program_version(code, code_size, version) &&
            tn_pjrt_executable_delete(loaded, status) && tn_pjrt_executable_deleted(loaded);
  tn_pjrt_bytes_free(bytes);
  tn_pjrt_bytes_free(code);
  tn_pjrt_bytes_free(print);
  tn_pjrt_values_destroy(cost);
  tn_pjrt_executable_destroy(loaded);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  return ok;
}

TEST(test_programs_survive_every_failing_allocation) {
  given from = {.plugin = open_number(114, 0)};
  snprintf(from.path, sizeof from.path, "%s/add.mlir", test_folder());
  FILE* file = fopen(from.path, "w");
  fputs(program_text("4xf32", 1, ""), file);
  fclose(file);
  CHECK(test_sweep_allocations(use_program, &from) > 10);
  tn_pjrt_close(from.plugin);
}

TEST(test_questions_about_a_program_allocate_nothing) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
  tn_memory_fail_at(0);
  CHECK(tn_pjrt_executable_name(program) && tn_pjrt_executable_replicas(program) == 1 &&
        tn_pjrt_executable_partitions(program) == 1 && tn_pjrt_executable_code_size(program) >= 0 &&
        tn_pjrt_executable_output_count(program) == 1 &&
        tn_pjrt_executable_output_memory_kind(program, 0) &&
        tn_pjrt_executable_device_count(program) == 1 && tn_pjrt_executable_device(program, 0));
  CHECK_INT(tn_memory_asked(), 0);
  tn_memory_fail_at(-1);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}
