// What a device plugin offers beyond SP_StreamExecutor (tenon/device_services.h). Each call gives
// NULL, false or an error with FAILED_PRECONDITION where the device does not answer.
#ifndef TENON_DEVICE_SERVICES_ROOM_H_
#define TENON_DEVICE_SERVICES_ROOM_H_

#include "device/platform.h"
#include "device/stream.h"

// Calls the plugin's TN_InitDeviceServices for a platform that is not published yet. False with
// what it said, or with FAILED_PRECONDITION for a struct that is filled wrongly.
// [one thread at a time]
bool tn_platform_add_services(tn_platform* platform, tn_init_device_services* init,
                              tn_status* status);

// False, with the reason, when the device of `stream` answers for no vendor's streams.
bool tn_stream_is_native(const tn_stream* stream, tn_status* status);

// [any thread]
void* tn_stream_native(tn_stream* stream, tn_status* status);
const void* tn_stream_device_properties(tn_stream* stream, tn_status* status);
void* tn_stream_scratchpad(tn_stream* stream, tn_status* status);
void* tn_stream_semaphore(tn_stream* stream, tn_status* status);
bool tn_stream_launch(tn_stream* stream, const tn_kernel_launch* launch, tn_status* status);
// On the vendor's own stream of the same device, with the vendor's code in `out_code`; false when
// there was no call.
bool tn_stream_launch_native(tn_stream* stream, void* native_stream, const tn_kernel_launch* launch,
                             int* out_code, tn_status* status);

#endif  // TENON_DEVICE_SERVICES_ROOM_H_
