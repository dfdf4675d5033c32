#include <pthread.h>

#include "base/memory.h"
#include "host.h"

TEST(test_a_client_tells_its_platform_its_devices_and_its_memories) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 3, -1);
  CHECK_TEXT(tn_pjrt_client_platform_name(client), "tenon_test");
  CHECK_TEXT(tn_pjrt_client_platform_version(client), "one more");
  CHECK_INT(tn_pjrt_client_process_index(client), 0);
  CHECK_INT(tn_pjrt_client_device_count(client), 3);
  CHECK_INT(tn_pjrt_client_addressable_count(client), 3);
  CHECK_INT(tn_pjrt_client_memory_count(client), 6);
  tn_pjrt_device* device = tn_pjrt_client_find_device(client, 2, status);
  CHECK_OK(status);
  CHECK(device == tn_pjrt_client_device(client, 2));
  CHECK(device == tn_pjrt_client_addressable(client, 2));
  CHECK_INT(tn_pjrt_device_id(device), 2);
  CHECK_INT(tn_pjrt_device_process_index(device), 0);
  CHECK_INT(tn_pjrt_device_hardware_id(device), 2);
  CHECK(tn_pjrt_device_addressable(device));
  CHECK(*tn_pjrt_device_kind(device));
  CHECK_CONTAINS(tn_pjrt_device_text(device), "id=2");
  const tn_pjrt_values* attributes = tn_pjrt_device_attributes(device);
  size_t at = tn_pjrt_values_find(attributes, "coords"), count = 0;
  CHECK(at != SIZE_MAX);
  const int64_t* coordinates = tn_pjrt_values_ints(attributes, at, &count);
  CHECK(coordinates && count == 3 && coordinates[0] == 2);
  CHECK_INT(tn_pjrt_device_memory_count(device), 2);
  tn_pjrt_memory* memory = tn_pjrt_device_default_memory(device);
  CHECK(memory == tn_pjrt_device_memory(device, 0));
  CHECK_TEXT(tn_pjrt_memory_kind(memory), "device");
  CHECK_TEXT(tn_pjrt_memory_kind(tn_pjrt_device_memory(device, 1)), "pinned_host");
  CHECK(tn_pjrt_memory_kind_id(memory) != tn_pjrt_memory_kind_id(tn_pjrt_device_memory(device, 1)));
  CHECK(*tn_pjrt_memory_text(memory));
  CHECK_INT(tn_pjrt_memory_device_count(memory), 1);
  CHECK(tn_pjrt_memory_device(memory, 0) == device);
  for (size_t i = 0; i < 6; ++i)
    for (size_t k = 0; k < i; ++k)
      CHECK(tn_pjrt_memory_id(tn_pjrt_client_memory(client, i)) !=
            tn_pjrt_memory_id(tn_pjrt_client_memory(client, k)));
  CHECK_INT(tn_pjrt_newest_known() >= 114, 1);
  CHECK(tn_pjrt_has(tn_pjrt_client_plugin(client), "PJRT_Client_Create"));
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_what_an_old_plugin_does_not_tell_has_a_default) {
  tn_pjrt_client* client = client_of(28);
  tn_pjrt_memory* memory = tn_pjrt_device_default_memory(tn_pjrt_client_device(client, 0));
  CHECK(memory != NULL);
  CHECK_INT(tn_pjrt_memory_kind_id(memory), -1);
  CHECK_TEXT(tn_pjrt_memory_kind(memory), "device");
  tn_pjrt_client_destroy(client);
}

