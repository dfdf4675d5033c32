// The PJRT C API 0.117: the functions and structs by which a framework drives an accelerator
// plugin.
//
// A plugin is a shared library that exports one function, GetPjrtApi(). It returns a table of
// functions, PJRT_Api, at the end of this file. Each takes one pointer to an argument struct, which
// the caller fills and the plugin answers into, and returns NULL or an error that the caller
// destroys.
//
// How the two sides stay compatible:
// - Structs only grow at the end. `struct_size` is how much of a struct its maker knows: the end of
//   the last field, X_STRUCT_SIZE, which may be less than sizeof(X). Read no field beyond it.
// - `extension_start` is a list of optional nodes; NULL for none.
// - "Since 0.N" names the first number that has a struct, a field or a function; a field without it
//   is as old as its struct. The layouts here hold from 0.28 on, but for what comments say.
//
// Who writes and who owns:
// - A field marked `out` is written by the function that is called, all others by its caller.
// - What a caller passes in need live only until the function returns, where nothing else is said.
// - Texts are not NUL-terminated: each has its size in the field after it.

#ifndef XLA_PJRT_C_PJRT_C_API_H_
#define XLA_PJRT_C_PJRT_C_API_H_

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where the last field ends; padding after it does not count.
#define PJRT_STRUCT_SIZE(struct_type, last_field) \
  (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))

// Names a struct's type and its size constant. Fails to compile when `last_field` is not the last.
#define PJRT_DEFINE_STRUCT_TRAITS(sname, last_field)                                 \
  typedef struct sname sname;                                                        \
  enum { sname##_STRUCT_SIZE = PJRT_STRUCT_SIZE(sname, last_field) };                \
  static_assert(sizeof(sname) - PJRT_STRUCT_SIZE(sname, last_field) < sizeof(void*), \
                #last_field " is not the last field of " #sname)

#ifdef __cplusplus
extern "C" {
#endif

// What a table made with this header puts into its pjrt_api_version. The minor grows with every
// addition; the major would with a break, and is 0 to this day.
#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 117

// ------------------------------ Extensions ------------------------------------------------------

// What an extension node is. Numbers are never reused; a plugin may bring one that this header does
// not know, in any order. Since 0.41.
typedef enum {
  PJRT_Extension_Type_Gpu_Custom_Call = 0,
  PJRT_Extension_Type_Profiler = 1,
  PJRT_Extension_Type_Custom_Partitioner = 2,    // since 0.47
  PJRT_Extension_Type_Stream = 3,                // since 0.49
  PJRT_Extension_Type_Layouts = 4,               // since 0.51
  PJRT_Extension_Type_FFI = 5,                   // since 0.53
  PJRT_Extension_Type_MemoryDescriptions = 6,    // since 0.59
  PJRT_Extension_Type_Triton = 7,                // gone from plugins since 0.115; since 0.65
  PJRT_Extension_Type_RawBuffer = 8,             // since 0.67
  PJRT_Extension_Type_PhaseCompile = 9,          // since 0.69
  PJRT_Extension_Type_Example = 10,              // since 0.72
  PJRT_Extension_Type_Unknown = 11,              // a placeholder, never in a list; since 0.72
  PJRT_Extension_Type_CrossHostTransfers = 12,   // since 0.74
  PJRT_Extension_Type_ExecutableMetadata = 13,   // since 0.75
  PJRT_Extension_Type_Callback = 14,             // since 0.77
  PJRT_Extension_Type_HostAllocator = 15,        // replaced by HostMemoryAllocator; since 0.80
  PJRT_Extension_Type_TpuTopology = 16,          // since 0.81
  PJRT_Extension_Type_TpuExecutable = 17,        // since 0.90
  PJRT_Extension_Type_Megascale = 18,            // since 0.90
  PJRT_Extension_Type_Shardings = 19,            // since 0.91
  PJRT_Extension_Type_AbiVersion = 20,           // since 0.91
  PJRT_Extension_Type_Collectives = 21,          // since 0.94
  PJRT_Extension_Type_MultiSlice = 22,           // since 0.96
  PJRT_Extension_Type_HostMemoryAllocator = 23,  // since 0.103
  PJRT_Extension_Type_XlaTransform = 24,         // since 0.110
} PJRT_Extension_Type;

// The head of every extension struct. In 0.31 to 0.44 a node had no struct_size: `type` was at 0
// and `next` at 8. Since 0.41.
struct PJRT_Extension_Base {
  size_t struct_size;  // of the whole extension, not of this head; since 0.45
  PJRT_Extension_Type type;
  struct PJRT_Extension_Base* next;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Extension_Base, next);

// ------------------------------ Version ---------------------------------------------------------

// The numbers that a plugin was compiled with, or that it wants to be treated as. Since 0.1.
struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  int major_version;  // out
  int minor_version;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Api_Version, minor_version);

// ------------------------------ Handles ---------------------------------------------------------

// What a plugin makes, its caller knows by these pointers only.
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;
typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;
typedef struct PJRT_PhaseCompiler PJRT_PhaseCompiler;
typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;

// ------------------------------ Errors ----------------------------------------------------------

// The codes of absl::Status, which are TensorFlow's too. Since 0.1.
typedef enum {
  PJRT_Error_Code_OK = 0,  // since 0.77
  PJRT_Error_Code_CANCELLED = 1,
  PJRT_Error_Code_UNKNOWN = 2,
  PJRT_Error_Code_INVALID_ARGUMENT = 3,
  PJRT_Error_Code_DEADLINE_EXCEEDED = 4,
  PJRT_Error_Code_NOT_FOUND = 5,
  PJRT_Error_Code_ALREADY_EXISTS = 6,
  PJRT_Error_Code_PERMISSION_DENIED = 7,
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
  PJRT_Error_Code_FAILED_PRECONDITION = 9,
  PJRT_Error_Code_ABORTED = 10,
  PJRT_Error_Code_OUT_OF_RANGE = 11,
  PJRT_Error_Code_UNIMPLEMENTED = 12,
  PJRT_Error_Code_INTERNAL = 13,
  PJRT_Error_Code_UNAVAILABLE = 14,
  PJRT_Error_Code_DATA_LOSS = 15,
  PJRT_Error_Code_UNAUTHENTICATED = 16,
} PJRT_Error_Code;

// Gets one key and value of an error. Since 0.99.
typedef void (*PJRT_Error_PayloadVisitor)(const char* key, size_t key_size, const char* value,
                                          size_t value_size, void* user_arg);

// The functions of one error. A plugin puts a pointer to it first in its own error struct.
// Since 0.107.
struct PJRT_Error_FunctionTable {
  size_t struct_size;
  size_t instance_size;  // of the plugin's error struct
  PJRT_Extension_Base* extension_start;
  void (*destroy)(PJRT_Error* error);
  void (*message)(const PJRT_Error* error, const char** message, size_t* message_size);
  PJRT_Error_Code (*get_code)(const PJRT_Error* error);
  void (*for_each_payload)(const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor,
                           void* user_arg);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_FunctionTable, for_each_payload);

// Older plugins have no such word in their errors: the functions of PJRT_Api work with all, so use
// those. Since 0.107.
struct PJRT_Error {
  const struct PJRT_Error_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error, vtable);

// Frees an error; NULL is allowed. Since 0.1.
struct PJRT_Error_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Error* error;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_Destroy_Args, error);
typedef void PJRT_Error_Destroy(PJRT_Error_Destroy_Args* args);

// The text of an error. It lives as long as the error. Since 0.1.
struct PJRT_Error_Message_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Error* error;
  const char* message;  // out
  size_t message_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_Message_Args, message_size);
typedef void PJRT_Error_Message(PJRT_Error_Message_Args* args);

// The code of an error. Since 0.1.
struct PJRT_Error_GetCode_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Error* error;
  PJRT_Error_Code code;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_GetCode_Args, code);
typedef PJRT_Error* PJRT_Error_GetCode(PJRT_Error_GetCode_Args* args);

// Calls `visitor` with each key and value that an error carries. Keys and values live during the
// visit. Since 0.99.
struct PJRT_Error_ForEachPayload_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Error* error;
  PJRT_Error_PayloadVisitor visitor;
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_ForEachPayload_Args, user_arg);
typedef PJRT_Error* PJRT_Error_ForEachPayload(PJRT_Error_ForEachPayload_Args* args);

// Makes an error of the plugin's for a callback of the caller's to return. The plugin copies the
// message.
typedef PJRT_Error* (*PJRT_CallbackError)(PJRT_Error_Code code, const char* message,
                                          size_t message_size);

// ------------------------------ Named values ----------------------------------------------------

// Which member of a PJRT_NamedValue holds its value. Since 0.1.
typedef enum {
  PJRT_NamedValue_kString = 0,
  PJRT_NamedValue_kInt64 = 1,
  PJRT_NamedValue_kInt64List = 2,
  PJRT_NamedValue_kFloat = 3,
  PJRT_NamedValue_kBool = 4,  // since 0.30
} PJRT_NamedValue_Type;

// One option or attribute. Since 0.1.
struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;  // since 0.30
  };
  size_t value_size;  // characters of a string, elements of a list, 1 for others
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_NamedValue, value_size);

