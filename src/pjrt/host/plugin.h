// A PJRT plugin from the inside: one view of a loaded file, and how every call into it is made.
//
//   TN_PJRT_ARGS(plugin, PJRT_Client_PlatformName_Args, args, .client = client);
//   if (!TN_PJRT_CALL(plugin, PJRT_Client_PlatformName, args, status)) return false;
//   use(args->platform_name, args->platform_name_size);
//
// Handles (errors, memories, events, ...) are never looked into: what stands behind one differs
// from number to number.
#ifndef TENON_PJRT_HOST_PLUGIN_H_
#define TENON_PJRT_HOST_PLUGIN_H_

#include <stdatomic.h>
#include <string.h>

#include "pjrt/host/entries.h"
#include "tenon/pjrt.h"

// Numbers that this host can work with: 0.28 up to whatever comes, with one exception in which the
// table differs from all others.
enum { TN_PJRT_OLDEST = 28, TN_PJRT_ODD = 56, TN_PJRT_NEWEST = PJRT_API_MINOR };

// The most dimensions that an array can have.
enum { TN_PJRT_MAX_RANK = 64 };

// Why a view does not have an entry.
typedef enum tn_pjrt_absence {
  TN_PJRT_PRESENT,
  TN_PJRT_LATER,       // came with a later number than the plugin's
  TN_PJRT_HOST_LATER,  // came with a later number than the one that this host acts as
  TN_PJRT_PAST_END,    // the plugin's table ends before it
  TN_PJRT_NULL,        // null in the plugin's table
  TN_PJRT_NO_CODE,     // no function stands where the plugin's table points
} tn_pjrt_absence;

typedef struct tn_pjrt_file tn_pjrt_file;

struct tn_pjrt {
  PJRT_Api api;  // full size, every entry can be called: absent ones answer with an error
  const PJRT_Api* theirs;
  uint16_t sizes[TN_PJRT_STRUCT_COUNT];       // struct_size to send
  uint16_t their_ends[TN_PJRT_STRUCT_COUNT];  // where the struct ends in the plugin's number; 0:
                                              // not there
  uint8_t absent[TN_PJRT_ENTRY_COUNT];        // tn_pjrt_absence
  int major, minor;                           // the plugin's number
  int host_minor;                             // the number that this host acts as
  const char* path;
  const char* name;         // the file's, without its folder
  _Atomic uint32_t* trace;  // NULL, or where the entry that is being called is told
  tn_pjrt_file* file;
  _Atomic int references;
  tn_pjrt_values* attributes;
  _Atomic(struct tn_pjrt_notes*) notes;  // the newest; older ones stay until the end
  _Atomic(struct tn_pjrt_given*) given;  // what tn_pjrt_table gave away
};

// Counted: clients hold one. tn_pjrt_close gives back the first.  [any thread]
tn_pjrt* tn_pjrt_ref(tn_pjrt* plugin);
void tn_pjrt_unref(tn_pjrt* plugin);

