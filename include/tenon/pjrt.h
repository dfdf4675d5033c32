// Programs on PJRT plugins: open any plugin that exports GetPjrtApi, of any number since 0.28
// (August 2023), and work with it through one interface. No copy of a framework is needed, and
// nothing here depends on the number that the plugin was built with.
//
//   tn_pjrt* plugin = tn_pjrt_open("pjrt_plugin.so", NULL, status);
//   tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
//   tn_pjrt_executable* add = tn_pjrt_compile_file(client, "add.mlirbc", NULL, status);
//   tn_pjrt_buffer* x = tn_pjrt_buffer_from_tensor(client, tensor, NULL, status);
//   tn_pjrt_buffer* y = NULL;
//   tn_pjrt_execute(add, &x, 1, &y, 1, NULL, status);
//   tn_tensor* result = tn_pjrt_buffer_to_tensor(y, status);
//
// Whoever makes an object destroys it, in any order: each keeps what it stands on. Destroying NULL
// does nothing. Calls return as soon as the plugin lets them: a buffer may be used in further calls
// at once, and reading it waits for it. docs/pjrt.md says what older plugins lack.
#ifndef TENON_PJRT_H_
#define TENON_PJRT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/abi.h"
#include "tenon/status.h"
#include "tenon/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_pjrt tn_pjrt;                        // a plugin, seen under one set of options
typedef struct tn_pjrt_values tn_pjrt_values;          // named values: options, attributes
typedef struct tn_pjrt_client tn_pjrt_client;          // a plugin at work: its devices and programs
typedef struct tn_pjrt_device tn_pjrt_device;          // belongs to its client
typedef struct tn_pjrt_memory tn_pjrt_memory;          // belongs to its client
typedef struct tn_pjrt_event tn_pjrt_event;            // something that will have happened
typedef struct tn_pjrt_buffer tn_pjrt_buffer;          // an array on a device
typedef struct tn_pjrt_transfer tn_pjrt_transfer;      // buffers that are filled piece by piece
typedef struct tn_pjrt_executable tn_pjrt_executable;  // a compiled program, loaded on its devices

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

// ---- Clients ----

// Makes the plugin ready to work, with the options it understands (NULL: none). Keeps the plugin;
// copies what it needs of the options. Owned by the caller until tn_pjrt_client_destroy. NULL with
// what the plugin said.  [any thread]  since 0.1
tn_pjrt_client* tn_pjrt_client_create(tn_pjrt* plugin, const tn_pjrt_values* options,
                                      tn_status* status);

// Drops the caller's hold; NULL is fine. The plugin's own client ends when the last object that
// belongs to it goes, in the thread that lets it go.  [any thread]  since 0.1
void tn_pjrt_client_destroy(tn_pjrt_client* client);

// The plugin behind it. Owned by the client.  [any thread]  since 0.1
tn_pjrt* tn_pjrt_client_plugin(const tn_pjrt_client* client);

// "cuda", "tpu". Owned by the client.  [any thread]  since 0.1
const char* tn_pjrt_client_platform_name(const tn_pjrt_client* client);

// What the plugin says of its own version. Owned by the client.  [any thread]  since 0.1
const char* tn_pjrt_client_platform_version(const tn_pjrt_client* client);

// What making the client did to the process, one fact a line, as tn_pjrt_notes; "" when nothing.
// Owned by the client.  [any thread]  since 0.1
const char* tn_pjrt_client_notes(const tn_pjrt_client* client);

// The number of this process among those that work together; 0 when alone. Borrows `client`.
// [any thread]  since 0.1
int tn_pjrt_client_process_index(const tn_pjrt_client* client);

// The number of devices, those of other processes among them. Borrows `client`.
// [any thread]  since 0.1
size_t tn_pjrt_client_device_count(const tn_pjrt_client* client);

// Device `i`; NULL past the end. Owned by the client.  [any thread]  since 0.1
tn_pjrt_device* tn_pjrt_client_device(const tn_pjrt_client* client, size_t i);

// The number of devices that this process can use. Borrows `client`.  [any thread]  since 0.1
size_t tn_pjrt_client_addressable_count(const tn_pjrt_client* client);