// ------------------------------ Plugin ----------------------------------------------------------

// Called once per process before anything else but the table itself is used. Since 0.13.
struct PJRT_Plugin_Initialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Plugin_Initialize_Args, extension_start);
typedef PJRT_Error* PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args* args);

// What the plugin says of itself: `xla_version` (int64), `stablehlo_current_version` and
// `stablehlo_minimum_version` (lists of three int64), and more. They live as long as the process.
// Since 0.9.
struct PJRT_Plugin_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_NamedValue* attributes;  // out
  size_t num_attributes;              // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Plugin_Attributes_Args, num_attributes);
typedef PJRT_Error* PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args* args);

// ------------------------------ Events ----------------------------------------------------------

// Frees an event; NULL is allowed. Callbacks registered with OnReady are called all the same.
// Since 0.1.
struct PJRT_Event_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Destroy_Args, event);
typedef PJRT_Error* PJRT_Event_Destroy(PJRT_Event_Destroy_Args* args);

// Whether the work is over, with success or without; does not wait. Since 0.1.
struct PJRT_Event_IsReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  bool is_ready;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_IsReady_Args, is_ready);
typedef PJRT_Error* PJRT_Event_IsReady(PJRT_Event_IsReady_Args* args);

// How a ready event ended: NULL, or an error of the caller's own. Only for events that are ready.
// Since 0.1.
struct PJRT_Event_Error_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Error_Args, event);
typedef PJRT_Error* PJRT_Event_Error(PJRT_Event_Error_Args* args);

// Waits until the event is ready, then answers as PJRT_Event_Error does. Since 0.1.
struct PJRT_Event_Await_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Await_Args, event);
typedef PJRT_Error* PJRT_Event_Await(PJRT_Event_Await_Args* args);

// Gets NULL or an error, which it destroys; on any thread.
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg);

// Has `callback` called once when the event is ready, on any thread, and at once when it already
// is. Since 0.1.
struct PJRT_Event_OnReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_OnReady_Args, user_arg);
typedef PJRT_Error* PJRT_Event_OnReady(PJRT_Event_OnReady_Args* args);

// Makes an event that the caller ends with PJRT_Event_Set, to give to calls that wait for one. The
// caller destroys it. Since 0.89.
struct PJRT_Event_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Create_Args, event);
typedef PJRT_Error* PJRT_Event_Create(PJRT_Event_Create_Args* args);

// Ends an event of PJRT_Event_Create; the message counts only with an error. Since 0.89.
struct PJRT_Event_Set_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Set_Args, error_message_size);
typedef PJRT_Error* PJRT_Event_Set(PJRT_Event_Set_Args* args);

// ------------------------------ Key-value store -------------------------------------------------

typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char* value);

// The plugin asks for the value of a key; the callback waits for it at most `timeout_in_ms`.
// Since 0.2.
struct PJRT_KeyValueGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* key;
  size_t key_size;
  int timeout_in_ms;
  PJRT_CallbackError* callback_error;  // makes the error that the callback returns
  void* user_arg;
  char* value;        // out: the plugin copies it, then calls the deleter
  size_t value_size;  // out
  PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValueGetCallback_Args, value_deleter_callback);
typedef PJRT_Error* (*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args* args);

typedef void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char* value);

// As PJRT_KeyValueGetCallback, but without waiting: an unknown key is NOT_FOUND. Since 0.61.
struct PJRT_KeyValueTryGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* key;
  size_t key_size;
  PJRT_CallbackError* callback_error;
  void* user_arg;
  char* value;        // out: the plugin copies it, then calls the deleter
  size_t value_size;  // out
  PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback);
typedef PJRT_Error* (*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args* args);

// The plugin publishes a value; the callback copies it. Since 0.2.
struct PJRT_KeyValuePutCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* key;
  size_t key_size;
  const char* value;
  size_t value_size;
  PJRT_CallbackError* callback_error;
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValuePutCallback_Args, user_arg);
typedef PJRT_Error* (*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args* args);

// ------------------------------ Client ----------------------------------------------------------

// Opens the platform. The caller destroys the client. Read the kv_ fields only when the options
// speak of several processes: jaxlib leaves them unset otherwise. Since 0.1.
struct PJRT_Client_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_NamedValue* create_options;  // what they mean is the platform's own affair
  size_t num_options;
  PJRT_KeyValueGetCallback kv_get_callback;         // since 0.2
  void* kv_get_user_arg;                            // since 0.2
  PJRT_KeyValuePutCallback kv_put_callback;         // since 0.2
  void* kv_put_user_arg;                            // since 0.2
  PJRT_Client* client;                              // out
  PJRT_KeyValueTryGetCallback kv_try_get_callback;  // since 0.61
  void* kv_try_get_user_arg;                        // since 0.61
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Create_Args, kv_try_get_user_arg);
typedef PJRT_Error* PJRT_Client_Create(PJRT_Client_Create_Args* args);

// Closes the platform; NULL is allowed. Frameworks destroy some buffers and executables after it.
// Since 0.1.
struct PJRT_Client_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Destroy_Args, client);
typedef PJRT_Error* PJRT_Client_Destroy(PJRT_Client_Destroy_Args* args);

// "cpu", "cuda", "tpu" and the like. The client owns the text. Since 0.1.
struct PJRT_Client_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  const char* platform_name;  // out
  size_t platform_name_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_PlatformName_Args, platform_name_size);
typedef PJRT_Error* PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args* args);

// Free text for people, with the versions that matter. The client owns it. Since 0.1.
struct PJRT_Client_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  const char* platform_version;  // out
  size_t platform_version_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_PlatformVersion_Args, platform_version_size);
typedef PJRT_Error* PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args* args);

// Which of several processes this is; 0 when there is one. Since 0.1.
struct PJRT_Client_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int process_index;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_ProcessIndex_Args, process_index);
typedef PJRT_Error* PJRT_Client_ProcessIndex(PJRT_Client_ProcessIndex_Args* args);

// The topology that the client runs on. The client owns it: do not destroy it. Since 0.36.
struct PJRT_Client_TopologyDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_TopologyDescription* topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_TopologyDescription_Args, topology);
typedef PJRT_Error* PJRT_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args* args);

// Every device of the platform, those of other processes too. The client owns the list and the
// devices. Since 0.1.
struct PJRT_Client_Devices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Device* const* devices;  // out
  size_t num_devices;           // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Devices_Args, num_devices);
typedef PJRT_Error* PJRT_Client_Devices(PJRT_Client_Devices_Args* args);

// The devices that this process can use. The client owns the list. Since 0.1.
struct PJRT_Client_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Device* const* addressable_devices;  // out
  size_t num_addressable_devices;           // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_AddressableDevices_Args, num_addressable_devices);
typedef PJRT_Error* PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args* args);

// The device with this id (PJRT_DeviceDescription_Id). The client owns it. Since 0.1.
struct PJRT_Client_LookupDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int id;
  PJRT_Device* device;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_LookupDevice_Args, device);
typedef PJRT_Error* PJRT_Client_LookupDevice(PJRT_Client_LookupDevice_Args* args);

// The device with this hardware id (PJRT_Device_LocalHardwareId). The client owns it. Since 0.1.
struct PJRT_Client_LookupAddressableDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int local_hardware_id;
  PJRT_Device* addressable_device;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_LookupAddressableDevice_Args, addressable_device);
typedef PJRT_Error* PJRT_Client_LookupAddressableDevice(
    PJRT_Client_LookupAddressableDevice_Args* args);

// The memories that this process can transfer to and from. The client owns the list. Since 0.20.
struct PJRT_Client_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Memory* const* addressable_memories;  // out
  size_t num_addressable_memories;           // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_AddressableMemories_Args, num_addressable_memories);
typedef PJRT_Error* PJRT_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args* args);

// Writes the ids of num_replicas x num_partitions devices, replica by replica, where a program runs
// unless told otherwise. Since 0.1.
struct PJRT_Client_DefaultDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int num_replicas;
  int num_partitions;
  size_t default_assignment_size;  // at least num_replicas * num_partitions
  int* default_assignment;         // the caller's array, filled
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment);
typedef PJRT_Error* PJRT_Client_DefaultDeviceAssignment(
    PJRT_Client_DefaultDeviceAssignment_Args* args);

// How another process is doing. Since 0.73.
typedef enum {
  PJRT_ProcessState_kUnspecified = 0,
  PJRT_ProcessState_kUninitialized = 1,
  PJRT_ProcessState_kDisconnected = 2,
  PJRT_ProcessState_kConnected = 3,
  PJRT_ProcessState_kError = 4,
} PJRT_ProcessState;

// One process of a distributed job. The headers of 0.73, 0.74 and most of 0.75 had no struct_size.
// Since 0.73.
struct PJRT_ProcessInfo {
  size_t struct_size;  // since 0.75
  int task_id;
  uint64_t incarnation_id;  // changes when the process restarts
  PJRT_ProcessState state;
  int error_code;
  const char* error_message;
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ProcessInfo, error_message_size);

// Tells the client how all processes of the job are doing. The caller keeps the array. Since 0.73.
struct PJRT_Client_UpdateGlobalProcessInfo_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_ProcessInfo* process_infos;
  size_t num_process_infos;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_UpdateGlobalProcessInfo_Args, num_process_infos);
