#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "device/cpu_memory.h"

static tn_device cpu = {
    .type = "CPU",
    .name = "/job:localhost/replica:0/task:0/device:CPU:0",
    .ordinal = 0,
    .allocator = &tn_cpu_allocator,
    .host_allocator = &tn_cpu_allocator,
};

// Only ever grows at the end; the CPU comes before the first.
enum { MOST_DEVICES = 1023 };
static tn_device* others[MOST_DEVICES];
static atomic_size_t other_count;

static void start_cpu(void) { cpu.pool = tn_pool_default(); }

tn_device* tn_device_cpu(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_cpu);
  return &cpu;
}

size_t tn_device_count(void) {
  return 1 + atomic_load_explicit(&other_count, memory_order_acquire);
}

tn_device* tn_device_at(size_t i) {
  if (i == 0) return tn_device_cpu();
  return i < tn_device_count() ? others[i - 1] : NULL;
}

bool tn_devices_add(tn_device* const* devices, size_t added, tn_status* status) {
  const size_t count = atomic_load_explicit(&other_count, memory_order_relaxed);
  if (added > MOST_DEVICES - count) {
    tn_status_set(status, TN_RESOURCE_EXHAUSTED,
                  "there are %zu devices besides the CPU, and no room for %zu more", count, added);
    return false;
  }
  for (size_t i = 0; i < added; ++i) others[count + i] = devices[i];
  atomic_store_explicit(&other_count, count + added, memory_order_release);
  return true;
}

int tn_device_count_of_type(const char* type) {
  int found = 0;
  for (size_t i = 0; i < tn_device_count(); ++i)
    found += strcasecmp(tn_device_at(i)->type, type) == 0;
  return found;
}

const char* tn_device_name(const tn_device* device) { return device ? device->name : ""; }
const char* tn_device_type(const tn_device* device) { return device ? device->type : ""; }

// "CPU", "CPU:0", "device:CPU:0", "cpu:0": one part between slashes that says which device.
static bool part_is(tn_view part, const tn_device* device) {
  tn_view_skip(&part, "device:");
  size_t size = strlen(device->type);
  if (part.size < size || strncasecmp(part.data, device->type, size) != 0) return false;
  char ordinal[16];
  snprintf(ordinal, sizeof ordinal, ":%d", device->ordinal);
  tn_view rest = {part.data + size, part.size - size};
  return rest.size == 0 ? device->ordinal == 0
                        : tn_view_is(rest, ordinal) || tn_view_is(rest, ":*");
}

// Full names name their job, replica and task too; there is one of each.
static bool name_is(const char* name, const tn_device* device) {
  bool found = false;
  for (const char* at = name; *at;) {
    size_t size = strcspn(at, "/");
    tn_view part = {at, size};
    at += size + (at[size] == '/');
    if (size == 0 || tn_view_is(part, "job:localhost") || tn_view_is(part, "replica:0") ||
        tn_view_is(part, "task:0"))
      continue;
    if (found || !part_is(part, device)) return false;
    found = true;
  }
  return found;
}

tn_device* tn_device_find(const char* name, tn_status* status) {
  if (!name || !*name) return tn_device_cpu();
  for (size_t i = 0; i < tn_device_count(); ++i)
    if (name_is(name, tn_device_at(i))) return tn_device_at(i);
  tn_text known = {0};
  for (size_t i = 0; i < tn_device_count(); ++i)
    tn_text_printf(&known, "%s%s:%d", i ? ", " : "", tn_device_at(i)->type,
                   tn_device_at(i)->ordinal);
  if (known.failed)
    tn_status_set_no_memory(status, "looking for a device");
  else
    tn_status_set(status, TN_NOT_FOUND, "there is no device '%s'; there is: %s", name,
                  tn_text_view(&known).data);
  tn_text_deinit(&known);
  return NULL;
}
