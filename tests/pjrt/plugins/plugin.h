// A small real PJRT plugin that keeps its buffers in the host's memory, compiled once for each PJRT
// number against that number's own header (headers.py). It fills in only what the number has, and
// checks and reports sizes as the plugins of that day did.

#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "parts.h"
#include "pjrt_api.h"

#ifndef PLUGIN_MAJOR
#define PLUGIN_MAJOR PJRT_API_MAJOR
#endif
#define HAS(minor) (PJRT_API_MINOR >= (minor))
#define COUNT(array) (sizeof(array) / sizeof *(array))

// Every function of the number's table is defined with this macro, as do_NAME.
#define DECLARE(name) name do_##name;
PJRT_API_FUNCTIONS(DECLARE)
#undef DECLARE

#define FUNCTION_OF_SIZE(name, args_size)                                            \
  static PJRT_Error* body_##name(name##_Args* args);                                 \
  PJRT_Error* do_##name(name##_Args* args) {                                         \
    PJRT_Error* error = enter(#name, #name "_Args", args->struct_size, (args_size)); \
    return error ? error : body_##name(args);                                        \
  }                                                                                  \
  static PJRT_Error* body_##name(name##_Args* args)
#define FUNCTION(name) FUNCTION_OF_SIZE(name, name##_Args_STRUCT_SIZE)
// Of a struct that grew, what plugins since then still take from older callers.
#define AT_MOST(size, least)                                                         \
  (BAD(newest_size_demanded) || BAD(size_must_be_equal) || (size) < (least) ? (size) \
                                                                            : (size_t)(least))
// Whether the caller's struct reaches beyond this member.
#define COVERS(args, member) \
  ((args)->struct_size >= (size_t)((char*)(&(args)->member + 1) - (char*)(args)))

#if HAS(31)
// The first node of the chain.
void* extensions_make(void);
#endif

// ------------------------------ Failures ------------------------------

// What went wrong; counted, since an event hands it to everybody who asks.
typedef struct failure {
  atomic_int refs;
  int code;
  char* text;
  size_t text_size;
  size_t num_payloads;
  char** payloads;  // key, value, key, value...
} failure;

failure* failure_create(int code, const char* text, size_t size);
failure* failure_ref(failure* failure);  // NULL: no failure
void failure_unref(failure* failure);
#if HAS(100)
void failure_add_payload(failure* failure, const PJRT_NamedValue* values, size_t count);
#endif
// A new error for the caller, NULL for NULL. Takes over nothing.
PJRT_Error* error_from(failure* failure);
PJRT_Error* fail(int code, const char* format, ...) __attribute__((format(printf, 2, 3)));
#define INVALID(...) fail(PJRT_Error_Code_INVALID_ARGUMENT, __VA_ARGS__)
#define UNIMPLEMENTED(...) fail(PJRT_Error_Code_UNIMPLEMENTED, __VA_ARGS__)
// What every function does first: the size check of the period, and planted crashes.
PJRT_Error* enter(const char* function, const char* args, size_t size, size_t expected);
PJRT_Error* check_size(const char* what, size_t size, size_t expected);

// ------------------------------ Events and work ------------------------------

typedef void (*event_listener)(failure* failure, void* arg);

PJRT_Event* event_create(void);
PJRT_Event* event_ready(failure* failure);  // a new one that is ready
PJRT_Event* event_ref(PJRT_Event* event);
void event_unref(PJRT_Event* event);
void event_set(PJRT_Event* event, failure* failure);
// Calls `listener` when the event is ready, at once when it is. The failure lives during the call.
void event_then(PJRT_Event* event, event_listener listener, void* arg);
// The failure (or NULL) of an event that is known to be ready.
failure* event_failure(PJRT_Event* event);

// A piece of work, the first member of its own struct.
typedef struct task {
  PJRT_Client* client;
  void (*run)(struct task* task);  // frees the task
  atomic_int pending;
  struct task* next;
} task;

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  task *first, **last;
  bool running, closing;
  int64_t delay_ms;  // < 0: no worker, work is done by the caller
} worker;

void worker_start(worker* worker);
// Does what is left and ends the thread.
void worker_stop(worker* worker);
// Runs the task once all of these events are ready: in the worker, or at once without one.
void task_submit(task* task, PJRT_Client* client, PJRT_Event* const* after, size_t count);

// ------------------------------ Client and devices ------------------------------

#define PLATFORM "tenon_test"
#define PLATFORM_VERSION "one more"

enum { KIND_DEVICE, KIND_HOST, NUM_KINDS };
extern const char* const memory_kinds[NUM_KINDS];
extern const size_t memory_kind_sizes[NUM_KINDS];

