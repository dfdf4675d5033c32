// SE_InitPlugin: what it fills, in hosts of all ages and in all places; devices made and destroyed.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/belongings.h"
#include "check/devices/fixture.h"
#include "check/devices/groups.h"

// ---- Registration ----

static void opens(const tn_subject* subject) { td_register(subject); }

// The plugin's structs in rooms that are larger than what the host says.
typedef struct rooms {
  tn_foreign_room params, platform, fns, executor, device_fns, timer_fns;
  SE_PlatformRegistrationParams* given;
} rooms;

enum { MARK = 0x6b };

// With its padding: whoever assigns a struct writes that too.
static size_t padded(size_t size) { return (size + 7) / 8 * 8; }

static void lend(tn_foreign_room* room, size_t size) {
  memset(room->bytes, 0, sizeof room->bytes);
  memset(room->bytes + padded(size), MARK, sizeof room->bytes - padded(size));
  memcpy(room->bytes, &size, sizeof size);
}

static void expect_untouched(const tn_foreign_room* room, size_t size, const char* name) {
  for (size_t i = padded(size); i < sizeof room->bytes; ++i)
    if (room->bytes[i] != MARK) {
      tn_case_broken(NULL, "nothing written beyond struct_size",
                     "byte %zu of %s, of which the host has %zu", i, name, size);
      return;
    }
}

// Calls SE_InitPlugin in a host whose structs have these sizes; false when it refuses.
static bool init_with(rooms* rooms, size_t params_size, size_t platform_size, size_t fns_size) {
  lend(&rooms->params, params_size);
  lend(&rooms->platform, platform_size);
  lend(&rooms->fns, fns_size);
  SE_PlatformRegistrationParams* params = (SE_PlatformRegistrationParams*)rooms->params.bytes;
  params->major_version = SE_MAJOR;
  params->minor_version = SE_MINOR;
  params->patch_version = SE_PATCH;
  params->platform = (SP_Platform*)rooms->platform.bytes;
  params->platform_fns = (SP_PlatformFns*)rooms->fns.bytes;
  rooms->given = params;
  tn_status status = {0};
  tn_case_enter("SE_InitPlugin");
  td.init(params, &status);
  tn_case_leave();
  const bool fine = tn_ok(&status);
  if (!fine) tn_case_note("SE_InitPlugin refuses: %s", tn_status_message(&status));
  tn_status_deinit(&status);
  expect_untouched(&rooms->params, params_size, "SE_PlatformRegistrationParams");
  expect_untouched(&rooms->platform, platform_size, "SP_Platform");
  expect_untouched(&rooms->fns, fns_size, "SP_PlatformFns");
  return fine;
}

// A host some years ahead.
static void newer_host(const tn_subject* subject) {
  static rooms rooms;
  td_open(subject);
  enum { MORE = 64 };
  const size_t params = SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE + MORE;
  TN_NEED(
      init_with(&rooms, params, SP_PLATFORM_STRUCT_SIZE + MORE, SP_PLATFORM_FNS_STRUCT_SIZE + MORE),
      "a newer host served", "SE_InitPlugin refuses");
  const SP_Platform* platform = rooms.given->platform;
  const SP_PlatformFns* fns = rooms.given->platform_fns;
  TN_EXPECT(platform->struct_size > 0 && platform->struct_size <= SP_PLATFORM_STRUCT_SIZE + MORE,
            "the size of SP_Platform that the plugin knows", "%zu", platform->struct_size);
  TN_EXPECT(fns->struct_size > 0 && fns->struct_size <= SP_PLATFORM_FNS_STRUCT_SIZE + MORE,
            "the size of SP_PlatformFns that the plugin knows", "%zu", fns->struct_size);
  for (size_t i = fns->struct_size; i < SP_PLATFORM_FNS_STRUCT_SIZE + MORE; ++i)
    if (rooms.fns.bytes[i]) {
      tn_case_broken(NULL, "zeros behind what the plugin knows", "byte %zu of SP_PlatformFns", i);
      break;
    }
}