// Device `i` of those that this process can use; NULL past the end. Owned by the client.
// [any thread]  since 0.1
tn_pjrt_device* tn_pjrt_client_addressable(const tn_pjrt_client* client, size_t i);

// The device with that id. NULL and NOT_FOUND, with the ids there are, for none. Owned by the
// client.  [any thread]  since 0.1
tn_pjrt_device* tn_pjrt_client_find_device(const tn_pjrt_client* client, int id, tn_status* status);

// The number of memories that this process can use; 0 for a plugin that does not tell. Borrows
// `client`.  [any thread]  since 0.1
size_t tn_pjrt_client_memory_count(const tn_pjrt_client* client);

// Memory `i`; NULL past the end. Owned by the client.  [any thread]  since 0.1
tn_pjrt_memory* tn_pjrt_client_memory(const tn_pjrt_client* client, size_t i);

// The device ids that a program gets which asks for none: `ids` has room for replicas * partitions
// of them, a replica's partitions side by side. Borrows everything.  [any thread]  since 0.1
bool tn_pjrt_client_device_assignment(tn_pjrt_client* client, int replicas, int partitions,
                                      int* ids, tn_status* status);

// ---- Devices ----

// The number by which programs name it; -1 for NULL. Borrows `device`.  [any thread]  since 0.1
int tn_pjrt_device_id(const tn_pjrt_device* device);

// The process it is attached to. Borrows `device`.  [any thread]  since 0.1
int tn_pjrt_device_process_index(const tn_pjrt_device* device);

// The driver's number of it; -1: not told. Borrows `device`.  [any thread]  since 0.1
int tn_pjrt_device_hardware_id(const tn_pjrt_device* device);

// True when this process can use it. Borrows `device`.  [any thread]  since 0.1
bool tn_pjrt_device_addressable(const tn_pjrt_device* device);

// The vendor's name of this kind of device. Owned by the client.  [any thread]  since 0.1
const char* tn_pjrt_device_kind(const tn_pjrt_device* device);

// A line for people. Owned by the client.  [any thread]  since 0.1
const char* tn_pjrt_device_text(const tn_pjrt_device* device);

// What else the plugin tells of it. Owned by the client; none: an empty list.
// [any thread]  since 0.1
const tn_pjrt_values* tn_pjrt_device_attributes(const tn_pjrt_device* device);

// The number of memories it can use. Borrows `device`.  [any thread]  since 0.1
size_t tn_pjrt_device_memory_count(const tn_pjrt_device* device);

// Memory `i` of those; NULL past the end. Owned by the client.  [any thread]  since 0.1
tn_pjrt_memory* tn_pjrt_device_memory(const tn_pjrt_device* device, size_t i);

// Where its buffers lie when nothing else is said; NULL: not told. Owned by the client.
// [any thread]  since 0.1
tn_pjrt_memory* tn_pjrt_device_default_memory(const tn_pjrt_device* device);

// Memory of a device, in bytes. -1: not told.
typedef struct tn_pjrt_memory_stats {
  size_t struct_size;            // set by the caller: TN_INIT(tn_pjrt_memory_stats)     since 0.1
  void* ext;                     // must be NULL                                         since 0.1
  int64_t bytes_in_use;          //                                                      since 0.1
  int64_t peak_bytes_in_use;     //                                                      since 0.1
  int64_t bytes_limit;           //                                                      since 0.1
  int64_t allocation_count;      // ever made                                            since 0.1
  int64_t largest_allocation;    //                                                      since 0.1
  int64_t bytes_reserved;        //                                                      since 0.1
  int64_t peak_bytes_reserved;   //                                                      since 0.1
  int64_t largest_free_block;    //                                                      since 0.1
  int64_t pool_bytes;            //                                                      since 0.1
  int64_t peak_pool_bytes;       //                                                      since 0.1
  int64_t peak_allocated_bytes;  // plugins of 0.113 on                                  since 0.1
} tn_pjrt_memory_stats;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_memory_stats, peak_allocated_bytes);