typedef struct {
#if HAS(105)
  PJRT_Memory base;
#endif
  int id, kind;
  PJRT_Device* device;
  char text[48], debug[64];
} memory;

struct PJRT_DeviceDescription {
  int id;
  char text[48], debug[64];
  int64_t coordinates[3];
  PJRT_NamedValue attributes[2];
};

struct PJRT_Device {
  PJRT_DeviceDescription description;
  PJRT_Client* client;
  memory memories[NUM_KINDS];
  PJRT_Memory* memory_list[NUM_KINDS];
  pthread_mutex_t lock;
  int64_t bytes_in_use, peak_bytes, allocations, largest;
};

struct PJRT_TopologyDescription {
  size_t num_devices;
  PJRT_DeviceDescription descriptions[MOST_DEVICES];
  PJRT_DeviceDescription* list[MOST_DEVICES];
  int64_t num_cores;
  PJRT_NamedValue attributes[1];
};

struct PJRT_Client {
  atomic_int refs;
  size_t num_devices;
  PJRT_Device devices[MOST_DEVICES];
  PJRT_Device* device_list[MOST_DEVICES];
  PJRT_Memory* memory_list[MOST_DEVICES * NUM_KINDS];
  PJRT_TopologyDescription topology;
  worker worker;
  pthread_mutex_t lock;
  struct running* running;  // executions under way, for poison
};

PJRT_Client* client_ref(PJRT_Client* client);
void client_unref(PJRT_Client* client);
PJRT_Device* client_device(PJRT_Client* client, int64_t id);
void topology_init(PJRT_TopologyDescription* topology, size_t num_devices);
void description_init(PJRT_DeviceDescription* description, int id);
// Reads what a client (or, without delay_ms, a topology) can be asked for.
PJRT_Error* options_read(const char* function, const PJRT_NamedValue* options, size_t count,
                         int64_t* num_devices, int64_t* delay_ms);
PJRT_NamedValue named_int64(const char* name, int64_t value);
PJRT_NamedValue named_int64s(const char* name, const int64_t* values, size_t count);
PJRT_NamedValue named_string(const char* name, const char* value);
PJRT_NamedValue named_float(const char* name, float value);

// ------------------------------ Buffers ------------------------------

// Memory that buffers, external users and work in flight share.
typedef struct {
  atomic_int refs;
  PJRT_Device* device;  // whose statistics it counts in
  PJRT_Client* client;
  char* data;
  size_t size;
  bool ours;  // allocated here: may be written when donated
  void (*on_delete)(void* data, void* arg);
  void* arg;
  PJRT_Event* done;  // of a host array that is used in place
} storage;

storage* storage_create(PJRT_Device* device, size_t size);
// Memory of somebody else, who is told when it is no longer used.
storage* storage_of(PJRT_Device* device, void* data, size_t size);
storage* storage_ref(storage* storage);
void storage_unref(storage* storage);

struct PJRT_Buffer {
  atomic_int refs;  // the handle, and each external reference
  PJRT_Client* client;
  memory* memory;
  int type;
  size_t rank, size;
  int64_t dims[MOST_DIMS], minor_to_major[MOST_DIMS];
  pthread_mutex_t lock;
  storage* storage;   // NULL: deleted
  storage* external;  // what external references keep
  int64_t external_refs;
  PJRT_Event* ready;
};

// An error for what is no shape of a buffer in this number.
PJRT_Error* check_shape(int type, const int64_t* dims, size_t rank);
// A buffer with the shape given and memory of its own that `ready` speaks of (taken over).
PJRT_Error* buffer_create(PJRT_Client* client, PJRT_Device* device, PJRT_Memory* memory, int type,
                          const int64_t* dims, size_t rank, const PJRT_Buffer_MemoryLayout* layout,
                          PJRT_Event* ready, PJRT_Buffer** out);
PJRT_Buffer* buffer_create_like(PJRT_Buffer* model, memory* memory, storage* storage,
                                PJRT_Event* ready);
void buffer_unref(PJRT_Buffer* buffer);
// The memory with a reference for the caller; NULL when the buffer is deleted.
storage* buffer_use(PJRT_Buffer* buffer);
// Takes the memory out of the buffer, which is deleted by that.
storage* buffer_take(PJRT_Buffer* buffer);
// Byte strides on the device.
void buffer_strides(const PJRT_Buffer* buffer, int64_t* strides);
// Byte strides that a layout gives to an array; dense for NULL.
PJRT_Error* layout_strides(const PJRT_Buffer_MemoryLayout* layout, const int64_t* dims, size_t rank,
                           size_t element, int64_t* strides);
#define DELETED(function) INVALID(function ": the buffer has been deleted or donated")