typedef PJRT_Error* PJRT_Client_UpdateGlobalProcessInfo(
    PJRT_Client_UpdateGlobalProcessInfo_Args* args);

// Pins host memory so that transfers from and to it are direct. Since 0.67.
struct PJRT_Client_DmaMap_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  void* data;
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaMap_Args, size);
typedef PJRT_Error* PJRT_Client_DmaMap(PJRT_Client_DmaMap_Args* args);

// Undoes PJRT_Client_DmaMap for the same address. Since 0.67.
struct PJRT_Client_DmaUnmap_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  void* data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, data);
typedef PJRT_Error* PJRT_Client_DmaUnmap(PJRT_Client_DmaUnmap_Args* args);

// ------------------------------ Device descriptions ---------------------------------------------

// A number that no other device of the platform has, in any process. Since 0.1.
struct PJRT_DeviceDescription_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  int id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Id_Args, id);
typedef PJRT_Error* PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args* args);

// The process that can use the device. Since 0.1.
struct PJRT_DeviceDescription_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  int process_index;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_ProcessIndex_Args, process_index);
typedef PJRT_Error* PJRT_DeviceDescription_ProcessIndex(
    PJRT_DeviceDescription_ProcessIndex_Args* args);

// What the platform tells about the device. The description owns the array; frameworks take
// strings, int64 and lists of int64. Since 0.1.
struct PJRT_DeviceDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  size_t num_attributes;              // out
  const PJRT_NamedValue* attributes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Attributes_Args, attributes);
typedef PJRT_Error* PJRT_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args* args);

// The model of the device. The description owns the text. Since 0.1.
struct PJRT_DeviceDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  const char* device_kind;  // out
  size_t device_kind_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Kind_Args, device_kind_size);
typedef PJRT_Error* PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args* args);

// A full text for logs. The description owns it. Since 0.1.
struct PJRT_DeviceDescription_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  const char* debug_string;  // out
  size_t debug_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_DebugString_Args, debug_string_size);
typedef PJRT_Error* PJRT_DeviceDescription_DebugString(
    PJRT_DeviceDescription_DebugString_Args* args);

// A short text for users. The description owns it. Since 0.1.
struct PJRT_DeviceDescription_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  const char* to_string;  // out
  size_t to_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_ToString_Args, to_string_size);
typedef PJRT_Error* PJRT_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args* args);

// ------------------------------ Devices ---------------------------------------------------------

// The description of a device, which the device owns. Since 0.1.
struct PJRT_Device_GetDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  PJRT_DeviceDescription* device_description;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_GetDescription_Args, device_description);
typedef PJRT_Error* PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args* args);

// Whether this process can use the device. Since 0.1.
struct PJRT_Device_IsAddressable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  bool is_addressable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_IsAddressable_Args, is_addressable);
typedef PJRT_Error* PJRT_Device_IsAddressable(PJRT_Device_IsAddressable_Args* args);

// The number that the driver gives the device; -1 when it has none. Since 0.1.
struct PJRT_Device_LocalHardwareId_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  int local_hardware_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_LocalHardwareId_Args, local_hardware_id);
typedef PJRT_Error* PJRT_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args* args);

// The memories that the device can reach. The device owns the list. Since 0.13.
struct PJRT_Device_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  PJRT_Memory* const* memories;  // out
  size_t num_memories;           // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_AddressableMemories_Args, num_memories);
typedef PJRT_Error* PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args* args);

// Where buffers of the device lie unless told otherwise. The client owns it. Since 0.17.
struct PJRT_Device_DefaultMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  PJRT_Memory* memory;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_DefaultMemory_Args, memory);
typedef PJRT_Error* PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args* args);

// How the device's memory is used. Only bytes_in_use is required; each other number counts only
// when its flag is set. May be UNIMPLEMENTED. Since 0.1.
struct PJRT_Device_MemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  int64_t bytes_in_use;                  // out
  int64_t peak_bytes_in_use;             // out
  bool peak_bytes_in_use_is_set;         // out
  int64_t num_allocs;                    // out
  bool num_allocs_is_set;                // out
  int64_t largest_alloc_size;            // out
  bool largest_alloc_size_is_set;        // out
  int64_t bytes_limit;                   // out: what a program may allocate at most
  bool bytes_limit_is_set;               // out
  int64_t bytes_reserved;                // out
  bool bytes_reserved_is_set;            // out
  int64_t peak_bytes_reserved;           // out
  bool peak_bytes_reserved_is_set;       // out
  int64_t bytes_reservable_limit;        // out
  bool bytes_reservable_limit_is_set;    // out
  int64_t largest_free_block_bytes;      // out
  bool largest_free_block_bytes_is_set;  // out
  int64_t pool_bytes;                    // out: held by the allocator, in use or not
  bool pool_bytes_is_set;                // out
  int64_t peak_pool_bytes;               // out
  bool peak_pool_bytes_is_set;           // out
  int64_t peak_allocated_bytes;          // out; since 0.113
  bool peak_allocated_bytes_is_set;      // out; since 0.113
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set);
typedef PJRT_Error* PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args* args);

// Starts the peaks anew. Since 0.106.
struct PJRT_Device_ClearMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_ClearMemoryStats_Args, device);
typedef PJRT_Error* PJRT_Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args* args);

// Attributes that may change between calls. The caller passes `device_attributes` to the deleter
// when it has read them. Since 0.92.
struct PJRT_Device_GetAttributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  const PJRT_NamedValue* attributes;                                      // out
  size_t num_attributes;                                                  // out
  PJRT_Device_Attributes* device_attributes;                              // out: owns the array
  void (*attributes_deleter)(PJRT_Device_Attributes* device_attributes);  // out: never NULL
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_GetAttributes_Args, attributes_deleter);
typedef PJRT_Error* PJRT_Device_GetAttributes(PJRT_Device_GetAttributes_Args* args);

// Makes the earliest unfinished execution with this launch id end with the error; its outputs carry
// it. Since 0.85.
struct PJRT_Device_PoisonExecution_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  int32_t launch_id;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  bool poisoned;                   // out: whether there was one
  const PJRT_NamedValue* payload;  // since 0.100
  size_t num_payload;              // since 0.100
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_PoisonExecution_Args, num_payload);
typedef PJRT_Error* PJRT_Device_PoisonExecution(PJRT_Device_PoisonExecution_Args* args);

// Tells the device of work elsewhere that depends on it. The caller destroys the event, which may
// be NULL. Since 0.86.
struct PJRT_Device_CreateAsyncTrackingEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  const char* description;
  size_t description_size;
  PJRT_AsyncTrackingEvent* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_CreateAsyncTrackingEvent_Args, event);
typedef PJRT_Error* PJRT_Device_CreateAsyncTrackingEvent(
    PJRT_Device_CreateAsyncTrackingEvent_Args* args);

// Tells that the work is over and frees the event. Since 0.86.
struct PJRT_AsyncTrackingEvent_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncTrackingEvent* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncTrackingEvent_Destroy_Args, event);
typedef PJRT_Error* PJRT_AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args* args);

// ------------------------------ Memories --------------------------------------------------------

// The functions of one memory: a slot for data of the framework's own, by key. Since 0.105.
struct PJRT_Memory_FunctionTable {
  size_t struct_size;
  struct PJRT_Extension_Base* extension_start;
  size_t instance_struct_size;  // of the plugin's memory struct
  void* (*get_user_data)(struct PJRT_Memory* memory, const void* key);
  // `dtor` frees the data when it is replaced or the memory goes.
  void (*set_user_data)(struct PJRT_Memory* memory, const void* key, void* data,
                        void (*dtor)(void*));
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_FunctionTable, set_user_data);

// Older plugins have no such word in their memories: never read it in one that may be older. It may
// be NULL. Since 0.105.
struct PJRT_Memory {
  const struct PJRT_Memory_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory, vtable);

// A number that no other memory of its kind has. Since 0.16.
struct PJRT_Memory_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  int id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Id_Args, id);
typedef PJRT_Error* PJRT_Memory_Id(PJRT_Memory_Id_Args* args);

// The name of the kind, such as "device", "pinned_host" or "unpinned_host". The memory owns the
// text. Since 0.14.
struct PJRT_Memory_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  const char* kind;  // out
  size_t kind_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Kind_Args, kind_size);
typedef PJRT_Error* PJRT_Memory_Kind(PJRT_Memory_Kind_Args* args);

// A number for the kind. Since 0.48.
struct PJRT_Memory_Kind_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  int kind_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Kind_Id_Args, kind_id);
typedef PJRT_Error* PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args* args);

// A full text for logs. The memory owns it. Since 0.15.
struct PJRT_Memory_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  const char* debug_string;  // out
  size_t debug_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_DebugString_Args, debug_string_size);
typedef PJRT_Error* PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args* args);

// A short text for users. The memory owns it. Since 0.15.
struct PJRT_Memory_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  const char* to_string;  // out
  size_t to_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_ToString_Args, to_string_size);
typedef PJRT_Error* PJRT_Memory_ToString(PJRT_Memory_ToString_Args* args);