// Fills the fields that `stats` has room for. Borrows both. False with what the plugin said,
// often UNIMPLEMENTED.  [any thread]  since 0.1
bool tn_pjrt_device_memory_stats(const tn_pjrt_device* device, tn_pjrt_memory_stats* stats,
                                 tn_status* status);

// Starts the peaks afresh. Borrows `device`. UNIMPLEMENTED for plugins before 0.106.
// [any thread]  since 0.1
bool tn_pjrt_device_clear_memory_stats(const tn_pjrt_device* device, tn_status* status);

// ---- Memories ----

// The memory's number; -1 for NULL. Borrows `memory`.  [any thread]  since 0.1
int tn_pjrt_memory_id(const tn_pjrt_memory* memory);

// "device", "pinned_host". Owned by the client.  [any thread]  since 0.1
const char* tn_pjrt_memory_kind(const tn_pjrt_memory* memory);

// The plugin's number of the kind; -1 for plugins before 0.48. Borrows `memory`.
// [any thread]  since 0.1
int tn_pjrt_memory_kind_id(const tn_pjrt_memory* memory);

// A line for people. Owned by the client.  [any thread]  since 0.1
const char* tn_pjrt_memory_text(const tn_pjrt_memory* memory);

// The number of devices that can use it. Borrows `memory`.  [any thread]  since 0.1
size_t tn_pjrt_memory_device_count(const tn_pjrt_memory* memory);

// Device `i` of those; NULL past the end. Owned by the client.  [any thread]  since 0.1
tn_pjrt_device* tn_pjrt_memory_device(const tn_pjrt_memory* memory, size_t i);

// ---- Events ----

// Whether it has happened, into `ready`. Borrows everything. False with what the plugin said.
// [any thread]  since 0.1
bool tn_pjrt_event_ready(const tn_pjrt_event* event, bool* ready, tn_status* status);

// Waits for it. Borrows `event`. False with what failed.  [any thread]  since 0.1
bool tn_pjrt_event_wait(const tn_pjrt_event* event, tn_status* status);

// Has `call` run once when it happens: on any thread, perhaps before this returns, and also when
// the event is destroyed before or by the call. `result` is OK or what failed, and owned by the
// caller of `call`. When this returns false, `call` does not run. The last object of a client
// should not be destroyed inside `call`: plugins may wait for the very thread that makes the call.
// [any thread]  since 0.1
bool tn_pjrt_event_on_ready(tn_pjrt_event* event, void (*call)(const tn_status* result, void* arg),
                            void* arg, tn_status* status);

// Frees an event; NULL is fine. What it stands for still happens.  [any thread]  since 0.1
void tn_pjrt_event_destroy(tn_pjrt_event* event);

// An event that happens when tn_pjrt_event_set says so. Owned by the caller until
// tn_pjrt_event_destroy. UNIMPLEMENTED for plugins before 0.89.  [any thread]  since 0.1
tn_pjrt_event* tn_pjrt_event_create(tn_pjrt_client* client, tn_status* status);

// Makes an event of tn_pjrt_event_create happen, with `result` (NULL: OK), which is copied. Once.
// [any thread]  since 0.1
bool tn_pjrt_event_set(tn_pjrt_event* event, const tn_status* result, tn_status* status);

// ---- Element types ----

// The PJRT_Buffer_Type of tensors of `dtype`; 0: PJRT has none. Static fact, owned by nobody.
// [any thread]  since 0.1
int32_t tn_pjrt_type_of(tn_dtype dtype);

// The tensor type for a PJRT_Buffer_Type; TN_INVALID: tensors have none. Static fact, owned by
// nobody.  [any thread]  since 0.1
tn_dtype tn_pjrt_dtype_of(int32_t type);

// "F32"; "?" for an unknown number. Static text, owned by the library.  [any thread]  since 0.1
const char* tn_pjrt_type_name(int32_t type);

// Bytes of one element in host memory, 1 for types of less than a byte; 0 for unknown numbers and
// tokens. Static fact, owned by nobody.  [any thread]  since 0.1
size_t tn_pjrt_type_size(int32_t type);

// ---- Buffers ----

