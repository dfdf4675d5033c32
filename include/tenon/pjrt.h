// Programs on PJRT plugins: open any plugin that exports GetPjrtApi, of any number since 0.28
// (August 2023), and work with it through one interface. No copy of a framework is needed, and
// nothing here depends on the number that the plugin was built with.
//
//   tn_pjrt* plugin = tn_pjrt_open("pjrt_plugin.so", NULL, status);
//
// Whoever makes an object destroys it, in any order: each keeps what it stands on. Destroying NULL
// does nothing.
#ifndef TENON_PJRT_H_
#define TENON_PJRT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/abi.h"
#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_pjrt tn_pjrt;                // a plugin, seen under one set of options
typedef struct tn_pjrt_values tn_pjrt_values;  // named values: options, attributes

// ---- Named values ----

// What a value is; the numbers of PJRT_NamedValue_Type.
typedef enum tn_pjrt_kind {
  TN_PJRT_STRING = 0,
  TN_PJRT_INT = 1,
  TN_PJRT_INTS = 2,
  TN_PJRT_FLOAT = 3,
  TN_PJRT_BOOL = 4,
} tn_pjrt_kind;

// An empty list. Owned by the caller until tn_pjrt_values_destroy; NULL when out of memory.
// [any thread]  since 0.1
tn_pjrt_values* tn_pjrt_values_create(void);

// Frees a list; NULL is fine. Only for lists that a caller owns.  [any thread]  since 0.1
void tn_pjrt_values_destroy(tn_pjrt_values* values);

// Sets a text; a name that is there already gets the new value, of whatever kind, as with all of
// these. Copies what it is given.  [one thread per list]  since 0.1
bool tn_pjrt_values_set_string(tn_pjrt_values* values, const char* name, const char* value,
                               tn_status* status);

// Sets a whole number. Copies what it is given.  [one thread per list]  since 0.1
bool tn_pjrt_values_set_int(tn_pjrt_values* values, const char* name, int64_t value,
                            tn_status* status);

// Sets a list of whole numbers. Copies what it is given.  [one thread per list]  since 0.1
bool tn_pjrt_values_set_ints(tn_pjrt_values* values, const char* name, const int64_t* value,
                             size_t count, tn_status* status);

// Sets a number with a fraction. Copies what it is given.  [one thread per list]  since 0.1
bool tn_pjrt_values_set_float(tn_pjrt_values* values, const char* name, float value,
                              tn_status* status);

// Sets true or false. Copies what it is given.  [one thread per list]  since 0.1
bool tn_pjrt_values_set_bool(tn_pjrt_values* values, const char* name, bool value,
                             tn_status* status);

// Sets what a user typed as "name=value": true or false, a whole number, 0.5, 1,2,3, or else a
// text. "name:string=5" says the kind (string, int, ints, float, bool). Copies what it is given.
// [one thread per list]  since 0.1
bool tn_pjrt_values_set_text(tn_pjrt_values* values, const char* text, tn_status* status);

// How many there are; 0 for NULL. Borrows `values`.  [any thread]  since 0.1
size_t tn_pjrt_values_count(const tn_pjrt_values* values);

// The name of the i-th; NULL past the end. Owned by the list until it is changed.
// [any thread]  since 0.1
const char* tn_pjrt_values_name(const tn_pjrt_values* values, size_t i);

// Where a name stands; SIZE_MAX when it does not. Borrows `values`.  [any thread]  since 0.1
size_t tn_pjrt_values_find(const tn_pjrt_values* values, const char* name);

// The kind of the i-th; TN_PJRT_STRING past the end. Borrows `values`.  [any thread]  since 0.1
tn_pjrt_kind tn_pjrt_values_kind(const tn_pjrt_values* values, size_t i);

// The text; NULL when the i-th is of another kind, or there is none. Owned by the list until it is
// changed.  [any thread]  since 0.1
const char* tn_pjrt_values_string(const tn_pjrt_values* values, size_t i);

// The whole number; 0 when the i-th is of another kind, or there is none. Borrows `values`.
// [any thread]  since 0.1
int64_t tn_pjrt_values_int(const tn_pjrt_values* values, size_t i);

// The numbers, `*count` of them; NULL and 0 when the i-th is of another kind, or there is none.
// Owned by the list until it is changed.  [any thread]  since 0.1
const int64_t* tn_pjrt_values_ints(const tn_pjrt_values* values, size_t i, size_t* count);

// The number; 0 when the i-th is of another kind, or there is none. Borrows `values`.
// [any thread]  since 0.1
float tn_pjrt_values_float(const tn_pjrt_values* values, size_t i);

// The truth; false when the i-th is of another kind, or there is none. Borrows `values`.
// [any thread]  since 0.1
bool tn_pjrt_values_bool(const tn_pjrt_values* values, size_t i);