// The devices that can reach the memory. The memory owns the list. Since 0.20.
struct PJRT_Memory_AddressableByDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  PJRT_Device* const* devices;  // out
  size_t num_devices;           // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_AddressableByDevices_Args, num_devices);
typedef PJRT_Error* PJRT_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args* args);

// ------------------------------ Element types and layouts ---------------------------------------

// The type of an array's elements. On the host an element narrower than a byte takes a whole byte,
// in its low bits. Since 0.1.
typedef enum {
  PJRT_Buffer_Type_INVALID = 0,
  PJRT_Buffer_Type_PRED = 1,  // one byte, 0 or 1
  PJRT_Buffer_Type_S8 = 2,
  PJRT_Buffer_Type_S16 = 3,
  PJRT_Buffer_Type_S32 = 4,
  PJRT_Buffer_Type_S64 = 5,
  PJRT_Buffer_Type_U8 = 6,
  PJRT_Buffer_Type_U16 = 7,
  PJRT_Buffer_Type_U32 = 8,
  PJRT_Buffer_Type_U64 = 9,
  PJRT_Buffer_Type_F16 = 10,
  PJRT_Buffer_Type_F32 = 11,
  PJRT_Buffer_Type_F64 = 12,
  PJRT_Buffer_Type_BF16 = 13,  // the upper half of an F32
  PJRT_Buffer_Type_C64 = 14,   // two F32, real part first
  PJRT_Buffer_Type_C128 = 15,  // two F64
  PJRT_Buffer_Type_F8E5M2 = 16,
  PJRT_Buffer_Type_F8E4M3FN = 17,
  PJRT_Buffer_Type_F8E4M3B11FNUZ = 18,
  PJRT_Buffer_Type_F8E5M2FNUZ = 19,  // since 0.4
  PJRT_Buffer_Type_F8E4M3FNUZ = 20,  // since 0.4
  PJRT_Buffer_Type_S4 = 21,
  PJRT_Buffer_Type_U4 = 22,
  PJRT_Buffer_Type_TOKEN = 23,      // orders effects, holds no data; since 0.50
  PJRT_Buffer_Type_S2 = 24,         // since 0.53
  PJRT_Buffer_Type_U2 = 25,         // since 0.53
  PJRT_Buffer_Type_F8E4M3 = 26,     // since 0.55
  PJRT_Buffer_Type_F8E3M4 = 27,     // since 0.55
  PJRT_Buffer_Type_F8E8M0FNU = 28,  // since 0.63
  PJRT_Buffer_Type_F4E2M1FN = 29,   // since 0.63
  PJRT_Buffer_Type_S1 = 30,         // since 0.94
  PJRT_Buffer_Type_U1 = 31,         // since 0.94
  PJRT_Buffer_Type_F6E2M3FN = 32,   // since 0.114
  PJRT_Buffer_Type_F6E3M2FN = 33,   // since 0.114
} PJRT_Buffer_Type;

// Which member of a PJRT_Buffer_MemoryLayout is meant. Since 0.4.
typedef enum {
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
  PJRT_Buffer_MemoryLayout_Type_Strides = 1,
} PJRT_Buffer_MemoryLayout_Type;

// Dimensions by order in memory, in tiles where there are any. Since 0.4.
struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* minor_to_major;  // the dimension whose index varies fastest comes first
  size_t minor_to_major_size;
  const int64_t* tile_dims;      // of all tiles, one after the other
  const size_t* tile_dim_sizes;  // how many of them each tile has
  size_t num_tiles;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout_Tiled, num_tiles);

// Bytes from one index to the next, per dimension; may be zero or negative. Since 0.4.
struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* byte_strides;
  size_t num_byte_strides;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides);

// How an array lies in memory. Since 0.4.
struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout, type);

// A shape without a layout. Since 0.60.
struct PJRT_ShapeSpec {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ShapeSpec, element_type);

// ------------------------------ Making buffers --------------------------------------------------

// Until when a plugin may read the host memory it is given. Since 0.1.
typedef enum {
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall = 0,  // only until the call returns
  // Until done_with_host_buffer is ready.
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes = 1,
  // As long as the buffer lives, and may be the buffer; since 0.47.
  PJRT_HostBufferSemantics_kImmutableZeroCopy = 2,
  // The same, and the plugin may write to it; since 0.48.
  PJRT_HostBufferSemantics_kMutableZeroCopy = 3,
} PJRT_HostBufferSemantics;

// Copies host data into a new buffer, or takes it as the buffer. The caller destroys the buffer and
// the event. Since 0.1.
struct PJRT_Client_BufferFromHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  const void* data;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  const int64_t* byte_strides;  // any sign; NULL for dense data, last dimension fastest
  size_t num_byte_strides;
  PJRT_HostBufferSemantics host_buffer_semantics;
  PJRT_Device* device;                      // where to, unless `memory` says
  PJRT_Memory* memory;                      // since 0.23
  PJRT_Buffer_MemoryLayout* device_layout;  // NULL: dense, last dimension fastest; since 0.4
  PJRT_Event* done_with_host_buffer;        // out: ready when the plugin no longer needs `data`
  PJRT_Buffer* buffer;                      // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_BufferFromHostBuffer_Args, buffer);
typedef PJRT_Error* PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args);

// Makes a buffer of device memory that another library owns. The caller destroys the buffer. The
// memory may be written, for one if the buffer is donated. Since 0.33.
struct PJRT_Client_CreateViewOfDeviceBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  void* device_buffer_ptr;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  PJRT_Buffer_MemoryLayout* layout;
  PJRT_Device* device;  // where it lies, unless `memory` says; deprecated
  // Called when the plugin is done with the memory; may be NULL.
  void (*on_delete_callback)(void* device_buffer_ptr, void* user_arg);
  void* on_delete_callback_arg;
  intptr_t stream;      // the platform's stream that writes the data, or 0
  PJRT_Buffer* buffer;  // out
  PJRT_Memory* memory;  // since 0.66
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory);
typedef PJRT_Error* PJRT_Client_CreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args* args);

// Allocates a buffer whose contents are undefined. The caller destroys it. Since 0.69.
struct PJRT_Client_CreateUninitializedBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;  // NULL: the default one
  PJRT_Device* device;                     // where to, unless `memory` says
  PJRT_Memory* memory;
  PJRT_Buffer* buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateUninitializedBuffer_Args, buffer);
typedef PJRT_Error* PJRT_Client_CreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args* args);

// Makes a buffer without memory that carries an error: what reads it fails with it. The caller
// destroys it. Since 0.82.
struct PJRT_Client_CreateErrorBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;  // deprecated: use device_layout
  PJRT_Memory* memory;
  PJRT_Buffer* buffer;                      // out
  const PJRT_NamedValue* payload;           // since 0.103
  size_t num_payload;                       // since 0.103
  PJRT_Buffer_MemoryLayout* device_layout;  // NULL: the default one; since 0.117
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateErrorBuffer_Args, device_layout);
typedef PJRT_Error* PJRT_Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args* args);

// Makes a buffer to be filled later by another one. The caller destroys it, and fulfills it once.
// Since 0.77.
struct PJRT_Client_CreateAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Memory* memory;
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;
  PJRT_Buffer* alias_buffer;                                 // out
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateAliasBuffer_Args, fulfill_alias_buffer_cb);
typedef PJRT_Error* PJRT_Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args* args);

// Gives an alias buffer its contents, or an error. Since 0.77.
struct PJRT_Client_FulfillAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Buffer* buffer;  // NULL with an error
  PJRT_Error_Code status_code;
  const char* error_message;
  size_t error_message_size;
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb);
typedef PJRT_Error* PJRT_Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args* args);

// ------------------------------ Buffers ---------------------------------------------------------

// Frees a buffer, deleting it first; NULL is allowed. Since 0.1.
struct PJRT_Buffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Destroy_Args, buffer);
typedef PJRT_Error* PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args* args);

// Gives up the device memory, which goes when all work on it is over. Afterwards the buffer may
// only be asked IsDeleted and destroyed. Since 0.1.
struct PJRT_Buffer_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Delete_Args, buffer);
typedef PJRT_Error* PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args* args);

// Whether the buffer was deleted or donated. Since 0.1.
struct PJRT_Buffer_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  bool is_deleted;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IsDeleted_Args, is_deleted);
typedef PJRT_Error* PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args);

// The type of the elements. Since 0.5.
struct PJRT_Buffer_ElementType_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Buffer_Type type;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ElementType_Args, type);
typedef PJRT_Error* PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args* args);

// The shape. The buffer owns the array. Since 0.6.
struct PJRT_Buffer_Dimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  const int64_t* dims;  // out
  size_t num_dims;      // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Dimensions_Args, num_dims);
typedef PJRT_Error* PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args* args);

// The shape without the padding of dynamic dimensions. The buffer owns the array. Since 0.7.
struct PJRT_Buffer_UnpaddedDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  const int64_t* unpadded_dims;  // out
  size_t num_dims;               // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_UnpaddedDimensions_Args, num_dims);
typedef PJRT_Error* PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args* args);

// Which dimensions are padded to a bound; none for ordinary buffers. The buffer owns the array.
// Since 0.11.
struct PJRT_Buffer_DynamicDimensionIndices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  const size_t* dynamic_dim_indices;  // out
  size_t num_dynamic_dims;            // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DynamicDimensionIndices_Args, num_dynamic_dims);
