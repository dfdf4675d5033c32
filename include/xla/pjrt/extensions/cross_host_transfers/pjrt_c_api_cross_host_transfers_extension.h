// Extension 12, CrossHostTransfers, version 8, since 0.74: buffers sent between processes. There
// are two ways: one with descriptors that the receiver hands to the sender by means of its own
// (0.74), and one with keys that both know (0.81). Where both sides list their processes,
// task_ids[i] is in its incarnation_ids[i], for num_tasks of them.

#ifndef XLA_PJRT_EXTENSIONS_CROSS_HOST_TRANSFERS_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_CROSS_HOST_TRANSFERS_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION 8

// Sends buffers to devices of other processes. The caller destroys the events. Since 0.81.
struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_buffers;
  PJRT_Buffer** buffers;
  const int32_t* dst_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Event** send_events;        // the caller's array of num_buffers, filled
  size_t num_tasks;                // since 0.117
  const int* task_ids;             // since 0.117
  const int64_t* incarnation_ids;  // since 0.117
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, incarnation_ids);
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostSendBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);

// Makes buffers on a device that others send. The caller destroys them. Since 0.81.
struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;    // how many dimensions each shape has
  const int64_t** num_dims;  // the dimensions of each shape
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  const int32_t* src_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Buffer** buffers;           // the caller's array of num_shapes, filled
  size_t num_tasks;                // since 0.117
  const int* task_ids;             // since 0.117
  const int64_t* incarnation_ids;  // since 0.117
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, incarnation_ids);
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);

// Called when a transfer that was to be cancelled is, or is not.
typedef void (*PJRT_Transfers_CrossHostOnCanceledCallback)(PJRT_Error* error, void* user_arg);

// Lets the receiver cancel a transfer.
typedef void (*PJRT_Transfers_CrossHostSendCancelNotifier)(
    const char* serialized_descriptor, size_t serialized_descriptor_size, PJRT_Error_Code reason,
    const char* error_message, size_t error_message_size,
    PJRT_Transfers_CrossHostOnCanceledCallback on_canceled, void* on_canceled_user_arg,
    void* user_arg);

// Gets the descriptors that the sender needs, one per buffer, or an error.
typedef void (*PJRT_Transfers_CrossHostRecvNotifier)(
    PJRT_Error* error, const char** serialized_descriptors, size_t* descriptors_sizes,
    size_t num_descriptors, void* user_arg,
    PJRT_Transfers_CrossHostSendCancelNotifier cancel_notifier, void* cancel_notifier_user_arg);

struct PJRT_Transfers_CrossHostRecvNotifierInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRecvNotifier notifier;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier);

// Makes buffers on a device for others to send to. The caller destroys them.
struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;    // how many dimensions each shape has
  const int64_t** num_dims;  // the dimensions of each shape
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  PJRT_Transfers_CrossHostRecvNotifierInfo notifier;
  PJRT_Buffer** buffers;       // the caller's array of num_shapes, filled
  size_t num_buffers;          // out
  bool allow_cancel_notifier;  // whether the cancel notifier may be used; since 0.115
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
                          allow_cancel_notifier);
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);

// Called when a send is over.
typedef void (*PJRT_Transfers_CrossHostRemoteSendCallback)(PJRT_Error* error,
                                                           bool sends_were_enqueued,
                                                           void* user_arg);

// Since 0.81.
struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRemoteSendCallback on_done;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, on_done);

// Frees a descriptor and its size.
typedef void (*PJRT_Transfers_DescriptorDestructor)(char** descriptor_data,
                                                    size_t* descriptor_size);

// Sends a buffer to the receiver whose descriptor it is.
struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Event* event;                   // ready when the descriptor is there; the plugin frees it
  char** serialized_descriptor;        // since 0.90
  size_t* serialized_descriptor_size;  // since 0.90
  PJRT_Transfers_CrossHostRemoteSendCallbackInfo on_done;
  // The plugin calls it when it has read the descriptor; since 0.104.
  PJRT_Transfers_DescriptorDestructor descriptor_destructor;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
                          descriptor_destructor);
typedef void PJRT_Buffer_CopyToRemoteDevice(
    PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args);

typedef struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers)(
      PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);
  PJRT_Buffer_CopyToRemoteDevice* PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice;
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers)(
      PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);  // since 0.81
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_CrossHostSendBuffers)(
      PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);  // since 0.81
} PJRT_CrossHostTransfers_Extension;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CrossHostTransfers_Extension,
                          PJRT_Transfers_PJRT_Client_CrossHostSendBuffers);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_EXTENSIONS_CROSS_HOST_TRANSFERS_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_