// How long the plugin may use the caller's bytes (PJRT_HostBufferSemantics).
typedef enum tn_pjrt_host_semantics {
  TN_PJRT_COPY_DURING_CALL = 0,   // until the call returns
  TN_PJRT_UNTIL_TRANSFERRED = 1,  // until the event
  TN_PJRT_ZERO_COPY = 2,          // as long as the buffer lives, reading only
  TN_PJRT_MUTABLE_ZERO_COPY = 3,  // as long as the buffer lives
} tn_pjrt_host_semantics;

// An array in host memory.
typedef struct tn_pjrt_host_array {
  size_t struct_size;             // TN_INIT(tn_pjrt_host_array)                         since 0.1
  void* ext;                      // must be NULL                                        since 0.1
  const void* data;               // element 0,...,0, wherever the strides lead          since 0.1
  int32_t type;                   // a PJRT_Buffer_Type; less than a byte takes a byte   since 0.1
  int32_t semantics;              // tn_pjrt_host_semantics                              since 0.1
  const int64_t* dims;            //                                                     since 0.1
  size_t rank;                    //                                                     since 0.1
  const int64_t* byte_strides;    // any sign; NULL: dense, last dimension fastest       since 0.1
  tn_pjrt_device* device;         // NULL: the memory's, else the first addressable one  since 0.1
  tn_pjrt_memory* memory;         // NULL: the device's default                          since 0.1
  const int64_t* minor_to_major;  // order on the device; NULL: the plugin's own         since 0.1
} tn_pjrt_host_array;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_host_array, minor_to_major);

// Puts an array on a device. `done` gets an event, owned by the caller, for when `data` is no
// longer used; with NULL this waits for it, unless the array is lent for the buffer's life (ZERO_
// COPY). Strides that are zero or negative are straightened in a copy first. Owned by the caller
// until tn_pjrt_buffer_destroy.  [any thread]  since 0.1
tn_pjrt_buffer* tn_pjrt_buffer_create(tn_pjrt_client* client, const tn_pjrt_host_array* array,
                                      tn_pjrt_event** done, tn_status* status);

// Copies a tensor of numbers to `device` (NULL: the first). Owned by the caller until
// tn_pjrt_buffer_destroy.  [any thread]  since 0.1
tn_pjrt_buffer* tn_pjrt_buffer_from_tensor(tn_pjrt_client* client, const tn_tensor* tensor,
                                           tn_pjrt_device* device, tn_status* status);

// Waits for the buffer and copies it into a new tensor, owned by the caller until
// tn_tensor_destroy.  [any thread]  since 0.1
tn_tensor* tn_pjrt_buffer_to_tensor(tn_pjrt_buffer* buffer, tn_status* status);

// Frees a buffer; NULL is fine. Work that uses it goes on.  [any thread]  since 0.1
void tn_pjrt_buffer_destroy(tn_pjrt_buffer* buffer);

// Its PJRT_Buffer_Type; 0 when the plugin does not tell. Borrows `buffer`.  [any thread]  since 0.1
int32_t tn_pjrt_buffer_type(const tn_pjrt_buffer* buffer);

// The number of dimensions. Borrows `buffer`.  [any thread]  since 0.1
size_t tn_pjrt_buffer_rank(const tn_pjrt_buffer* buffer);

// The dimensions; NULL where there are none. Owned by the buffer.  [any thread]  since 0.1
const int64_t* tn_pjrt_buffer_dims(const tn_pjrt_buffer* buffer);

// Bytes it takes on its device, into `bytes`. Borrows both.  [any thread]  since 0.1
bool tn_pjrt_buffer_device_size(const tn_pjrt_buffer* buffer, size_t* bytes, tn_status* status);

// Its device; NULL when the plugin does not tell. Owned by the client.  [any thread]  since 0.1
tn_pjrt_device* tn_pjrt_buffer_device(const tn_pjrt_buffer* buffer);

// Its memory; NULL when the plugin does not tell. Owned by the client.  [any thread]  since 0.1
tn_pjrt_memory* tn_pjrt_buffer_memory(const tn_pjrt_buffer* buffer);