// The struct_size to send for a TYPE, and whether both sides have a field of it: only then is it
// worth setting, and only then is an output read. A field is had from the number on that brought
// it.
#define TN_PJRT_SIZE_OF(plugin, TYPE) ((size_t)(plugin)->sizes[TN_PJRT_AT_##TYPE])
#define TN_PJRT_HAS_FIELD(plugin, TYPE, field)                            \
  ((plugin)->sizes[TN_PJRT_AT_##TYPE] >= PJRT_STRUCT_SIZE(TYPE, field) && \
   (plugin)->their_ends[TN_PJRT_AT_##TYPE] >= PJRT_STRUCT_SIZE(TYPE, field))
// Whether an entry is there to be called.
#define TN_PJRT_HAS(plugin, ENTRY) ((plugin)->absent[TN_PJRT_AT_##ENTRY] == TN_PJRT_PRESENT)

// Declares `name`, a TYPE* to a block with the given fields set, all else zero, and zeroed room
// behind it: a newer plugin may look at fields, and write to fields, that this host does not know.
enum { TN_PJRT_ROOM = 256 };
// In plain stores: for this size compilers choose an instruction that takes longer to begin.
static inline void tn_pjrt_zero_room(void* room) {
  typedef long long word __attribute__((vector_size(16), aligned(8), may_alias));
  word* at = room;
  const word zero = {0};
  at[0] = at[1] = at[2] = at[3] = at[4] = at[5] = at[6] = at[7] = zero;
  at[8] = at[9] = at[10] = at[11] = at[12] = at[13] = at[14] = at[15] = zero;
}
_Static_assert(TN_PJRT_ROOM == 16 * 16, "tn_pjrt_zero_room zeroes all of it");
#define TN_PJRT_ARGS(plugin, TYPE, name, ...)                                          \
  union {                                                                              \
    TYPE as;                                                                           \
    char room[sizeof(TYPE) + TN_PJRT_ROOM];                                            \
  } name##_room;                                                                       \
  name##_room.as = (TYPE){.struct_size = TN_PJRT_SIZE_OF(plugin, TYPE), __VA_ARGS__};  \
  memset(name##_room.room + TYPE##_STRUCT_SIZE, 0, sizeof(TYPE) - TYPE##_STRUCT_SIZE); \
  tn_pjrt_zero_room(name##_room.room + sizeof(TYPE));                                  \
  TYPE* const name = &name##_room.as

// Calls an entry. False when it gave an error, which is turned into `status` and destroyed.
#define TN_PJRT_CALL(plugin, ENTRY, args, status)          \
  (tn_pjrt_trace((plugin)->trace, TN_PJRT_AT_##ENTRY + 1), \
   tn_pjrt_called((plugin), TN_PJRT_AT_##ENTRY, (plugin)->api.ENTRY(args), (status)))

static inline void tn_pjrt_trace(_Atomic uint32_t* trace, uint32_t what) {
  if (__builtin_expect(trace != NULL, 0)) atomic_store_explicit(trace, what, memory_order_relaxed);
}

// Turns `error` (not NULL) into "PLUGIN.so: <what>: CODE: <its message>", payloads included, and
// destroys it. Returns false. Errors of absent entries say what is missing and which side is older.
bool tn_pjrt_error_take(const tn_pjrt* plugin, const char* what, PJRT_Error* error,
                        tn_status* status);
bool tn_pjrt_call_failed(const tn_pjrt* plugin, int entry, PJRT_Error* error, tn_status* status);

static inline bool tn_pjrt_called(const tn_pjrt* plugin, int entry, PJRT_Error* error,
                                  tn_status* status) {
  tn_pjrt_trace(plugin->trace, 0);
  return __builtin_expect(!error, 1) || tn_pjrt_call_failed(plugin, entry, error, status);
}

// False with UNIMPLEMENTED and the same words, without a call.
bool tn_pjrt_require(const tn_pjrt* plugin, int entry, tn_status* status);

// The name of an entry ("PJRT_Client_Create") and the number that it came with.
extern const char* const tn_pjrt_entry_names[TN_PJRT_ENTRY_COUNT];
int tn_pjrt_entry_find(const char* name);  // -1: none of that name

// Where calls are told from now on, by every plugin that is opened later: number of the entry plus
// 1, or one of the stages; 0 between calls. For a process whose death another one explains.
enum { TN_PJRT_STAGE_DLOPEN = 1000, TN_PJRT_STAGE_GET_API };
void tn_pjrt_trace_to(_Atomic uint32_t* word);
// "PJRT_Client_Create", "dlopen", "GetPjrtApi"; NULL for 0.
const char* tn_pjrt_trace_name(uint32_t word);

// Adds a line to what tn_pjrt_notes tells, unless it is there already; nothing when out of memory.
// [any thread]
void tn_pjrt_note(tn_pjrt* plugin, const char* fact);

// ---- Named values ----

// "string", "int" and so on, as name:kind=value has them.
const char* tn_pjrt_kind_name(tn_pjrt_kind kind);
// A deep copy of a plugin's list; values that make no sense are left out. NULL when out of memory.
tn_pjrt_values* tn_pjrt_values_copy(const tn_pjrt* plugin, const PJRT_NamedValue* list,
                                    size_t count, tn_status* status);
// The list as a plugin takes it, pointing into `values`: one block to tn_free. `*out_count` items.
PJRT_NamedValue* tn_pjrt_values_lend(const tn_pjrt* plugin, const tn_pjrt_values* values,
                                     size_t* out_count, tn_status* status);

#endif  // TENON_PJRT_HOST_PLUGIN_H_