typedef PJRT_Error* PJRT_Buffer_DynamicDimensionIndices(
    PJRT_Buffer_DynamicDimensionIndices_Args* args);

// How the buffer lies in memory; the layouts extension has replaced it. The buffer owns the arrays.
// Since 0.10.
struct PJRT_Buffer_GetMemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Buffer_MemoryLayout layout;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_GetMemoryLayout_Args, layout);
typedef PJRT_Error* PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args);

// The bytes that the buffer takes on its device. Since 0.1.
struct PJRT_Buffer_OnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  size_t on_device_size_in_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes);
typedef PJRT_Error* PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args);

// The device that the buffer belongs to. The client owns it. Since 0.1.
struct PJRT_Buffer_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Device* device;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Device_Args, device);
typedef PJRT_Error* PJRT_Buffer_Device(PJRT_Buffer_Device_Args* args);

// The memory that the buffer lies in. The client owns it. Since 0.24.
struct PJRT_Buffer_Memory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Memory* memory;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Memory_Args, memory);
typedef PJRT_Error* PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args* args);

// Whether the host can read the buffer's memory directly. Since 0.1.
struct PJRT_Buffer_IsOnCpu_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  bool is_on_cpu;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IsOnCpu_Args, is_on_cpu);
typedef PJRT_Error* PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args* args);

// An event that is ready when the contents are, or when computing them failed. The caller destroys
// it. It ends with an error if the buffer was already deleted or donated. Since 0.1.
struct PJRT_Buffer_ReadyEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ReadyEvent_Args, event);
typedef PJRT_Error* PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args);

// Copies the contents to the host. With `dst` NULL it only answers the size. Since 0.1.
struct PJRT_Buffer_ToHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* src;
  PJRT_Buffer_MemoryLayout* host_layout;  // NULL: that of the buffer; since 0.8
  void* dst;                              // the caller's memory
  size_t dst_size;    // in, out: at least the size needed; set to it when `dst` is NULL
  PJRT_Event* event;  // out: ready when the copy is done; the caller destroys it
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ToHostBuffer_Args, event);
typedef PJRT_Error* PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args);

// Copies a range of bytes as they lie on the device. Since 0.57.
struct PJRT_Buffer_CopyRawToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  void* dst;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event;  // out: ready when the copy is done; the caller destroys it
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHost_Args, event);
typedef PJRT_Error* PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args* args);

// With what the caller of CopyRawToHostFuture says where to copy to, or that it will not.
// Since 0.84.
struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;
  void* callback_data;  // as CopyRawToHostFuture returned it
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  void* dst;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst);

// As PJRT_Buffer_CopyRawToHost, but the destination follows: the copy starts when the caller calls
// `future_ready_callback`, once. Since 0.84.
struct PJRT_Buffer_CopyRawToHostFuture_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event;    // out: the caller destroys it
  void* callback_data;  // out
  void (*future_ready_callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHostFuture_Args, future_ready_callback);
typedef PJRT_Error* PJRT_Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args* args);

// Copies to another device of the client. The caller destroys the new buffer. Since 0.1.
struct PJRT_Buffer_CopyToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Device* dst_device;
  PJRT_Buffer* dst_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyToDevice_Args, dst_buffer);
typedef PJRT_Error* PJRT_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args* args);

// Copies to another memory of the client. The caller destroys the new buffer. Since 0.32.
struct PJRT_Buffer_CopyToMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Memory* dst_memory;
  PJRT_Buffer* dst_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyToMemory_Args, dst_buffer);
typedef PJRT_Error* PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args* args);

// The same bytes as another type, shape and layout. The caller destroys the new buffer. Since 0.98.
struct PJRT_Buffer_Bitcast_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Buffer_Type element_type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_MemoryLayout* device_layout;  // NULL: the default one, not the old buffer's
  PJRT_Buffer* out_buffer;                  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Bitcast_Args, out_buffer);
typedef PJRT_Error* PJRT_Buffer_Bitcast(PJRT_Buffer_Bitcast_Args* args);

// With what the caller of DonateWithControlDependency says that the dependency is met, or failed.
// Since 0.88.
struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;
  void* callback_data;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DonateWithControlDependency_Callback_Args,
                          error_message_size);

// Moves the contents into a new buffer that becomes ready only after the caller has called
// `dependency_ready_callback`. The old buffer counts as donated; the caller destroys both.
// Since 0.88.
struct PJRT_Buffer_DonateWithControlDependency_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  void* callback_data;  // out
  // Out: the caller calls it once.
  void (*dependency_ready_callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args* args);
  PJRT_Buffer* out_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DonateWithControlDependency_Args, out_buffer);
typedef PJRT_Error* PJRT_Buffer_DonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args* args);

// An address for the buffer in terms of the platform; may go stale at any time. Since 0.1.
struct PJRT_Buffer_UnsafePointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  uintptr_t buffer_pointer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_UnsafePointer_Args, buffer_pointer);
typedef PJRT_Error* PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args* args);

// Keeps the memory in place and alive for someone outside, until the count is decreased.
// Since 0.19.
struct PJRT_Buffer_IncreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IncreaseExternalReferenceCount_Args, buffer);
typedef PJRT_Error* PJRT_Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args* args);

// Undoes one increase; an error without one. Since 0.19.
struct PJRT_Buffer_DecreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DecreaseExternalReferenceCount_Args, buffer);
typedef PJRT_Error* PJRT_Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args* args);

// The address of the contents. Stays valid while an external reference is held. Since 0.19.
struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  void* device_memory_ptr;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, device_memory_ptr);
typedef PJRT_Error* PJRT_Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args);

// ------------------------------ Asynchronous transfers to a device ------------------------------

// Allocates buffers to be filled piece by piece. The caller destroys the manager. Since 0.60.
struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_ShapeSpec* shape_specs;
  size_t num_shape_specs;
  PJRT_Buffer_MemoryLayout** device_layouts;  // NULL, or one per shape; each may be NULL
  size_t num_device_layouts;
  PJRT_Memory* memory;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager);
typedef PJRT_Error* PJRT_Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args);

// Frees a manager; NULL is allowed. Its buffers stay. Since 0.60.
struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args);

// Starts to copy a piece of one buffer. Since 0.60.
struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int buffer_index;
  const void* data;  // must live until the event is ready
  int64_t offset;
  int64_t transfer_size;
  bool is_last_transfer;               // the buffer becomes ready after this one
  PJRT_Event* done_with_h2d_transfer;  // out: the caller destroys it
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
                          done_with_h2d_transfer);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args);

// Starts to copy one whole buffer, given as an array with a shape. Since 0.83.
struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int buffer_index;
  const void* data;  // must live until the event is ready
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;
  PJRT_Event* done_with_h2d_transfer;  // out: the caller destroys it
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
                          done_with_h2d_transfer);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args);

// Hands out one buffer, filled or not. The caller destroys it. Since 0.62.
struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int buffer_index;
  PJRT_Buffer* buffer_out;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_out);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args);

// The device of the buffers. The client owns it. Since 0.62.
struct PJRT_AsyncHostToDeviceTransferManager_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  PJRT_Device* device_out;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_Device_Args, device_out);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args* args);

// How many buffers there are. Since 0.62.
struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  size_t buffer_count;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args);

// The bytes of one buffer on the device. Since 0.62.
struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int buffer_index;
  size_t buffer_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_size);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args);

// Gives one buffer an error for contents. Since 0.62.
struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int buffer_index;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
                          error_message_size);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args);

// Attaches notes to the transfers, for traces. Since 0.62.
struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  const PJRT_NamedValue* transfer_metadata;
  size_t num_metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata);
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args* args);

// ------------------------------ Programs and compilation ----------------------------------------

// A program in one of its forms: "mlir" is an MLIR module, as bytecode (StableHLO's portable form,
// best) or text; "hlo" and "hlo_with_config" are serialized HloModuleProto and
// HloModuleProtoWithConfig. Since 0.1.
struct PJRT_Program {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  char* code;
  size_t code_size;
  const char* format;  // the caller's, but where a function says otherwise
  size_t format_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Program, format_size);

// Compiles a program and loads it. The caller destroys the executable. Since 0.1.
struct PJRT_Client_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  const PJRT_Program* program;
  const char* compile_options;  // a serialized CompileOptionsProto
  size_t compile_options_size;
  PJRT_LoadedExecutable* executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Compile_Args, executable);
typedef PJRT_Error* PJRT_Client_Compile(PJRT_Client_Compile_Args* args);

// Compiles for a topology whose devices need not be there. The caller destroys the executable;
// PJRT_Client_Load makes it run. Since 0.1.
struct PJRT_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  const PJRT_Program* program;
  const char* compile_options;  // a serialized CompileOptionsProto
  size_t compile_options_size;
  PJRT_Client* client;          // may be NULL; the compiler may measure on it
  PJRT_Executable* executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Compile_Args, executable);
typedef PJRT_Error* PJRT_Compile(PJRT_Compile_Args* args);

// ------------------------------ Executables -----------------------------------------------------

// Frees an executable; NULL is allowed. Loaded ones made from it stay. Since 0.1.
struct PJRT_Executable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Destroy_Args, executable);
typedef PJRT_Error* PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args* args);