// The order of its dimensions on the device, fastest first, into `minor_to_major`, which has room
// for its rank. Borrows both. UNIMPLEMENTED when the plugin does not tell, INTERNAL when what it
// tells is no such order.  [any thread]  since 0.1
bool tn_pjrt_buffer_layout(const tn_pjrt_buffer* buffer, int64_t* minor_to_major,
                           tn_status* status);

// True when host code may read its memory. Borrows `buffer`.  [any thread]  since 0.1
bool tn_pjrt_buffer_on_cpu(const tn_pjrt_buffer* buffer);

// Gives its memory back; the handle stays, owned as before.  [any thread]  since 0.1
bool tn_pjrt_buffer_delete(tn_pjrt_buffer* buffer, tn_status* status);

// True when its memory is gone: deleted, or donated to a program. Borrows `buffer`.
// [any thread]  since 0.1
bool tn_pjrt_buffer_deleted(const tn_pjrt_buffer* buffer);

// An event for when its contents are there (or failed). Owned by the caller until
// tn_pjrt_event_destroy.  [any thread]  since 0.1
tn_pjrt_event* tn_pjrt_buffer_ready(tn_pjrt_buffer* buffer, tn_status* status);

// Bytes that tn_pjrt_buffer_to_host writes, into `bytes`. Borrows both.  [any thread]  since 0.1
bool tn_pjrt_buffer_host_size(const tn_pjrt_buffer* buffer, size_t* bytes, tn_status* status);

// Copies it to `to`, densely, in the order `minor_to_major` (NULL: last dimension fastest); `bytes`
// must be what tn_pjrt_buffer_host_size says. `done` gets an event, owned by the caller, for when
// the bytes are there; with NULL this waits. Borrows the rest.  [any thread]  since 0.1
bool tn_pjrt_buffer_to_host(tn_pjrt_buffer* buffer, void* to, size_t bytes,
                            const int64_t* minor_to_major, tn_pjrt_event** done, tn_status* status);

// Copies `bytes` bytes as they lie on the device, from `offset` on. `done` as above, owned by the
// caller. UNIMPLEMENTED for plugins before 0.57.  [any thread]  since 0.1
bool tn_pjrt_buffer_raw_to_host(tn_pjrt_buffer* buffer, void* to, int64_t offset, int64_t bytes,
                                tn_pjrt_event** done, tn_status* status);

// A copy on another device of the same client. Owned by the caller until tn_pjrt_buffer_destroy.
// [any thread]  since 0.1
tn_pjrt_buffer* tn_pjrt_buffer_copy_to_device(tn_pjrt_buffer* buffer, tn_pjrt_device* device,
                                              tn_status* status);

// A copy in another memory of the same client. Owned by the caller until tn_pjrt_buffer_destroy.
// UNIMPLEMENTED for plugins before 0.32, unless it is a device's default memory.
// [any thread]  since 0.1
tn_pjrt_buffer* tn_pjrt_buffer_copy_to_memory(tn_pjrt_buffer* buffer, tn_pjrt_memory* memory,
                                              tn_status* status);

// The address on the device, owned by the buffer and kept there until tn_pjrt_buffer_release; each
// acquire needs one. NULL with what the plugin said; a buffer without bytes may have no address:
// then NULL with an OK status, to be released all the same.  [any thread]  since 0.1
void* tn_pjrt_buffer_acquire(tn_pjrt_buffer* buffer, tn_status* status);

// Ends one tn_pjrt_buffer_acquire. Borrows `buffer`.  [any thread]  since 0.1
bool tn_pjrt_buffer_release(tn_pjrt_buffer* buffer, tn_status* status);

// The buffer as a DLPack tensor (a DLManagedTensor*, by tenon/dlpack.h a tn_dlpack*), without a
// copy, once its contents are there. Owned by the caller until its deleter is called; the buffer's
// memory stays until then, also when the buffer is destroyed. NULL with a status; types of less
// than a byte are UNIMPLEMENTED.  [any thread]  since 0.1
void* tn_pjrt_buffer_to_dlpack(tn_pjrt_buffer* buffer, tn_status* status);