// TensorFlow before 2.7 had an executor without fills.
static void older_executor(const tn_subject* subject) {
  static tn_foreign_room room;
  td_register(subject);
  const size_t size = offsetof(SP_StreamExecutor, host_callback) - 2 * sizeof(void*);
  lend(&room, size);
  SE_CreateStreamExecutorParams params = {
      .struct_size = SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE,
      .stream_executor = (SP_StreamExecutor*)room.bytes};
  tn_status status = {0};
  tn_case_enter("create_stream_executor");
  td.platform->fns.create_stream_executor(tn_platform_handle(td.platform), &params, &status);
  tn_case_leave();
  tn_status_deinit(&status);
  expect_untouched(&room, size, "SP_StreamExecutor");
}

static void extensions(const tn_subject* subject) {
  static rooms rooms;
  td_open(subject);
  if (!init_with(&rooms, SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE, SP_PLATFORM_STRUCT_SIZE,
                 SP_PLATFORM_FNS_STRUCT_SIZE))
    tn_case_skip("SE_InitPlugin fails");
  TN_EXPECT(!rooms.given->ext && !rooms.given->platform->ext && !rooms.given->platform_fns->ext,
            "NULL in ext, which is reserved", "something else");
}

static void versions(const tn_subject* subject) {
  static rooms rooms;
  td_open(subject);
  if (!init_with(&rooms, SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE, SP_PLATFORM_STRUCT_SIZE,
                 SP_PLATFORM_FNS_STRUCT_SIZE))
    tn_case_skip("SE_InitPlugin fails");
  TN_EXPECT(rooms.given->major_version == SE_MAJOR, "major version 0", "%d",
            rooms.given->major_version);
}

static void names(const tn_subject* subject) {
  td_register(subject);
  const SP_Platform* platform = tn_platform_handle(td.platform);
  TN_EXPECT(strcmp(platform->name, td.platform->name) == 0 &&
                strcmp(platform->type, td.platform->type) == 0,
            "a name and a type that stay as they are", "%.60s and %.60s", platform->name,
            platform->type);
  // Users say GPU:0 and mean the one they have.
  tn_case_note("platform %s of type %s, %d devices", td.platform->name, td.platform->type,
               td.platform->device_count);
}

static void twice(const tn_subject* subject) {
  td_register(subject);
  char* name = strdup(td.platform->name);
  tn_case_enter("a function that destroys a table");
  tn_platform_destroy(td.platform);
  tn_case_leave();
  td_register(subject);
  TN_EXPECT(strcmp(name, td.platform->name) == 0, name, "%s", td.platform->name);
}

static void taken_down(const tn_subject* subject) {
  for (int i = 0; i < 20; ++i) {
    td_register(subject);
    tn_case_enter("a function that destroys a table");
    tn_platform_destroy(td.platform);
    tn_case_leave();
  }
}

static void count(const tn_subject* subject) {
  td_register(subject);
  if (!td.platform->fns.get_device_count) tn_case_skip("the plugin has no get_device_count");
  for (int i = 0; i < 10; ++i) {
    int found = -1;
    tn_status status = {0};
    tn_case_enter("get_device_count");
    td.platform->fns.get_device_count(tn_platform_handle(td.platform), &found, &status);
    tn_case_leave();
    if (!tn_ok(&status)) {
      TN_EXPECT(td.platform->device_count == 0, "the same answer each time", "%s",
                tn_status_message(&status));
      tn_case_skip("the plugin cannot count: %s", tn_status_message(&status));
    }
    TN_EXPECT(found >= 0 && found <= 4096, "a number of devices", "%d", found);
    TN_EXPECT(found == td.platform->device_count || td.platform->device_count == 0,
              "the same number each time", "%d, then %d", td.platform->device_count, found);
  }
}

static void fills_functions(const tn_subject* subject) {
  td_register(subject);
  const SP_StreamExecutor* fns = td.fns;
  TN_EXPECT(fns->sync_memcpy_dtoh && fns->sync_memcpy_htod, "copies that wait",
            "sync_memcpy_dtoh or sync_memcpy_htod is NULL");
  TN_EXPECT(fns->memcpy_dtoh && fns->memcpy_htod && fns->memcpy_dtod, "copies on a stream",
            "memcpy_dtoh, memcpy_htod or memcpy_dtod is NULL");
  TN_EXPECT(!!fns->create_timer == !!fns->destroy_timer && !!fns->start_timer == !!fns->stop_timer,
            "timers whole or not at all", "some of their functions");
  TN_EXPECT(!td.platform->unified_memory ||
                (fns->unified_memory_allocate && fns->unified_memory_deallocate),
            "unified memory where the platform says that there is", "no functions for it");
}