// The name of the program. The executable owns it. Since 0.1.
struct PJRT_Executable_Name_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  const char* executable_name;  // out
  size_t executable_name_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Name_Args, executable_name_size);
typedef PJRT_Error* PJRT_Executable_Name(PJRT_Executable_Name_Args* args);

// How many replicas run together. Since 0.1.
struct PJRT_Executable_NumReplicas_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_replicas;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumReplicas_Args, num_replicas);
typedef PJRT_Error* PJRT_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args* args);

// How many parts each replica is split into. Since 0.1.
struct PJRT_Executable_NumPartitions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_partitions;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumPartitions_Args, num_partitions);
typedef PJRT_Error* PJRT_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args* args);

// How many outputs there are per device. Since 0.1.
struct PJRT_Executable_NumOutputs_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumOutputs_Args, num_outputs);
typedef PJRT_Error* PJRT_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args* args);

// The type of each output. The executable owns the array. Since 0.29.
struct PJRT_Executable_OutputElementTypes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  PJRT_Buffer_Type* output_types;  // out
  size_t num_output_types;         // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputElementTypes_Args, num_output_types);
typedef PJRT_Error* PJRT_Executable_OutputElementTypes(
    PJRT_Executable_OutputElementTypes_Args* args);

// The shapes of the outputs. The executable owns the arrays. Since 0.29.
struct PJRT_Executable_OutputDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;       // out
  const int64_t* dims;      // out: of all outputs, one after the other
  const size_t* dim_sizes;  // out: how many of them each output has
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputDimensions_Args, dim_sizes);
typedef PJRT_Error* PJRT_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args);

// The kind of memory of each output. The executable owns the arrays. Since 0.18.
struct PJRT_Executable_OutputMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;               // out
  const char* const* memory_kinds;  // out
  const size_t* memory_kind_sizes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputMemoryKinds_Args, memory_kind_sizes);
typedef PJRT_Error* PJRT_Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args* args);

// The kind of memory of each argument. The executable owns the arrays. Since 0.102.
struct PJRT_Executable_ParameterMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters;            // out
  const char* const* memory_kinds;  // out
  const size_t* memory_kind_sizes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_ParameterMemoryKinds_Args, memory_kind_sizes);
typedef PJRT_Error* PJRT_Executable_ParameterMemoryKinds(
    PJRT_Executable_ParameterMemoryKinds_Args* args);

// The size of the machine code. Since 0.1.
struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  int64_t size_in_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes);
typedef PJRT_Error* PJRT_Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args);

// A text that is equal for equal programs, options and compilers. The executable owns it. May be
// UNIMPLEMENTED. Since 0.35.
struct PJRT_Executable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  const char* executable_fingerprint;  // out
  size_t executable_fingerprint_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Fingerprint_Args, executable_fingerprint_size);
typedef PJRT_Error* PJRT_Executable_Fingerprint(PJRT_Executable_Fingerprint_Args* args);

// What a run is thought to cost, such as "flops". The executable owns the array. Since 0.2.
struct PJRT_Executable_GetCostAnalysis_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_properties;              // out
  const PJRT_NamedValue* properties;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCostAnalysis_Args, properties);
typedef PJRT_Error* PJRT_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args* args);

// The memory that a run takes on the device and, where the name says so, on the host. Since 0.40.
struct PJRT_Executable_GetCompiledMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  int64_t generated_code_size_in_bytes;       // out
  int64_t argument_size_in_bytes;             // out
  int64_t output_size_in_bytes;               // out
  int64_t alias_size_in_bytes;                // out: arguments that outputs reuse
  int64_t temp_size_in_bytes;                 // out
  int64_t host_generated_code_size_in_bytes;  // out; since 0.43
  int64_t host_argument_size_in_bytes;        // out; since 0.43
  int64_t host_output_size_in_bytes;          // out; since 0.43
  int64_t host_alias_size_in_bytes;           // out; since 0.43
  int64_t host_temp_size_in_bytes;            // out; since 0.43
  int64_t peak_memory_in_bytes;               // out; since 0.72
  int64_t total_size_in_bytes;                // out; since 0.90
  int64_t total_allocation_bytes;             // out; since 0.104
  int64_t indefinite_allocations;             // out; since 0.104
  int64_t peak_unpadded_heap_bytes;           // out; since 0.104
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCompiledMemoryStats_Args, peak_unpadded_heap_bytes);
typedef PJRT_Error* PJRT_Executable_GetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args* args);

// The program after compilation. Asked twice: with `code` NULL it sets code_size, then it fills the
// caller's `code`. It sets `format` to a text of its own. Since 0.1.
struct PJRT_Executable_OptimizedProgram_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  PJRT_Program* program;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OptimizedProgram_Args, program);
typedef PJRT_Error* PJRT_Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args* args);

// The options it was compiled with, a serialized CompileOptionsProto. The caller calls the deleter
// once. Since 0.87.
struct PJRT_Executable_GetCompileOptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  const char* serialized_bytes;                               // out
  size_t serialized_bytes_size;                               // out
  PJRT_SerializedCompileOptions* serialized_compile_options;  // out: owns the bytes
  void (*serialized_compile_options_deleter)(PJRT_SerializedCompileOptions* options);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCompileOptions_Args,
                          serialized_compile_options_deleter);
typedef PJRT_Error* PJRT_Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args* args);

// The executable as bytes that the same platform and version can load. The caller calls the deleter
// once. Since 0.1.
struct PJRT_Executable_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Executable* executable;
  const char* serialized_bytes;                                            // out; since 0.20
  size_t serialized_bytes_size;                                            // out; since 0.20
  PJRT_SerializedExecutable* serialized_executable;                        // out: owns the bytes
  void (*serialized_executable_deleter)(PJRT_SerializedExecutable* exec);  // out; since 0.20
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Serialize_Args, serialized_executable_deleter);
typedef PJRT_Error* PJRT_Executable_Serialize(PJRT_Executable_Serialize_Args* args);

// Where in a larger machine a program is loaded. Since 0.111.
struct PJRT_LoadOptions {
  size_t struct_size;
  const int32_t* computation_origin;
  size_t computation_origin_size;
  PJRT_MultiSlice_Config* multi_slice_config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadOptions, multi_slice_config);

// Loads what PJRT_Executable_Serialize wrote. The caller destroys the executable. Since 0.1.
struct PJRT_Executable_DeserializeAndLoad_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  const char* serialized_executable;
  size_t serialized_executable_size;
  PJRT_LoadedExecutable* loaded_executable;  // out
  // A CompileOptionsProto; NULL: those it has; since 0.71.
  const char* overridden_serialized_compile_options;
  size_t overridden_serialized_compile_options_size;  // since 0.71
  PJRT_LoadOptions* load_options;                     // may be NULL; since 0.111
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_DeserializeAndLoad_Args, load_options);
typedef PJRT_Error* PJRT_Executable_DeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args* args);

// Loads what PJRT_Compile made. The caller destroys the loaded executable; the other stays the
// caller's. Since 0.95.
struct PJRT_Client_Load_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Executable* executable;
  const char* compile_options;  // a serialized CompileOptionsProto
  size_t compile_options_size;
  PJRT_LoadedExecutable* loaded_executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Load_Args, loaded_executable);
typedef PJRT_Error* PJRT_Client_Load(PJRT_Client_Load_Args* args);

// ------------------------------ Loaded executables ----------------------------------------------

// Frees a loaded executable, deleting it first; NULL is allowed. Since 0.1.
struct PJRT_LoadedExecutable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Destroy_Args, executable);
typedef PJRT_Error* PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args);

// Gives up its resources, which go when the last run is over. Afterwards it may only be asked
// IsDeleted and destroyed. Since 0.1.
struct PJRT_LoadedExecutable_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Delete_Args, executable);
typedef PJRT_Error* PJRT_LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args* args);

// Whether it was deleted. Since 0.1.
struct PJRT_LoadedExecutable_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  bool is_deleted;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted);
typedef PJRT_Error* PJRT_LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args* args);

// The executable behind it. The caller destroys that. Since 0.1.
struct PJRT_LoadedExecutable_GetExecutable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* loaded_executable;
  PJRT_Executable* executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_GetExecutable_Args, executable);
typedef PJRT_Error* PJRT_LoadedExecutable_GetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args* args);

// The devices of this process that it runs on, in the order of argument_lists. It owns the list.
// Since 0.1.
struct PJRT_LoadedExecutable_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  PJRT_Device* const* addressable_devices;  // out
  size_t num_addressable_devices;           // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices);
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args* args);

// A place in a device assignment. Since 0.96.
struct PJRT_LogicalDeviceIds {
  int replica;
  int partition;
};
typedef struct PJRT_LogicalDeviceIds PJRT_LogicalDeviceIds;

// The place of each addressable device. The executable owns the array. Since 0.96.
struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  PJRT_LogicalDeviceIds* addressable_device_logical_ids;  // out
  size_t num_addressable_device_logical_ids;              // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args,
                          num_addressable_device_logical_ids);
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args);