// A buffer on the memory of a DLPack tensor (a DLManagedTensor*) of the client's kind of device,
// without a copy; `device` NULL: the one that the tensor names. On success the tensor belongs to
// the plugin, which calls its deleter when done; else it stays the caller's. Owned by the caller
// until tn_pjrt_buffer_destroy. UNIMPLEMENTED for plugins before 0.33.  [any thread]  since 0.1
tn_pjrt_buffer* tn_pjrt_buffer_from_dlpack(tn_pjrt_client* client, void* managed,
                                           tn_pjrt_device* device, tn_status* status);

// ---- Buffers filled piece by piece ----

// An element type and dimensions, owned by whoever gave them.
typedef struct tn_pjrt_shape {
  int32_t type;         // a PJRT_Buffer_Type
  const int64_t* dims;  // `rank` of them
  size_t rank;
} tn_pjrt_shape;

// Makes buffers of these shapes in `memory` (NULL: the default of the first device), to be filled
// by tn_pjrt_transfer_write. Copies the shapes. Owned by the caller until tn_pjrt_transfer_destroy.
// UNIMPLEMENTED for plugins before 0.60.  [any thread]  since 0.1
tn_pjrt_transfer* tn_pjrt_transfer_create(tn_pjrt_client* client, const tn_pjrt_shape* shapes,
                                          size_t count, tn_pjrt_memory* memory, tn_status* status);

// Puts `bytes` bytes at `offset` of buffer number `buffer`, as they are to lie on the device;
// `last` says that nothing follows. `done` gets an event, owned by the caller, for when `data` is
// no longer used; with NULL this waits.  [any thread]  since 0.1
bool tn_pjrt_transfer_write(tn_pjrt_transfer* transfer, size_t buffer, const void* data,
                            int64_t offset, int64_t bytes, bool last, tn_pjrt_event** done,
                            tn_status* status);

// Gives buffer number `buffer` up: whoever uses it gets `why`, which is copied. UNIMPLEMENTED for
// plugins before 0.62.  [any thread]  since 0.1
bool tn_pjrt_transfer_fail(tn_pjrt_transfer* transfer, size_t buffer, const tn_status* why,
                           tn_status* status);

// The number of buffers. Borrows `transfer`.  [any thread]  since 0.1
size_t tn_pjrt_transfer_count(const tn_pjrt_transfer* transfer);

// Bytes of buffer number `buffer` on the device. Borrows both. UNIMPLEMENTED for plugins before
// 0.62.  [any thread]  since 0.1
bool tn_pjrt_transfer_size(const tn_pjrt_transfer* transfer, size_t buffer, size_t* bytes,
                           tn_status* status);

// Buffer number `buffer`, once, filled or not. Owned by the caller until tn_pjrt_buffer_destroy.
// UNIMPLEMENTED for plugins before 0.62.  [any thread]  since 0.1
tn_pjrt_buffer* tn_pjrt_transfer_take(tn_pjrt_transfer* transfer, size_t buffer, tn_status* status);

// Frees a transfer; NULL is fine. Buffers that were taken stay.  [any thread]  since 0.1
void tn_pjrt_transfer_destroy(tn_pjrt_transfer* transfer);

// ---- Programs ----

// How to compile a program.
typedef struct tn_pjrt_compile_options {
  size_t struct_size;     // TN_INIT(tn_pjrt_compile_options)                            since 0.1
  void* ext;              // must be NULL                                                since 0.1
  const char* format;     // NULL: "mlir" (bytecode or text); "hlo": an HloModuleProto   since 0.1
  int32_t replicas;       // 0: 1                                                        since 0.1
  int32_t partitions;     // 0: 1                                                        since 0.1
  const int* device_ids;  // a replica's partitions side by side; NULL: as the client    since 0.1
  const void* proto;      // a serialized CompileOptionsProto for all of the above but   since 0.1
  size_t proto_size;      // the format; NULL: none                                      since 0.1
} tn_pjrt_compile_options;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_compile_options, proto_size);

// The StableHLO version of a portable artifact, {1, 17, 0}; false when it has none (text, another
// format). Borrows `code`.  [any thread]  since 0.1
bool tn_pjrt_program_version(const void* code, size_t size, int version[3]);