// ---- Places ----

static void use_a_little(void) {
  if (td.platform->device_count == 0) return;
  SP_DeviceMemoryBase memory = td_allocate(64);
  char bytes[64] = {0};
  td_put(&memory, bytes, sizeof bytes);
  SP_Stream stream = td_stream();
  td_wait(stream);
  td_destroy_stream(stream);
  td_free(&memory);
}

static void start_there(void* arg, int i) {
  td_start(arg);
  use_a_little();
}
static void another_thread(const tn_subject* subject) {
  tn_case_threads(1, 0, start_there, (void*)subject);
}

static void empty_environment(const tn_subject* subject) {
  clearenv();
  td_register(subject);
}

static void belongings(const tn_subject* subject) {
  tn_belonging_remember((tn_belonging)subject->arg);
  td_register(subject);
  static tn_foreign_room room;
  if (td.platform->device_count > 0 && (td.device = td_create_device(0, &room, NULL)))
    use_a_little();
  tn_belonging_compare();
}

// ---- Devices ----

static void describes(const tn_subject* subject) {
  td_start(subject);
  TN_EXPECT(td.device->ordinal == 0, "ordinal 0", "%d", td.device->ordinal);
  SP_Device fields;
  tn_status status = {0};
  const bool read = tn_read_device((tn_foreign_struct){.file = subject->path,
                                                       .since = td.platform->since,
                                                       .like = td.platform->like,
                                                       .given = SP_DEVICE_STRUCT_SIZE,
                                                       .bytes = (const char*)td.device},
                                   &fields, &status);
  TN_NEED(read, "an SP_Device that can be read", "%s", tn_status_message(&status));
  tn_case_note("hardware %.100s, vendor %.100s",
               fields.hardware_name ? fields.hardware_name : "unknown",
               fields.device_vendor ? fields.device_vendor : "unknown");
}

static void functions_of_devices(const tn_subject* subject) {
  td_start(subject);
  const SP_DeviceFns* fns = &td.platform->device_fns;
  if (!fns->get_numa_node && !fns->get_memory_bandwidth && !fns->get_gflops)
    tn_case_skip("the plugin has none of them");
  if (fns->get_numa_node) {
    const int32_t node = TN_CASE_CALL("get_numa_node", fns->get_numa_node(td.device));
    TN_EXPECT(node >= -1 && node < 1024, "a node of memory, or -1", "%d", node);
  }
  if (fns->get_memory_bandwidth) {
    const int64_t speed =
        TN_CASE_CALL("get_memory_bandwidth", fns->get_memory_bandwidth(td.device));
    TN_EXPECT(speed >= -1 && speed < (int64_t)1 << 50, "bytes a second, or -1", "%lld",
              (long long)speed);
  }
  if (fns->get_gflops) {
    const double speed = TN_CASE_CALL("get_gflops", fns->get_gflops(td.device));
    TN_EXPECT(speed >= -1 && speed < 1e12, "operations a second, or -1", "%g", speed);
  }
}

static void no_such_device(const tn_subject* subject) {
  td_start(subject);
  static tn_foreign_room room;
  const int ordinals[] = {-1, td.platform->device_count, 100000};
  for (size_t i = 0; i < sizeof ordinals / sizeof *ordinals; ++i) {
    SP_Device* device = td_create_device(ordinals[i], &room, NULL);
    if (!device) continue;
    tn_case_note("create_device takes ordinal %d of %d", ordinals[i], td.platform->device_count);
    td_destroy_device(device);
  }
}

static void again_and_again(const tn_subject* subject) {
  td_start(subject);
  for (int i = 0; i < 20; ++i) {
    static tn_foreign_room room;
    tn_status status = {0};
    SP_Device* device = td_create_device(0, &room, &status);
    TN_NEED(device, "a device each time", "%s", tn_status_message(&status));
    td_destroy_device(device);
  }
  use_a_little();
}