// A serialized DeviceAssignmentProto; no bytes when it runs anywhere. The caller calls the deleter
// once. Since 0.79.
struct PJRT_LoadedExecutable_GetDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  const char* serialized_bytes;                                   // out
  size_t serialized_bytes_size;                                   // out
  PJRT_DeviceAssignmentSerialized* serialized_device_assignment;  // out: owns the bytes
  // Out: never NULL.
  void (*serialized_device_assignment_deleter)(PJRT_DeviceAssignmentSerialized* da);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_GetDeviceAssignment_Args,
                          serialized_device_assignment_deleter);
typedef PJRT_Error* PJRT_LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args* args);

// PJRT_Executable_Fingerprint has replaced it. The executable owns the text. Since 0.28.
struct PJRT_LoadedExecutable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  const char* executable_fingerprint;  // out
  size_t executable_fingerprint_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint_size);
typedef PJRT_Error* PJRT_LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args* args);

// ------------------------------ Execution -------------------------------------------------------

// Makes a context that carries data into a run, by way of extensions. The caller destroys it.
// Since 0.52.
struct PJRT_ExecuteContext_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteContext_Create_Args, context);
typedef PJRT_Error* PJRT_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args* args);

// Frees a context after its last run; NULL is allowed. Since 0.52.
struct PJRT_ExecuteContext_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteContext_Destroy_Args, context);
typedef PJRT_Error* PJRT_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args* args);

// A piece of data with the function that frees it. Since 0.1.
struct PJRT_Chunk {
  void* data;
  size_t size;
  void (*deleter)(void* data, void* deleter_arg);
  void* deleter_arg;
};
typedef struct PJRT_Chunk PJRT_Chunk;

// Takes a chunk from the device and frees it with its deleter; returns NULL or an error made with
// `callback_error`.
typedef PJRT_Error* (*PJRT_SendCallback)(PJRT_Chunk* chunk, PJRT_CallbackError* callback_error,
                                         size_t total_size_in_bytes, bool done, void* user_arg);

// What to call for one send operation of a program. Since 0.1.
struct PJRT_SendCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_SendCallback send_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_SendCallbackInfo, send_callback);

// Fills the stream with chunks, now or later, then destroys it.
typedef void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream* stream, void* user_arg);

// What to call for one receive operation of a program. Since 0.1.
struct PJRT_RecvCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_RecvCallback recv_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RecvCallbackInfo, recv_callback);

// Gets one value, which lives during the call.
typedef void (*PJRT_HloOutputCallback)(int64_t replica_id, int64_t partition_id, const void* data,
                                       const int64_t* shape_dims, size_t shape_num_dims,
                                       PJRT_Buffer_Type shape_element_type, int64_t operand_index,
                                       void* user_arg);

// What to call with values that a program gives out while it runs, for all replicas and partitions.
// Since 0.112.
struct PJRT_HloOutputCallbackInfo {
  void* user_arg;
  PJRT_HloOutputCallback callback;
  int64_t callback_id;
  size_t num_operands;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HloOutputCallbackInfo, num_operands);

// How to run. Callbacks must live until the run is over, all else until the call returns.
// Since 0.1.
struct PJRT_ExecuteOptions {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_SendCallbackInfo** send_callbacks;  // num_send_ops for each device
  PJRT_RecvCallbackInfo** recv_callbacks;  // num_recv_ops for each device
  size_t num_send_ops;
  size_t num_recv_ops;
  int launch_id;                               // not 0: equal for all parts of one launch
  const int64_t* non_donatable_input_indices;  // arguments not to be donated; since 0.39
  size_t num_non_donatable_input_indices;      // since 0.39
  PJRT_ExecuteContext* context;                // may be NULL; since 0.64
  const char* call_location;  // where the user's code asked for it, NUL-terminated; since 0.76
  size_t num_tasks;           // process task_ids[i] is in its incarnation_ids[i]; since 0.78
  int* task_ids;              // since 0.78
  int64_t* incarnation_ids;   // since 0.78
  PJRT_MultiSlice_Config* multi_slice_config;         // since 0.97
  bool use_major_to_minor_data_layout_for_callbacks;  // else that of the device; since 0.108
  PJRT_HloOutputCallbackInfo* hlo_output_callbacks;   // since 0.112
  size_t num_hlo_output_callbacks;                    // since 0.112
  // What they mean is the platform's own affair; since 0.116.
  const PJRT_NamedValue* custom_options;
  size_t num_custom_options;  // since 0.116
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteOptions, num_custom_options);

// Starts a run on each device. The caller destroys the outputs and the events. Arguments that the
// program donates count as deleted when it returns. Since 0.1.
struct PJRT_LoadedExecutable_Execute_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  PJRT_ExecuteOptions* options;
  PJRT_Buffer* const* const* argument_lists;  // num_devices lists of num_args buffers
  size_t num_devices;
  size_t num_args;
  PJRT_Buffer** const* output_lists;  // the caller's lists, one per device, filled
  // NULL, or the caller's num_devices, filled unless it fails.
  PJRT_Event** device_complete_events;
  PJRT_Device* execute_device;  // NULL: those compiled for; else num_devices is 1
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Execute_Args, execute_device);
typedef PJRT_Error* PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args);

// ------------------------------ Streams of chunks to a device -----------------------------------

// Frees a stream; NULL is allowed. Since 0.11.
struct PJRT_CopyToDeviceStream_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_Destroy_Args, stream);
typedef PJRT_Error* PJRT_CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args* args);

// Starts to copy the next chunk, which the plugin now owns. An error when it is too much, too late
// or no multiple of the granule. Since 0.1.
struct PJRT_CopyToDeviceStream_AddChunk_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  PJRT_Chunk* chunk;
  PJRT_Event* transfer_complete;  // out: the caller destroys it
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_AddChunk_Args, transfer_complete);
typedef PJRT_Error* PJRT_CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args* args);

// How much the stream takes in all. Since 0.1.
struct PJRT_CopyToDeviceStream_TotalBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  int64_t total_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes);
typedef PJRT_Error* PJRT_CopyToDeviceStream_TotalBytes(
    PJRT_CopyToDeviceStream_TotalBytes_Args* args);

// What the size of each chunk is a multiple of. Since 0.1.
struct PJRT_CopyToDeviceStream_GranuleSize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  int64_t granule_size_in_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_GranuleSize_Args, granule_size_in_bytes);
typedef PJRT_Error* PJRT_CopyToDeviceStream_GranuleSize(
    PJRT_CopyToDeviceStream_GranuleSize_Args* args);

// How much was added so far. Since 0.1.
struct PJRT_CopyToDeviceStream_CurrentBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  int64_t current_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_CurrentBytes_Args, current_bytes);
typedef PJRT_Error* PJRT_CopyToDeviceStream_CurrentBytes(
    PJRT_CopyToDeviceStream_CurrentBytes_Args* args);

// ------------------------------ Topologies ------------------------------------------------------

// Describes a platform by name, whether its devices are there or not. The caller destroys it.
// Since 0.1.
struct PJRT_TopologyDescription_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* topology_name;
  size_t topology_name_size;
  const PJRT_NamedValue* create_options;
  size_t num_options;
  PJRT_TopologyDescription* topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Create_Args, topology);
typedef PJRT_Error* PJRT_TopologyDescription_Create(PJRT_TopologyDescription_Create_Args* args);

// Frees a topology of Create or Deserialize; NULL is allowed. Since 0.1.
struct PJRT_TopologyDescription_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Destroy_Args, topology);
typedef PJRT_Error* PJRT_TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args* args);

// As PJRT_Client_PlatformName. The topology owns the text. Since 0.1.
struct PJRT_TopologyDescription_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  const char* platform_name;  // out
  size_t platform_name_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_PlatformName_Args, platform_name_size);
typedef PJRT_Error* PJRT_TopologyDescription_PlatformName(
    PJRT_TopologyDescription_PlatformName_Args* args);

// As PJRT_Client_PlatformVersion. The topology owns the text. Since 0.1.
struct PJRT_TopologyDescription_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
  const char* platform_version;  // out
  size_t platform_version_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size);
typedef PJRT_Error* PJRT_TopologyDescription_PlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args* args);

// Its devices, in the same order at every call. The topology owns the list. Since 0.1.
struct PJRT_TopologyDescription_GetDeviceDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  PJRT_DeviceDescription* const* descriptions;  // out
  size_t num_descriptions;                      // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions);
typedef PJRT_Error* PJRT_TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args* args);

// What the platform tells about it. The topology owns the array. Since 0.27.
struct PJRT_TopologyDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
  const PJRT_NamedValue* attributes;  // out
  size_t num_attributes;              // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Attributes_Args, num_attributes);
typedef PJRT_Error* PJRT_TopologyDescription_Attributes(
    PJRT_TopologyDescription_Attributes_Args* args);

// A number that is equal for equal topologies. Since 0.101.
struct PJRT_TopologyDescription_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  uint64_t fingerprint;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Fingerprint_Args, fingerprint);
typedef PJRT_Error* PJRT_TopologyDescription_Fingerprint(
    PJRT_TopologyDescription_Fingerprint_Args* args);

// The topology as bytes. The caller calls the deleter once. Since 0.22.
struct PJRT_TopologyDescription_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
  const char* serialized_bytes;                  // out
  size_t serialized_bytes_size;                  // out
  PJRT_SerializedTopology* serialized_topology;  // out: owns the bytes
  void (*serialized_topology_deleter)(PJRT_SerializedTopology* serialized_topology);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Serialize_Args, serialized_topology_deleter);