// Compiles a program and loads it on its devices. A portable artifact that is newer than the
// plugin's StableHLO, or older than it still reads, is refused with both versions before the plugin
// sees it. Owned by the caller until tn_pjrt_executable_destroy; borrows the rest.
// [any thread]  since 0.1
tn_pjrt_executable* tn_pjrt_compile(tn_pjrt_client* client, const void* code, size_t size,
                                    const tn_pjrt_compile_options* options, tn_status* status);

// Compiles a program from a file. Owned by the caller until tn_pjrt_executable_destroy.
// [any thread]  since 0.1
tn_pjrt_executable* tn_pjrt_compile_file(tn_pjrt_client* client, const char* path,
                                         const tn_pjrt_compile_options* options, tn_status* status);

// Frees an executable; NULL is fine. What it runs goes on.  [any thread]  since 0.1
void tn_pjrt_executable_destroy(tn_pjrt_executable* executable);

// The program's name. Owned by the executable.  [any thread]  since 0.1
const char* tn_pjrt_executable_name(const tn_pjrt_executable* executable);

// How many replicas it runs as. Borrows `executable`.  [any thread]  since 0.1
int tn_pjrt_executable_replicas(const tn_pjrt_executable* executable);

// How many partitions a replica has. Borrows `executable`.  [any thread]  since 0.1
int tn_pjrt_executable_partitions(const tn_pjrt_executable* executable);

// Bytes of its machine code; -1: not told. Borrows `executable`.  [any thread]  since 0.1
int64_t tn_pjrt_executable_code_size(const tn_pjrt_executable* executable);

// The number of outputs; SIZE_MAX: not told. Borrows `executable`.  [any thread]  since 0.1
size_t tn_pjrt_executable_output_count(const tn_pjrt_executable* executable);

// The type and dimensions of output `i`, owned by the executable. UNIMPLEMENTED for plugins before
// 0.29.  [any thread]  since 0.1
bool tn_pjrt_executable_output(const tn_pjrt_executable* executable, size_t i, tn_pjrt_shape* shape,
                               tn_status* status);

// The kind of memory that output `i` lies in ("device"); NULL: not told. Owned by the executable.
// [any thread]  since 0.1
const char* tn_pjrt_executable_output_memory_kind(const tn_pjrt_executable* executable, size_t i);

// The number of devices that it runs on in this process. Borrows `executable`.
// [any thread]  since 0.1
size_t tn_pjrt_executable_device_count(const tn_pjrt_executable* executable);

// Device `i` of those; NULL past the end. Owned by the client.  [any thread]  since 0.1
tn_pjrt_device* tn_pjrt_executable_device(const tn_pjrt_executable* executable, size_t i);

// Unloads it; the handle stays, owned as before.  [any thread]  since 0.1
bool tn_pjrt_executable_delete(tn_pjrt_executable* executable, tn_status* status);

// True when it was unloaded. Borrows `executable`.  [any thread]  since 0.1
bool tn_pjrt_executable_deleted(const tn_pjrt_executable* executable);

// ---- What is known of programs ----

// Frees bytes that the calls below gave; NULL is fine.  [any thread]  since 0.1
void tn_pjrt_bytes_free(void* bytes);

// The compiled program as bytes that tn_pjrt_executable_load takes, in the same plugin on the same
// kind of device. Owned by the caller until tn_pjrt_bytes_free.  [any thread]  since 0.1
bool tn_pjrt_executable_serialize(const tn_pjrt_executable* executable, void** bytes, size_t* size,
                                  tn_status* status);

// Loads what tn_pjrt_executable_serialize gave. Borrows `bytes`. Owned by the caller until
// tn_pjrt_executable_destroy.  [any thread]  since 0.1
tn_pjrt_executable* tn_pjrt_executable_load(tn_pjrt_client* client, const void* bytes, size_t size,
                                            tn_status* status);

// What the compiler made of the program, in the plugin's `format` ("mlir", "hlo"; may be NULL),
// which lies in the same block. Owned by the caller until tn_pjrt_bytes_free.
// [any thread]  since 0.1
bool tn_pjrt_executable_program(const tn_pjrt_executable* executable, void** bytes, size_t* size,
                                const char** format, tn_status* status);