TEST(test_what_cannot_be_a_client_is_refused_with_a_reason) {
  tn_status* status = tn_status_create();
  CHECK(!tn_pjrt_client_create(NULL, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_pjrt* plugin = open_number(114, 0);
  tn_pjrt_values* options = tn_pjrt_values_create();
  CHECK(tn_pjrt_values_set_bool(options, "no_such_option", true, status));
  CHECK(!tn_pjrt_client_create(plugin, options, status));
  CHECK_CONTAINS(tn_status_message(status), "no_such_option");
  CHECK_CONTAINS(tn_status_message(status), "pjrt_0_114.so");
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_client_create(plugin, options, NULL));
  tn_pjrt_values_destroy(options);
  // Options of every kind reach the plugin.
  options = tn_pjrt_values_create();
  int64_t shape[] = {2, 3};
  CHECK(tn_pjrt_values_set_string(options, "note", "x", status) &&
        tn_pjrt_values_set_float(options, "factor", 0.5f, status) &&
        tn_pjrt_values_set_ints(options, "shape", shape, 2, status) &&
        tn_pjrt_values_set_bool(options, "flag", true, status) &&
        tn_pjrt_values_set_int(options, "num_devices", 2, status));
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, options, status);
  CHECK_OK(status);
  CHECK_INT(tn_pjrt_client_device_count(client), 2);
  CHECK_TEXT(tn_pjrt_client_notes(client), "");
  CHECK(!tn_pjrt_client_find_device(client, 7, status));
  CHECK_CONTAINS(tn_status_message(status), "0, 1");
  CHECK_CODE(status, TN_NOT_FOUND);
  tn_pjrt_values_destroy(options);
  tn_pjrt_client_destroy(client);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_no_client_no_device_and_no_memory_are_told_nothing) {
  tn_status* status = tn_status_create();
  tn_pjrt_client_destroy(NULL);
  CHECK(!tn_pjrt_client_plugin(NULL));
  CHECK_TEXT(tn_pjrt_client_platform_name(NULL), "");
  CHECK_TEXT(tn_pjrt_client_platform_version(NULL), "");
  CHECK_TEXT(tn_pjrt_client_notes(NULL), "");
  CHECK_INT(tn_pjrt_client_process_index(NULL), 0);
  CHECK_INT(tn_pjrt_client_device_count(NULL), 0);
  CHECK(!tn_pjrt_client_device(NULL, 0));
  CHECK_INT(tn_pjrt_client_addressable_count(NULL), 0);
  CHECK(!tn_pjrt_client_addressable(NULL, 0));
  CHECK_INT(tn_pjrt_client_memory_count(NULL), 0);
  CHECK(!tn_pjrt_client_memory(NULL, 0));
  CHECK(!tn_pjrt_client_find_device(NULL, 0, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  int id;
  CHECK(!tn_pjrt_client_device_assignment(NULL, 1, 1, &id, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_pjrt_device_id(NULL), -1);
  CHECK_INT(tn_pjrt_device_process_index(NULL), 0);
  CHECK_INT(tn_pjrt_device_hardware_id(NULL), -1);
  CHECK(!tn_pjrt_device_addressable(NULL));
  CHECK_TEXT(tn_pjrt_device_kind(NULL), "");
  CHECK_TEXT(tn_pjrt_device_text(NULL), "");
  CHECK_INT(tn_pjrt_values_count(tn_pjrt_device_attributes(NULL)), 0);
  CHECK_INT(tn_pjrt_device_memory_count(NULL), 0);
  CHECK(!tn_pjrt_device_memory(NULL, 0));
  CHECK(!tn_pjrt_device_default_memory(NULL));
  tn_pjrt_memory_stats stats = TN_INIT(tn_pjrt_memory_stats);
  CHECK(!tn_pjrt_device_memory_stats(NULL, &stats, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_device_clear_memory_stats(NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_pjrt_memory_id(NULL), -1);
  CHECK_TEXT(tn_pjrt_memory_kind(NULL), "");
  CHECK_INT(tn_pjrt_memory_kind_id(NULL), -1);
  CHECK_TEXT(tn_pjrt_memory_text(NULL), "");
  CHECK_INT(tn_pjrt_memory_device_count(NULL), 0);
  CHECK(!tn_pjrt_memory_device(NULL, 0));
  tn_pjrt_client* client = client_of(114);
  CHECK(!tn_pjrt_client_device(client, 1) && !tn_pjrt_client_addressable(client, 1) &&
        !tn_pjrt_client_memory(client, 2) &&
        !tn_pjrt_device_memory(tn_pjrt_client_device(client, 0), 2) &&
        !tn_pjrt_memory_device(tn_pjrt_client_memory(client, 0), 1));
  stats.ext = client;
  CHECK(!tn_pjrt_device_memory_stats(tn_pjrt_client_device(client, 0), &stats, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_client_device_assignment(client, 0, 1, &id, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_client_device_assignment(client, 1, 1, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_device_assignments_are_the_plugins) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 4, -1);
  int ids[4] = {-1, -1, -1, -1};
  CHECK(tn_pjrt_client_device_assignment(client, 2, 2, ids, status));
  CHECK_OK(status);
  for (int i = 0; i < 4; ++i) CHECK_INT(ids[i], i);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_memory_statistics_tell_what_the_plugin_knows) {
  tn_status* status = tn_status_create();
  for (int minor = 104; minor <= 114; minor += 10) {
    tn_pjrt_client* client = client_of(minor);
    tn_pjrt_device* device = tn_pjrt_client_device(client, 0);
    tn_pjrt_buffer* buffer = four_floats(client, NULL, status);
    tn_pjrt_memory_stats stats = TN_INIT(tn_pjrt_memory_stats);
    CHECK(tn_pjrt_device_memory_stats(device, &stats, status));
    CHECK_OK(status);
    CHECK(stats.bytes_in_use >= 16 && stats.peak_bytes_in_use >= stats.bytes_in_use);
    CHECK(stats.allocation_count >= 1);
    CHECK_INT(stats.peak_allocated_bytes == -1, minor < 113);
    // A caller of an older library has less room, and nothing beyond it is touched.
    tn_pjrt_memory_stats older = {
        .struct_size = TF_OFFSET_OF_END(tn_pjrt_memory_stats, bytes_limit),
        .allocation_count = 4711};
    CHECK(tn_pjrt_device_memory_stats(device, &older, status));
    CHECK_INT(older.bytes_in_use, stats.bytes_in_use);
    CHECK_INT(older.allocation_count, 4711);
    CHECK_INT(tn_pjrt_device_clear_memory_stats(device, status), minor >= 106);
    if (minor < 106) CHECK_CONTAINS(tn_status_message(status), "0.106");
    CHECK_CODE(status, minor < 106 ? TN_UNIMPLEMENTED : TN_OK);
    tn_pjrt_buffer_destroy(buffer);
    tn_pjrt_client_destroy(client);
  }
  tn_status_destroy(status);
}

static void check_no_client(const char* misdeed, const char* words) {
  setenv("PJRT_MISDEED", misdeed, 1);
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(!tn_pjrt_client_create(plugin, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), words);
  CHECK_CODE(status, TN_INTERNAL);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_devices_without_a_list_are_a_status) {
  check_no_client("devices_unlisted", "PJRT_Client_Devices");
}

TEST(test_null_devices_are_a_status) { check_no_client("null_devices", "is null"); }

TEST(test_addressable_devices_that_are_none_of_the_clients_are_a_status) {
  check_no_client("foreign_addressable", "none of the client's");
}

TEST(test_a_client_without_devices_runs_nothing_and_says_so) {
  setenv("PJRT_MISDEED", "no_devices", 1);
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = open_number(114, 0);
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  if (client) {
    CHECK(!four_floats(client, NULL, status));
    CHECK_CODE(status, TN_FAILED_PRECONDITION);
  } else {
    CHECK_CODE(status, TN_INTERNAL);
  }
  tn_pjrt_client_destroy(client);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_what_making_a_client_does_to_the_process_is_undone_and_told) {
  setenv("PJRT_MISDEED", "replaces_signal_handlers", 1);
  tn_pjrt_client* client = client_of(114);
  CHECK_CONTAINS(tn_pjrt_client_notes(client), "PJRT_Client_Create");
  CHECK_CONTAINS(tn_pjrt_client_notes(client), "11");
  tn_pjrt_client_destroy(client);
}

static bool make_client(void* plugin, tn_status* status) {
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  bool ok = client != NULL;
  if (ok && tn_pjrt_client_find_device(client, 99, status)) ok = false;
  if (ok) {
    ok = tn_status_code(status) == TN_NOT_FOUND;
    if (ok) tn_status_clear(status);
  }
  tn_pjrt_client_destroy(client);
  return ok;
}

TEST(test_making_a_client_survives_every_failing_allocation) {
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(test_sweep_allocations(make_client, plugin) > 10);
  tn_pjrt_close(plugin);
}

TEST(test_questions_about_a_client_allocate_nothing) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 2, -1);
  int ids[2];
  tn_memory_fail_at(0);
  tn_pjrt_device* device = tn_pjrt_client_device(client, 1);
  tn_pjrt_memory* memory = tn_pjrt_client_memory(client, 0);
  tn_pjrt_memory_stats stats = TN_INIT(tn_pjrt_memory_stats);
  CHECK(tn_pjrt_client_plugin(client) && tn_pjrt_client_platform_name(client) &&
        tn_pjrt_client_platform_version(client) && tn_pjrt_client_notes(client) &&
        tn_pjrt_client_process_index(client) == 0 && tn_pjrt_client_device_count(client) == 2 &&
        tn_pjrt_client_addressable_count(client) == 2 && tn_pjrt_client_addressable(client, 0) &&
        tn_pjrt_client_memory_count(client) == 4 && tn_pjrt_client_find_device(client, 1, status) &&
        tn_pjrt_client_device_assignment(client, 2, 1, ids, status));
  CHECK(tn_pjrt_device_id(device) == 1 && tn_pjrt_device_process_index(device) == 0 &&
        tn_pjrt_device_hardware_id(device) == 1 && tn_pjrt_device_addressable(device) &&
        tn_pjrt_device_kind(device) && tn_pjrt_device_text(device) &&
        tn_pjrt_device_attributes(device) && tn_pjrt_device_memory_count(device) == 2 &&
        tn_pjrt_device_memory(device, 0) && tn_pjrt_device_default_memory(device) &&
        tn_pjrt_device_memory_stats(device, &stats, status) &&
        tn_pjrt_device_clear_memory_stats(device, status));
  CHECK(tn_pjrt_memory_id(memory) >= 0 && tn_pjrt_memory_kind(memory) &&
        tn_pjrt_memory_kind_id(memory) >= 0 && tn_pjrt_memory_text(memory) &&
        tn_pjrt_memory_device_count(memory) == 1 && tn_pjrt_memory_device(memory, 0));
  CHECK_INT(tn_memory_asked(), 0);
  tn_memory_fail_at(-1);
  CHECK_OK(status);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_objects_keep_their_client) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
  CHECK_OK(status);
  tn_pjrt_buffer* x = four_floats(client, NULL, status);
  tn_pjrt_client_destroy(client);
  tn_pjrt_buffer* y = NULL;
  CHECK(tn_pjrt_execute(program, &x, 1, &y, 1, NULL, status));
  tn_pjrt_executable_destroy(program);
  tn_pjrt_buffer_destroy(x);
  CHECK(holds_floats(y, (float[]){2, 3, 4, 5}, 4, status));
  CHECK_OK(status);
  tn_pjrt_buffer_destroy(y);
  tn_status_destroy(status);
}

static void* use_client(void* arg) {
  tn_status* status = tn_status_create();
  for (int i = 0; i < 50; ++i) {
    tn_pjrt_buffer* buffer = four_floats(arg, NULL, status);
    CHECK(holds_floats(buffer, (float[]){1, 2, 3, 4}, 4, status));
    tn_pjrt_buffer_destroy(buffer);
  }
  CHECK_OK(status);
  tn_status_destroy(status);
  return NULL;
}

TEST(test_threads_share_a_client) {
  tn_pjrt_client* client = client_with(114, 1, 0);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) CHECK_INT(pthread_create(&threads[i], NULL, use_client, client), 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  tn_pjrt_client_destroy(client);
}
