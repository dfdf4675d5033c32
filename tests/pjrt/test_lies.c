// Answers of a plugin that make no sense are a status that names the plugin and its function; none
// of them reaches memory that is not there. liar.c tells them.
#include <stdatomic.h>
#include <stddef.h>

#include "host.h"
#include "tenon/dlpack.h"
#include "tenon/pjrt_session.h"

#define LIAR TENON_BUILD_DIR "/tests/plugins/liar.so"
#define EVERYTHING "0xffffffffffffffff"

// From now on, after `after` calls: `member` of the arguments of `function` is `value`.
#define LIE_AFTER(function, member, after, value) \
  add_lie(offsetof(PJRT_Api, function), offsetof(function##_Args, member), after, value)
#define LIE(function, member, value) LIE_AFTER(function, member, 0, value)

static void add_lie(size_t slot, size_t member, int after, const char* value) {
  const char* others = getenv("PJRT_LIE");
  char text[512];
  snprintf(text, sizeof text, "%s%s%zu %zu %d %s", others ? others : "", others ? ";" : "", slot,
           member, after, value);
  setenv("PJRT_LIE", text, 1);
}

// What there is, as far as the lies let it come: the first failure is in `status`.
typedef struct things {
  tn_pjrt* plugin;
  tn_pjrt_client* client;
  tn_pjrt_executable* program;
  tn_pjrt_buffer* buffer;  // [4]
  tn_status* status;
} things;

static things begin(void) {
  things all = {.status = tn_status_create()};
  all.plugin = tn_pjrt_open(LIAR, NULL, all.status);
  if (all.plugin) all.client = tn_pjrt_client_create(all.plugin, NULL, all.status);
  if (all.client) all.program = compile_text(all.client, program_text("4xf32", 1, ""), all.status);
  if (all.program) all.buffer = four_floats(all.client, NULL, all.status);
  return all;
}

static void end(things* all) {
  tn_pjrt_buffer_destroy(all->buffer);
  tn_pjrt_executable_destroy(all->program);
  tn_pjrt_client_destroy(all->client);
  tn_pjrt_close(all->plugin);
  tn_status_destroy(all->status);
}

// The last thing that was tried failed with INTERNAL, in words that name the liar and `words`.
static void check_refused(tn_status* status, const char* words) {
  CHECK_CONTAINS(tn_status_message(status), "liar.so: ");
  CHECK_CONTAINS(tn_status_message(status), words);
  CHECK_CODE(status, TN_INTERNAL);
}

static void check_begin_refused(const char* words) {
  things all = begin();
  check_refused(all.status, words);
  end(&all);
}

TEST(test_without_a_lie_all_is_well) {
  things all = begin();
  CHECK_OK(all.status);
  CHECK(all.buffer != NULL);
  end(&all);
}

// ---- Plugins, clients and devices ----

TEST(test_more_attributes_than_there_can_be_are_refused_unread) {
  LIE(PJRT_Plugin_Attributes, num_attributes, "1000000000");
  check_begin_refused("1000000000 named values are told of");
}

TEST(test_a_limit_of_attributes_is_below_what_takes_long) {
  LIE(PJRT_Plugin_Attributes, num_attributes, "65536");
  check_begin_refused("65536 named values are told of");
}

TEST(test_more_devices_than_there_can_be_are_refused) {
  LIE(PJRT_Client_Devices, num_devices, EVERYTHING);
  check_begin_refused("PJRT_Client_Devices: 18446744073709551615 things are told of");
}

TEST(test_a_device_without_description_is_refused) {
  LIE(PJRT_Device_GetDescription, device_description, "0");
  check_begin_refused("PJRT_Device_GetDescription: no error and no description");
}

TEST(test_texts_of_a_size_that_makes_no_sense_are_refused) {
  LIE(PJRT_DeviceDescription_Kind, device_kind_size, "0x80000000");
  check_begin_refused("PJRT_DeviceDescription_Kind: a text of 2147483648 bytes");
}

TEST(test_a_text_ends_with_its_zero_whatever_its_size_is_said_to_be) {
  LIE(PJRT_DeviceDescription_Kind, device_kind_size, "0xffffff");
  things all = begin();
  CHECK_OK(all.status);
  CHECK_TEXT(tn_pjrt_device_kind(tn_pjrt_client_device(all.client, 0)), "test device");
  end(&all);
}

TEST(test_more_memories_than_there_can_be_are_refused) {
  LIE(PJRT_Device_AddressableMemories, num_memories, "0x80000000");
  check_begin_refused("2147483648 things are told of");
}

// ---- Programs ----

TEST(test_replicas_and_partitions_whose_product_overflows_are_refused) {
  LIE(PJRT_Executable_NumReplicas, num_replicas, "0x8000000000000000");
  LIE(PJRT_Executable_NumPartitions, num_partitions, "2");
  check_begin_refused("PJRT_Executable_NumReplicas and _NumPartitions: 9223372036854775808 and 2");
}

TEST(test_more_outputs_than_there_can_be_are_refused) {
  LIE(PJRT_Executable_NumOutputs, num_outputs, "0x80000000");
  check_begin_refused("PJRT_Executable_NumOutputs: 2147483648 makes no sense");
}

static void check_serialize_refused(const char* words) {
  things all = begin();
  CHECK_OK(all.status);
  void* bytes = NULL;
  size_t size = 0;
  CHECK(!tn_pjrt_executable_serialize(all.program, &bytes, &size, all.status));
  CHECK(!bytes);
  check_refused(all.status, words);
  end(&all);
}

TEST(test_a_serialized_program_of_all_bytes_there_are_is_refused) {
  LIE(PJRT_Executable_Serialize, serialized_bytes_size, EVERYTHING);
  check_serialize_refused("PJRT_Executable_Serialize: 18446744073709551615 bytes are told of");
}

TEST(test_a_serialized_program_beyond_what_a_protobuf_can_be_is_refused) {
  LIE(PJRT_Executable_Serialize, serialized_bytes_size, "0x80000000");
  check_serialize_refused("PJRT_Executable_Serialize: 2147483648 bytes are told of");
}

static void check_fingerprint_refused(const char* words) {
  things all = begin();
  CHECK_OK(all.status);
  void* bytes = NULL;
  size_t size = 0;
  CHECK(!tn_pjrt_executable_fingerprint(all.program, &bytes, &size, all.status));
  CHECK(!bytes);
  check_refused(all.status, words);
  end(&all);
}

TEST(test_a_fingerprint_of_all_bytes_there_are_is_refused) {
  LIE(PJRT_Executable_Fingerprint, executable_fingerprint_size, EVERYTHING);
  check_fingerprint_refused("PJRT_Executable_Fingerprint: 18446744073709551615 bytes are told of");
}

TEST(test_a_fingerprint_without_bytes_is_refused) {
  LIE(PJRT_Executable_Fingerprint, executable_fingerprint, "0");
  check_fingerprint_refused("bytes are told of, without the bytes");
}

static void check_output_refused(const char* words) {
  things all = begin();
  CHECK_OK(all.status);
  tn_pjrt_shape shape;
  CHECK(!tn_pjrt_executable_output(all.program, 0, &shape, all.status));
  check_refused(all.status, words);
  end(&all);
}

TEST(test_an_output_with_a_rank_and_no_dimensions_is_refused) {
  LIE(PJRT_Executable_OutputDimensions, dims, "0");
  check_output_refused("has rank 1, and no dimensions");
}

TEST(test_an_output_of_a_rank_that_cannot_be_is_refused) {
  LIE(PJRT_Executable_OutputDimensions, dim_sizes, "*" EVERYTHING);
  check_output_refused("has rank 18446744073709551615, which is more than there can be");
}

// ---- The number of outputs is not told ----

static bool run_once(things* all) {
  tn_pjrt_buffer* sum = NULL;
  bool ran = tn_pjrt_execute(all->program, &all->buffer, 1, &sum, 1, NULL, all->status);
  CHECK(!ran || holds_floats(sum, (const float[]){2, 3, 4, 5}, 4, all->status));
  tn_pjrt_buffer_destroy(sum);
  return ran;
}

TEST(test_the_number_of_outputs_is_that_of_their_types_when_it_is_not_told) {
  setenv("PJRT_MISDEED", "null@PJRT_Executable_NumOutputs", 1);
  things all = begin();
  CHECK_OK(all.status);
  CHECK_INT(tn_pjrt_executable_output_count(all.program), 1);
  CHECK(run_once(&all));
  end(&all);
}

TEST(test_a_program_whose_outputs_nobody_counts_runs_for_a_caller_who_knows) {
  setenv("PJRT_MISDEED", "null@PJRT_Executable_NumOutputs,null@PJRT_Executable_OutputElementTypes",
         1);
  things all = begin();
  CHECK_OK(all.status);
  CHECK(tn_pjrt_executable_output_count(all.program) == SIZE_MAX);
  CHECK(run_once(&all));
  end(&all);
}

TEST(test_a_session_does_not_compile_a_program_whose_outputs_nobody_counts) {
  setenv("PJRT_MISDEED", "null@PJRT_Executable_NumOutputs,null@PJRT_Executable_OutputElementTypes",
         1);
  for (int isolate = 0; isolate < 2; ++isolate) {
    tn_status* status = tn_status_create();
    tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
    options.isolate = isolate;
    tn_pjrt_session* session = tn_pjrt_session_start(LIAR, &options, status);
    CHECK_OK(status);
    const char* text = program_text("4xf32", 1, "");
    CHECK_INT(tn_pjrt_session_compile(session, text, strlen(text), NULL, status), -1);
    CHECK_CONTAINS(tn_status_message(status), "liar.so: the program compiled, but neither");
    CHECK_CODE(status, TN_UNIMPLEMENTED);
    tn_pjrt_session_stop(session);
    tn_status_destroy(status);
  }
}

TEST(test_an_output_that_is_an_argument_is_refused) {
  setenv("PJRT_LIE", "returns_argument", 1);
  things all = begin();
  CHECK_OK(all.status);
  tn_pjrt_buffer* sum = NULL;
  CHECK(!tn_pjrt_execute(all.program, &all.buffer, 1, &sum, 1, NULL, all.status));
  CHECK(!sum);
  check_refused(all.status, "PJRT_LoadedExecutable_Execute: output 0 of main is the handle of");
  CHECK(holds_floats(all.buffer, (const float[]){1, 2, 3, 4}, 4, all.status));
  end(&all);
}

// ---- Buffers ----

// All that asks for a buffer's shape refuses with `words`.
static void check_shape_refused(const char* words) {
  things all = begin();
  CHECK_OK(all.status);
  size_t bytes = 0;
  int64_t order[64];
  CHECK(!tn_pjrt_buffer_host_size(all.buffer, &bytes, all.status));
  check_refused(all.status, words);
  CHECK(!tn_pjrt_buffer_layout(all.buffer, order, all.status));
  check_refused(all.status, words);
  CHECK(!tn_pjrt_buffer_to_dlpack(all.buffer, all.status));
  check_refused(all.status, words);
  CHECK(!tn_pjrt_buffer_to_tensor(all.buffer, all.status));
  check_refused(all.status, words);
  CHECK_INT(tn_pjrt_buffer_rank(all.buffer), 0);
  CHECK(!tn_pjrt_buffer_dims(all.buffer));
  end(&all);
}

TEST(test_a_rank_that_cannot_be_is_refused) {
  LIE(PJRT_Buffer_Dimensions, num_dims, EVERYTHING);
  check_shape_refused("PJRT_Buffer_Dimensions: 18446744073709551615 things are told of");
}

TEST(test_a_rank_that_grows_from_call_to_call_is_refused_where_it_has_grown) {
  LIE_AFTER(PJRT_Buffer_Dimensions, num_dims, 1, "4000");
  LIE(PJRT_Buffer_GetMemoryLayout, layout.tiled.minor_to_major_size, "4000");
  things all = begin();
  CHECK_OK(all.status);
  CHECK(!tn_pjrt_buffer_to_dlpack(all.buffer, all.status));
  check_refused(all.status, "PJRT_Buffer_GetMemoryLayout: no order of the buffer's 1 dimensions");
  CHECK(!tn_pjrt_buffer_to_dlpack(all.buffer, all.status));
  check_refused(all.status, "PJRT_Buffer_Dimensions: a rank of 4000 makes no sense");
  end(&all);
}

TEST(test_dimensions_without_a_list_are_refused) {
  LIE(PJRT_Buffer_Dimensions, dims, "0");
  check_shape_refused("PJRT_Buffer_Dimensions: 1 things are told of, without a list");
}

TEST(test_a_dimension_below_zero_is_refused) {
  LIE(PJRT_Buffer_Dimensions, dims, "*-5");
  check_shape_refused("PJRT_Buffer_Dimensions: dimension 0 of 1 is -5, below zero");
}

TEST(test_dimensions_whose_product_overflows_are_refused) {
  LIE(PJRT_Buffer_Dimensions, dims, "*0x7fffffffffffffff,0x7fffffffffffffff");
  LIE(PJRT_Buffer_Dimensions, num_dims, "2");
  things all = begin();
  CHECK_OK(all.status);
  size_t bytes = 0;
  CHECK(!tn_pjrt_buffer_host_size(all.buffer, &bytes, all.status));
  CHECK_CODE(all.status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_buffer_to_dlpack(all.buffer, all.status));
  CHECK_CODE(all.status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_buffer_to_tensor(all.buffer, all.status));
  CHECK_CODE(all.status, TN_INVALID_ARGUMENT);
  end(&all);
}

TEST(test_a_layout_that_is_no_order_of_the_dimensions_is_refused) {
  LIE(PJRT_Buffer_GetMemoryLayout, layout.tiled.minor_to_major, "*0,0");
  LIE(PJRT_Buffer_GetMemoryLayout, layout.tiled.minor_to_major_size, "2");
  LIE(PJRT_Buffer_Dimensions, dims, "*2,2");
  LIE(PJRT_Buffer_Dimensions, num_dims, "2");
  things all = begin();
  CHECK_OK(all.status);
  int64_t order[2] = {7, 7};
  CHECK(!tn_pjrt_buffer_layout(all.buffer, order, all.status));
  CHECK_INT(order[0], 7);
  check_refused(all.status, "PJRT_Buffer_GetMemoryLayout: minor_to_major[1] is 0");
  CHECK(!tn_pjrt_buffer_to_dlpack(all.buffer, all.status));
  check_refused(all.status, "PJRT_Buffer_GetMemoryLayout: minor_to_major[1] is 0");
  end(&all);
}

TEST(test_a_size_of_all_bytes_there_are_is_refused) {
  LIE(PJRT_Buffer_ElementType, type, "77777");
  LIE(PJRT_Buffer_ToHostBuffer, dst_size, EVERYTHING);
  things all = begin();
  CHECK_OK(all.status);
  size_t bytes = 0;
  CHECK(!tn_pjrt_buffer_host_size(all.buffer, &bytes, all.status));
  check_refused(all.status, "PJRT_Buffer_ToHostBuffer: a size of 18446744073709551615 bytes");
  end(&all);
}

// ---- Events ----

TEST(test_any_byte_but_zero_is_true) {
  LIE(PJRT_Event_IsReady, is_ready, "0x42");
  LIE(PJRT_Buffer_IsDeleted, is_deleted, "0x42");
  things all = begin();
  tn_pjrt_event* event = tn_pjrt_event_create(all.client, all.status);
  bool ready = false;
  CHECK(tn_pjrt_event_ready(event, &ready, all.status));
  CHECK_OK(all.status);
  unsigned char byte;
  memcpy(&byte, &ready, sizeof byte);
  CHECK_INT(byte, 1);
  CHECK_INT(tn_pjrt_buffer_deleted(all.buffer), 1);
  tn_pjrt_event_destroy(event);
  end(&all);
}

static void count(const tn_status* result, void* arg) {
  if (tn_ok(result)) ++*(atomic_int*)arg;
}

TEST(test_a_callback_that_comes_again_after_its_time_finds_nobody) {
  setenv("PJRT_LIE", "late_twice", 1);
  things all = begin();
  atomic_int first = 0, second = 0;
  tn_pjrt_event* event = tn_pjrt_event_create(all.client, all.status);
  CHECK(tn_pjrt_event_set(event, NULL, all.status));
  CHECK(tn_pjrt_event_on_ready(event, count, &first, all.status));
  CHECK_INT(first, 1);
  // While the next one waits, the first is told again.
  tn_pjrt_event* other = tn_pjrt_event_create(all.client, all.status);
  CHECK(tn_pjrt_event_on_ready(other, count, &second, all.status));
  CHECK_OK(all.status);
  CHECK_INT(first, 1);
  CHECK_INT(second, 0);
  CHECK(tn_pjrt_event_set(other, NULL, all.status));
  CHECK(tn_pjrt_event_wait(other, all.status));
  CHECK_OK(all.status);
  CHECK_INT(first, 1);
  CHECK_INT(second, 1);
  tn_pjrt_event_destroy(event);
  tn_pjrt_event_destroy(other);
  end(&all);
}

// ---- The process ----

TEST(test_the_mode_of_floating_point_numbers_is_put_back) {
  setenv("PJRT_LIE", "rounds_up", 1);
  things all = begin();
  CHECK_OK(all.status);
  volatile double one = 1, small = 1e-30;
  CHECK(one + small == 1);
  CHECK_CONTAINS(tn_pjrt_client_notes(all.client),
                 "PJRT_Client_Create changed how floating point numbers are rounded");
  end(&all);
}