// Bytes that are equal when two programs are. Owned by the caller until tn_pjrt_bytes_free.
// [any thread]  since 0.1
bool tn_pjrt_executable_fingerprint(const tn_pjrt_executable* executable, void** bytes,
                                    size_t* size, tn_status* status);

// What running it costs, in the plugin's words ("flops", "bytes accessed"). Owned by the caller
// until tn_pjrt_values_destroy.  [any thread]  since 0.1
tn_pjrt_values* tn_pjrt_executable_cost_analysis(const tn_pjrt_executable* executable,
                                                 tn_status* status);

// Memory that a program needs, in bytes. -1: the plugin is too old to tell.
typedef struct tn_pjrt_program_memory {
  size_t struct_size;      // set by the caller: TN_INIT(tn_pjrt_program_memory)         since 0.1
  void* ext;               // must be NULL                                               since 0.1
  int64_t code;            //                                                            since 0.1
  int64_t arguments;       //                                                            since 0.1
  int64_t outputs;         //                                                            since 0.1
  int64_t aliased;         // of outputs that take over an argument's memory             since 0.1
  int64_t temporary;       //                                                            since 0.1
  int64_t host_code;       // the same in host memory, plugins of 0.43 on                since 0.1
  int64_t host_arguments;  //                                                            since 0.1
  int64_t host_outputs;    //                                                            since 0.1
  int64_t host_aliased;    //                                                            since 0.1
  int64_t host_temporary;  //                                                            since 0.1
  int64_t peak;            // at any one time, plugins of 0.72 on                        since 0.1
  int64_t total;           // plugins of 0.90 on                                         since 0.1
} tn_pjrt_program_memory;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_program_memory, total);

// Fills the fields that `memory` has room for. Borrows both. UNIMPLEMENTED for plugins before 0.40.
// [any thread]  since 0.1
bool tn_pjrt_executable_memory(const tn_pjrt_executable* executable, tn_pjrt_program_memory* memory,
                               tn_status* status);

// The ids of the devices that it was compiled for, a replica's partitions side by side; `room` is
// replicas * partitions or more. Borrows both. FAILED_PRECONDITION when it was compiled for none in
// particular.  [any thread]  since 0.1
bool tn_pjrt_executable_device_assignment(const tn_pjrt_executable* executable, int* ids,
                                          size_t room, tn_status* status);

// ---- Running programs ----

// How to run a program.
typedef struct tn_pjrt_execute_options {
  size_t struct_size;        // TN_INIT(tn_pjrt_execute_options)                         since 0.1
  void* ext;                 // must be NULL                                             since 0.1
  const int64_t* keep;       // arguments that must not be donated, by index             since 0.1
  size_t keep_count;         //                                                          since 0.1
  int32_t launch_id;         // the same in all processes that take part                 since 0.1
  tn_pjrt_device* device;    // for a program compiled for no device in particular       since 0.1
  tn_pjrt_event** complete;  // room for an event per device; NULL: not wanted           since 0.1
} tn_pjrt_execute_options;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_execute_options, complete);

// Runs a program on its one device. `outputs` and `complete` get objects owned by the caller, or
// nothing when this returns false. Inputs that the program takes over (donation) are deleted, their
// handles stay. Returns as soon as the plugin does.  [any thread]  since 0.1
bool tn_pjrt_execute(tn_pjrt_executable* executable, tn_pjrt_buffer* const* inputs,
                     size_t input_count, tn_pjrt_buffer** outputs, size_t output_count,
                     const tn_pjrt_execute_options* options, tn_status* status);

// The same on `device_count` devices, all of those it has in this process: inputs[device][i],
// outputs[device][i], owned as above.  [any thread]  since 0.1
bool tn_pjrt_execute_many(tn_pjrt_executable* executable, size_t device_count,
                          tn_pjrt_buffer* const* const* inputs, size_t input_count,
                          tn_pjrt_buffer** const* outputs, size_t output_count,
                          const tn_pjrt_execute_options* options, tn_status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_PJRT_H_