static void destroyed_and_made(const tn_subject* subject) {
  td_start(subject);
  use_a_little();
  td_destroy_device((SP_Device*)td.device);
  static tn_foreign_room room;
  tn_status status = {0};
  td.device = td_create_device(0, &room, &status);
  TN_NEED(td.device, "a device after another was destroyed", "%s", tn_status_message(&status));
  use_a_little();
}

static void all_devices(const tn_subject* subject) {
  enum { MOST = 8 };
  static tn_foreign_room rooms[MOST];
  td_start(subject);
  const int found = td.platform->device_count < MOST ? td.platform->device_count : MOST;
  if (found < 2) tn_case_skip("there is one device");
  const SP_Device* devices[MOST] = {td.device};
  for (int i = 1; i < found; ++i) {
    tn_status status = {0};
    devices[i] = td_create_device(i, &rooms[i], &status);
    TN_NEED(devices[i], "each device that was counted", "device %d: %s", i,
            tn_status_message(&status));
    TN_EXPECT(devices[i]->ordinal == i, "the ordinal that was asked for", "%d, not %d",
              devices[i]->ordinal, i);
  }
  for (int i = 0; i < found; ++i) {
    td.device = devices[i];
    use_a_little();
  }
}

// What the first device leaves may be kept for the next; what grows with each is lost.
static void nothing_piles_up(const tn_subject* subject) {
  const tn_countable what = (tn_countable)subject->arg;
  td_start(subject);
  use_a_little();
  const int before = tn_belongings_count(what);
  for (int i = 0; i < 10; ++i) {
    static tn_foreign_room room;
    SP_Device* device = td_create_device(0, &room, NULL);
    if (!device) break;
    const SP_Device* kept = td.device;
    td.device = device;
    use_a_little();
    td.device = kept;
    td_destroy_device(device);
  }
  const int after = tn_belongings_count_settled(what, before);
  TN_EXPECT(after < before + 10, subject->arg ? "as many descriptors" : "as many threads",
            "%d, then %d after ten more devices", before, after);
}

static const tn_check_case cases[] = {
    {"platform.opens", "SE_InitPlugin registers a platform, and its tables can be read", opens, 0},
    {"platform.names", "the platform's name and type are words in capitals, which stay", names, 0},
    {"platform.functions", "the executor has the functions that hosts call", fills_functions, 0},
    {"platform.version", "the plugin leaves the host's major version", versions, 0},
    {"platform.ext", "ext is reserved and stays NULL", extensions, 0},
    {"platform.newer_host", "a newer host, whose structs are longer, is served", newer_host, 0},
    {"platform.older_executor",
     "of an older host's SP_StreamExecutor nothing is written beyond struct_size", older_executor,
     0},
    {"platform.twice", "a platform that was destroyed may be registered again", twice, 0},
    {"platform.taken_down", "tables may be destroyed", taken_down, 0},
    {"platform.count", "the number of devices stays", count, 0},
    {"platform.another_thread", "a plugin is registered and used on any thread", another_thread, 0},
    {"platform.empty_environment", "a plugin registers without environment variables",
     empty_environment, 0},
    {"platform.standard_output", "standard output belongs to the host", belongings,
     TN_STANDARD_OUTPUT},
    {"platform.signals", "signal handlers belong to the host", belongings, TN_SIGNAL_HANDLERS},
    {"platform.working_folder", "the working folder belongs to the host", belongings,
     TN_WORKING_FOLDER},
    {"platform.rounding", "how numbers are rounded is the host's affair", belongings, TN_ROUNDING},
    {"device.describes", "a device tells what it is", describes, 0},
    {"device.functions", "what a device says of its speed makes sense", functions_of_devices, 0},
    {"device.no_such", "an ordinal that no device has kills nobody", no_such_device, 0},
    {"device.again_and_again", "devices may be made and destroyed", again_and_again, 0},
    {"device.destroyed_and_made", "a device may be made after another was destroyed",
     destroyed_and_made, 0},
    {"device.all", "each device that was counted can be made and used", all_devices, 0},
    {"device.threads_end", "threads of a device end with it", nothing_piles_up, TN_THREADS},
    {"device.descriptors_close", "descriptors of a device are closed with it", nothing_piles_up,
     TN_DESCRIPTORS},
};
const tn_check_group tn_check_devices_platform = TN_CHECK_GROUP(TN_FACE_DEVICES, cases);
