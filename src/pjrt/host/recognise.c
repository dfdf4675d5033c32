// What a table is, by its head alone. The head is the same in all numbers: the table's size, a word
// for extensions, then the version: its own size (24), a word for extensions, major, minor. Before
// there were numbers the first function stood where the version is now.
#include "abi/releases.h"
#include "base/status.h"
#include "pjrt/host/table.h"

typedef struct head {
  size_t table_size;
  const void* extensions;
  size_t version_size;
  const void* version_extensions;
  int major, minor;
} head;
_Static_assert(sizeof(head) == TN_PJRT_FIRST_ENTRY, "the head ends where functions begin");
_Static_assert(offsetof(head, major) ==
                   offsetof(PJRT_Api, pjrt_api_version) + offsetof(PJRT_Api_Version, major_version),
               "the head is PJRT_Api's");

enum { MOST_TABLE = 1 << 16, MOST_MINOR = 10000, VERSION_SIZE = PJRT_Api_Version_STRUCT_SIZE };

#define TAKEN "this host takes 0.28 (August 2023) and newer, 0.56 excepted"

static bool refuse(tn_status* status, tn_fault fault, const char* format, ...) TN_PRINTF(3, 4);
static bool refuse(tn_status* status, tn_fault fault, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status_setv(status, TN_FAILED_PRECONDITION, format, args);
  va_end(args);
  tn_status_set_fault(status, fault);
  return false;
}

static bool refuse_number(const head* head, const char* file, tn_status* status) {
  const int major = head->major, minor = head->minor;
  int64_t day = 0;
  bool observed;
  char began[TN_DAY_TEXT] = "an unknown day";
  if (major != PJRT_API_MAJOR)
    return refuse(status, TN_FAULT_HOST,
                  "%s: it has PJRT %d.%d, and this host knows major %d (0.%d to 0.%d); majors do "
                  "not work with each other, and the host is the older side: update Tenon, or get "
                  "the plugin's build for major %d",
                  file, major, minor, PJRT_API_MAJOR, TN_PJRT_OLDEST, TN_PJRT_NEWEST,
                  PJRT_API_MAJOR);
  if (tn_abi_pjrt_day(minor, &day, &observed)) tn_day_text(day, began);
  if (minor == TN_PJRT_ODD)
    return refuse(status, TN_FAULT_PLUGIN,
                  "%s: it has PJRT 0.56, the one number whose table has a function in its middle "
                  "(31 others moved by it, taken back in 0.57 within days); " TAKEN
                  ": the plugin is to be built again, with 0.57 or newer",
                  file);
  return refuse(status, TN_FAULT_PLUGIN,
                "%s: it has PJRT 0.%d (of %s), from the time when nearly every number moved the "
                "functions of the table; " TAKEN ": the plugin is the older side, update it",
                file, minor, began);
}

bool tn_pjrt_recognise(const void* table, const char* file, const tn_mapped* mapped,
                       tn_pjrt_number* out, tn_status* status) {
  head head;
  if (!table)
    return refuse(status, TN_FAULT_PLUGIN,
                  "%s: GetPjrtApi gave NULL instead of a table; the plugin is to be mended", file);
  if (!tn_mapped_readable(mapped, table, sizeof head))
    return refuse(status, TN_FAULT_PLUGIN,
                  "%s: GetPjrtApi gave %p, where there is nothing to read; the plugin is to be "
                  "mended",
                  file, table);
  memcpy(&head, table, sizeof head);
  // A function: an address, which no size of a version comes near.
  if (head.version_size > MOST_TABLE &&
      tn_mapped_is_code(mapped, (const void*)(uintptr_t)head.version_size))
    return refuse(status, TN_FAULT_PLUGIN,
                  "%s: its table has no number (struct_size %zu, and a function where the version "
                  "stands since June 2023); " TAKEN ": the plugin is the older side, update it",
                  file, head.table_size);
  const bool unmarked = head.version_size == 0;
  if ((head.version_size != VERSION_SIZE && !unmarked) || head.major < 0 || head.minor < 0 ||
      head.minor > MOST_MINOR || (head.major == 0 && head.minor == 0))
    return refuse(status, TN_FAULT_PLUGIN,
                  "%s: what GetPjrtApi gave is no PJRT_Api: the version at its byte 16 has "
                  "struct_size %zu (%d is expected) and says %d.%d; the plugin is to be mended",
                  file, head.version_size, VERSION_SIZE, head.major, head.minor);
  if (head.major != PJRT_API_MAJOR || head.minor < TN_PJRT_OLDEST || head.minor == TN_PJRT_ODD)
    return refuse_number(&head, file, status);
  const size_t least = offsetof(PJRT_Api, PJRT_Plugin_Initialize);
  if (head.table_size < least || head.table_size > MOST_TABLE)
    return refuse(status, TN_FAULT_PLUGIN,
                  "%s: its table says PJRT 0.%d and struct_size %zu, which no table has (%zu to %d "
                  "bytes make sense; 0.%d has %zu); the plugin is to be mended",
                  file, head.minor, head.table_size, least, MOST_TABLE, TN_PJRT_NEWEST,
                  (size_t)PJRT_Api_STRUCT_SIZE);
  *out = (tn_pjrt_number){head.major, head.minor, head.table_size, unmarked};
  return true;
}