// ---- Plugins ----

// Which plugins to take.
typedef enum tn_pjrt_policy {
  TN_PJRT_ANY = 0,     // all that can work
  TN_PJRT_WINDOW = 1,  // those whose number the compatibility window of PJRT covers
  TN_PJRT_EQUAL = 2,   // those of the number that this host acts as, and no other
} tn_pjrt_policy;

// How to open a plugin. Zero fields take the defaults.
typedef struct tn_pjrt_open_options {
  size_t struct_size;      // TN_INIT(tn_pjrt_open_options) sets it                      since 0.1
  void* ext;               // must be NULL                                               since 0.1
  uint32_t policy;         // tn_pjrt_policy                                             since 0.1
  uint32_t window_weeks;   // of TN_PJRT_WINDOW; 0: 12                                   since 0.1
  const char* as_of;       // of TN_PJRT_WINDOW: "2026-11-15"; NULL: today               since 0.1
  int32_t as_host;         // N: be a framework of 0.N: send what it sent, use nothing
                           // newer; 0: this host                                        since 0.1
  uint32_t time_limit_ms;  // of the first contact; 0: 30,000                            since 0.1
  bool first_contact;      // open and initialize it in a child process first: a crash,
                           // an exit or a hang there is a status here                   since 0.1
} tn_pjrt_open_options;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_open_options, first_contact);

// Opens the plugin at `path` and initializes it. A file is loaded and initialized once, however
// often and under whatever name it is opened, and stays until the process ends; each call gives a
// view of it under its own options. What cannot work is refused before anything in the plugin is
// called: plugins from before there were numbers, 0.1 to 0.27, 0.56, other majors. NULL, and the
// status says what was found, what is expected and which side has to change. `options` may be NULL.
// The view is owned by the caller until tn_pjrt_close.  [any thread]  since 0.1
tn_pjrt* tn_pjrt_open(const char* path, const tn_pjrt_open_options* options, tn_status* status);

// Gives a view back; NULL is fine. The caller's pointer is dead afterwards; what was made from the
// view keeps what it needs, and the file stays loaded.  [any thread]  since 0.1
void tn_pjrt_close(tn_pjrt* plugin);

// The file, as an absolute path. Owned by the library, valid for ever.  [any thread]  since 0.1
const char* tn_pjrt_path(const tn_pjrt* plugin);

// The number of the plugin's table: 0 and 90 for 0.90. Either pointer may be NULL. Borrows
// `plugin`. [any thread]  since 0.1
void tn_pjrt_api_version(const tn_pjrt* plugin, int* major, int* minor);

// The newest number that this host knows in full: 117 for 0.117. Of newer plugins it uses what it
// knows. Nobody's to free.  [any thread]  since 0.1
int tn_pjrt_newest_known(void);

// Whether the view has a function, by its name in the table ("PJRT_Buffer_Bitcast"). Borrows
// `plugin`.  [any thread]  since 0.1
bool tn_pjrt_has(const tn_pjrt* plugin, const char* function);

// What the plugin says of itself (its StableHLO versions, for one); an empty list when it says
// nothing. Owned by the view until it is closed.  [any thread]  since 0.1
const tn_pjrt_values* tn_pjrt_attributes(const tn_pjrt* plugin);

// How many extensions the plugin has. Borrows `plugin`.  [any thread]  since 0.1
size_t tn_pjrt_extension_count(const tn_pjrt* plugin);

// The type of the i-th extension in the plugin's order, -1 past the end. `size`, which may be NULL,
// gets the struct's size as the plugin tells it; 0 before 0.45, when it was not told. Borrows
// `plugin`.  [any thread]  since 0.1
int tn_pjrt_extension_type(const tn_pjrt* plugin, size_t i, size_t* size);

// The extension of a type, when the plugin has one with at least `size` bytes; NULL otherwise.
// Experimental and optional features are had this way, or not at all. Owned by the plugin, valid
// for ever.  [any thread]  since 0.1
const void* tn_pjrt_extension(const tn_pjrt* plugin, int type, size_t size);

// What a user may want to know about this plugin, one fact a line ("loading it replaced the
// handlers of signals 11 15; they were put back"); "" when there is nothing. Owned by the view
// until it is closed.  [any thread]  since 0.1
const char* tn_pjrt_notes(const tn_pjrt* plugin);

// The whole table behind the view, a const PJRT_Api* of the newest known number: every entry can be
// called, and those that the view does not have answer UNIMPLEMENTED. NULL when out of memory, or
// when 16 other views have theirs out. Owned by the view until it is closed.  [any thread]  since
// 0.1
const void* tn_pjrt_table(const tn_pjrt* plugin);

#ifdef __cplusplus
}
#endif
#endif  // TENON_PJRT_H_