typedef PJRT_Error* PJRT_TopologyDescription_Serialize(
    PJRT_TopologyDescription_Serialize_Args* args);

// Reads what Serialize wrote. The caller destroys the topology. Since 0.75.
struct PJRT_TopologyDescription_Deserialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* serialized_topology;
  size_t serialized_topology_size;
  PJRT_TopologyDescription* topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Deserialize_Args, topology);
typedef PJRT_Error* PJRT_TopologyDescription_Deserialize(
    PJRT_TopologyDescription_Deserialize_Args* args);

// The kinds of memory (PJRT_Memory_Kind_Id) of its devices. The topology owns the array.
// Since 0.110.
struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  const int* memory_space_kind_ids;  // out
  size_t num_memory_space_kind_ids;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args,
                          num_memory_space_kind_ids);
typedef PJRT_Error* PJRT_TopologyDescription_GetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args);

// The shape, with layout, in which a memory of this kind keeps such an array. The caller calls the
// deleter once. Since 0.109.
struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  int memory_space_kind_id;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  const PJRT_Buffer_MemoryLayout* layout;         // may be NULL
  const char* serialized_shape;                   // out: a ShapeProto
  size_t serialized_shape_size;                   // out
  void (*serialized_shape_deleter)(const char*);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args,
                          serialized_shape_deleter);
typedef PJRT_Error* PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args* args);

// ------------------------------ The table -------------------------------------------------------

// C++ looks an unqualified name up in the struct itself, where it now is a member.
#ifdef __cplusplus
#define _PJRT_API_STRUCT_FIELD(fn_type) ::fn_type* fn_type
#else
#define _PJRT_API_STRUCT_FIELD(fn_type) fn_type* fn_type
#endif

typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
  _PJRT_API_STRUCT_FIELD(PJRT_Error_Destroy);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Error_Message);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Error_GetCode);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Plugin_Initialize);                                     // since 0.13
  _PJRT_API_STRUCT_FIELD(PJRT_Plugin_Attributes);                                     // since 0.9
  _PJRT_API_STRUCT_FIELD(PJRT_Event_Destroy);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Event_IsReady);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Event_Error);                                           // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Event_Await);                                           // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Event_OnReady);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_Create);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_Destroy);                                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_PlatformName);                                   // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_ProcessIndex);                                   // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_PlatformVersion);                                // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_Devices);                                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_AddressableDevices);                             // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_LookupDevice);                                   // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_LookupAddressableDevice);                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_AddressableMemories);                            // since 0.20
  _PJRT_API_STRUCT_FIELD(PJRT_Client_Compile);                                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_DefaultDeviceAssignment);                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Client_BufferFromHostBuffer);                           // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_Id);                                  // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_ProcessIndex);                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_Attributes);                          // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_Kind);                                // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_DebugString);                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_ToString);                            // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Device_GetDescription);                                 // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Device_IsAddressable);                                  // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Device_LocalHardwareId);                                // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Device_AddressableMemories);                            // since 0.13
  _PJRT_API_STRUCT_FIELD(PJRT_Device_DefaultMemory);                                  // since 0.17
  _PJRT_API_STRUCT_FIELD(PJRT_Device_MemoryStats);                                    // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Memory_Id);                                             // since 0.16
  _PJRT_API_STRUCT_FIELD(PJRT_Memory_Kind);                                           // since 0.14
  _PJRT_API_STRUCT_FIELD(PJRT_Memory_DebugString);                                    // since 0.15
  _PJRT_API_STRUCT_FIELD(PJRT_Memory_ToString);                                       // since 0.15
  _PJRT_API_STRUCT_FIELD(PJRT_Memory_AddressableByDevices);                           // since 0.20
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_Destroy);                                    // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_Name);                                       // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_NumReplicas);                                // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_NumPartitions);                              // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_NumOutputs);                                 // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_SizeOfGeneratedCodeInBytes);                 // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_GetCostAnalysis);                            // since 0.2
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_OutputMemoryKinds);                          // since 0.18
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_OptimizedProgram);                           // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_Serialize);                                  // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Destroy);                              // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_GetExecutable);                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_AddressableDevices);                   // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Delete);                               // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_IsDeleted);                            // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Execute);                              // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_DeserializeAndLoad);                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Fingerprint);                          // since 0.28
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Destroy);                                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_ElementType);                                    // since 0.5
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Dimensions);                                     // since 0.6
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_UnpaddedDimensions);                             // since 0.7
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_DynamicDimensionIndices);                        // since 0.11
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_GetMemoryLayout);                                // since 0.10
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_OnDeviceSizeInBytes);                            // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Device);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Memory);                                         // since 0.24
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Delete);                                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_IsDeleted);                                      // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyToDevice);                                   // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_ToHostBuffer);                                   // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_IsOnCpu);                                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_ReadyEvent);                                     // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_UnsafePointer);                                  // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_IncreaseExternalReferenceCount);                 // since 0.19
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_DecreaseExternalReferenceCount);                 // since 0.19
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_OpaqueDeviceMemoryDataPointer);                  // since 0.19
  _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_Destroy);                            // since 0.11
  _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_AddChunk);                           // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_TotalBytes);                         // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_GranuleSize);                        // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_CurrentBytes);                       // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Create);                            // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Destroy);                           // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_PlatformName);                      // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_PlatformVersion);                   // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_GetDeviceDescriptions);             // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Serialize);                         // since 0.22
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Attributes);                        // since 0.27
  _PJRT_API_STRUCT_FIELD(PJRT_Compile);                                               // since 0.1
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_OutputElementTypes);                         // since 0.29
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_OutputDimensions);                           // since 0.29
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyToMemory);                                   // since 0.32
  _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateViewOfDeviceBuffer);                       // since 0.33
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_Fingerprint);                                // since 0.35
  _PJRT_API_STRUCT_FIELD(PJRT_Client_TopologyDescription);                            // since 0.36
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_GetCompiledMemoryStats);                     // since 0.40
  _PJRT_API_STRUCT_FIELD(PJRT_Memory_Kind_Id);                                        // since 0.48
  _PJRT_API_STRUCT_FIELD(PJRT_ExecuteContext_Create);                                 // since 0.52
  _PJRT_API_STRUCT_FIELD(PJRT_ExecuteContext_Destroy);                                // since 0.52
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyRawToHost);                                  // since 0.57
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_Destroy);              // since 0.60
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData);         // since 0.60
  _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice);              // since 0.60
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer);       // since 0.62
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_Device);               // since 0.62
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferCount);          // since 0.62
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferSize);           // since 0.62
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError);       // since 0.62
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_AddMetadata);          // since 0.62
  _PJRT_API_STRUCT_FIELD(PJRT_Client_DmaMap);                                         // since 0.67
  _PJRT_API_STRUCT_FIELD(PJRT_Client_DmaUnmap);                                       // since 0.67
  _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateUninitializedBuffer);                      // since 0.69
  _PJRT_API_STRUCT_FIELD(PJRT_Client_UpdateGlobalProcessInfo);                        // since 0.73
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Deserialize);                       // since 0.75
  _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateAliasBuffer);                              // since 0.77
  _PJRT_API_STRUCT_FIELD(PJRT_Client_FulfillAliasBuffer);                             // since 0.77
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_GetDeviceAssignment);                  // since 0.79
  _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateErrorBuffer);                              // since 0.82
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral);      // since 0.83
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyRawToHostFuture);                            // since 0.84
  _PJRT_API_STRUCT_FIELD(PJRT_Device_PoisonExecution);                                // since 0.85
  _PJRT_API_STRUCT_FIELD(PJRT_Device_CreateAsyncTrackingEvent);                       // since 0.86
  _PJRT_API_STRUCT_FIELD(PJRT_AsyncTrackingEvent_Destroy);                            // since 0.86
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_GetCompileOptions);                          // since 0.87
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_DonateWithControlDependency);                    // since 0.88
  _PJRT_API_STRUCT_FIELD(PJRT_Event_Create);                                          // since 0.89
  _PJRT_API_STRUCT_FIELD(PJRT_Event_Set);                                             // since 0.89
  _PJRT_API_STRUCT_FIELD(PJRT_Device_GetAttributes);                                  // since 0.92
  _PJRT_API_STRUCT_FIELD(PJRT_Client_Load);                                           // since 0.95
  _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_AddressableDeviceLogicalIds);          // since 0.96
  _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Bitcast);                                        // since 0.98
  _PJRT_API_STRUCT_FIELD(PJRT_Error_ForEachPayload);                                  // since 0.99
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Fingerprint);                       // since 0.101
  _PJRT_API_STRUCT_FIELD(PJRT_Executable_ParameterMemoryKinds);                       // since 0.102
  _PJRT_API_STRUCT_FIELD(PJRT_Device_ClearMemoryStats);                               // since 0.106
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace);  // since 0.109
  _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_GetMemorySpaceKindIds);             // since 0.110
} PJRT_Api;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds);

#undef _PJRT_API_STRUCT_FIELD

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_H_
