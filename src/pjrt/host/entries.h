// All entries of PJRT_Api, in its order, and the structs that a host fills for them: what tables of
// names, of sizes and of stubs are made from. The numbers that each came with are in data/abi/pjrt.
#ifndef TENON_PJRT_HOST_ENTRIES_H_
#define TENON_PJRT_HOST_ENTRIES_H_

#include "xla/pjrt/c/pjrt_c_api.h"

// The three that errors are read with: a plugin without them is refused. Two of them return
// nothing.
// clang-format off
#define TN_PJRT_ERROR_ENTRIES(X) \
  X(PJRT_Error_Destroy) \
  X(PJRT_Error_Message) \
  X(PJRT_Error_GetCode)

// Each takes a pointer to NAME_Args and returns an error.
#define TN_PJRT_OTHER_ENTRIES(X) \
  X(PJRT_Plugin_Initialize) \
  X(PJRT_Plugin_Attributes) \
  X(PJRT_Event_Destroy) \
  X(PJRT_Event_IsReady) \
  X(PJRT_Event_Error) \
  X(PJRT_Event_Await) \
  X(PJRT_Event_OnReady) \
  X(PJRT_Client_Create) \
  X(PJRT_Client_Destroy) \
  X(PJRT_Client_PlatformName) \
  X(PJRT_Client_ProcessIndex) \
  X(PJRT_Client_PlatformVersion) \
  X(PJRT_Client_Devices) \
  X(PJRT_Client_AddressableDevices) \
  X(PJRT_Client_LookupDevice) \
  X(PJRT_Client_LookupAddressableDevice) \
  X(PJRT_Client_AddressableMemories) \
  X(PJRT_Client_Compile) \
  X(PJRT_Client_DefaultDeviceAssignment) \
  X(PJRT_Client_BufferFromHostBuffer) \
  X(PJRT_DeviceDescription_Id) \
  X(PJRT_DeviceDescription_ProcessIndex) \
  X(PJRT_DeviceDescription_Attributes) \
  X(PJRT_DeviceDescription_Kind) \
  X(PJRT_DeviceDescription_DebugString) \
  X(PJRT_DeviceDescription_ToString) \
  X(PJRT_Device_GetDescription) \
  X(PJRT_Device_IsAddressable) \
  X(PJRT_Device_LocalHardwareId) \
  X(PJRT_Device_AddressableMemories) \
  X(PJRT_Device_DefaultMemory) \
  X(PJRT_Device_MemoryStats) \
  X(PJRT_Memory_Id) \
  X(PJRT_Memory_Kind) \
  X(PJRT_Memory_DebugString) \
  X(PJRT_Memory_ToString) \
  X(PJRT_Memory_AddressableByDevices) \
  X(PJRT_Executable_Destroy) \
  X(PJRT_Executable_Name) \
  X(PJRT_Executable_NumReplicas) \
  X(PJRT_Executable_NumPartitions) \
  X(PJRT_Executable_NumOutputs) \
  X(PJRT_Executable_SizeOfGeneratedCodeInBytes) \
  X(PJRT_Executable_GetCostAnalysis) \
  X(PJRT_Executable_OutputMemoryKinds) \
  X(PJRT_Executable_OptimizedProgram) \
  X(PJRT_Executable_Serialize) \
  X(PJRT_LoadedExecutable_Destroy) \
  X(PJRT_LoadedExecutable_GetExecutable) \
  X(PJRT_LoadedExecutable_AddressableDevices) \
  X(PJRT_LoadedExecutable_Delete) \
  X(PJRT_LoadedExecutable_IsDeleted) \
  X(PJRT_LoadedExecutable_Execute) \
  X(PJRT_Executable_DeserializeAndLoad) \
  X(PJRT_LoadedExecutable_Fingerprint) \
  X(PJRT_Buffer_Destroy) \
  X(PJRT_Buffer_ElementType) \
  X(PJRT_Buffer_Dimensions) \
  X(PJRT_Buffer_UnpaddedDimensions) \
  X(PJRT_Buffer_DynamicDimensionIndices) \
  X(PJRT_Buffer_GetMemoryLayout) \
  X(PJRT_Buffer_OnDeviceSizeInBytes) \
  X(PJRT_Buffer_Device) \
  X(PJRT_Buffer_Memory) \
  X(PJRT_Buffer_Delete) \
  X(PJRT_Buffer_IsDeleted) \
  X(PJRT_Buffer_CopyToDevice) \
  X(PJRT_Buffer_ToHostBuffer) \
  X(PJRT_Buffer_IsOnCpu) \
  X(PJRT_Buffer_ReadyEvent) \
  X(PJRT_Buffer_UnsafePointer) \
  X(PJRT_Buffer_IncreaseExternalReferenceCount) \
  X(PJRT_Buffer_DecreaseExternalReferenceCount) \
  X(PJRT_Buffer_OpaqueDeviceMemoryDataPointer) \
  X(PJRT_CopyToDeviceStream_Destroy) \
  X(PJRT_CopyToDeviceStream_AddChunk) \
  X(PJRT_CopyToDeviceStream_TotalBytes) \
  X(PJRT_CopyToDeviceStream_GranuleSize) \
  X(PJRT_CopyToDeviceStream_CurrentBytes) \
  X(PJRT_TopologyDescription_Create) \
  X(PJRT_TopologyDescription_Destroy) \
  X(PJRT_TopologyDescription_PlatformName) \
  X(PJRT_TopologyDescription_PlatformVersion) \
  X(PJRT_TopologyDescription_GetDeviceDescriptions) \
  X(PJRT_TopologyDescription_Serialize) \
  X(PJRT_TopologyDescription_Attributes) \
  X(PJRT_Compile) \
  X(PJRT_Executable_OutputElementTypes) \
  X(PJRT_Executable_OutputDimensions) \
  X(PJRT_Buffer_CopyToMemory) \
  X(PJRT_Client_CreateViewOfDeviceBuffer) \
  X(PJRT_Executable_Fingerprint) \
  X(PJRT_Client_TopologyDescription) \
  X(PJRT_Executable_GetCompiledMemoryStats) \
  X(PJRT_Memory_Kind_Id) \
  X(PJRT_ExecuteContext_Create) \
  X(PJRT_ExecuteContext_Destroy) \
  X(PJRT_Buffer_CopyRawToHost) \
  X(PJRT_AsyncHostToDeviceTransferManager_Destroy) \
  X(PJRT_AsyncHostToDeviceTransferManager_TransferData) \
  X(PJRT_Client_CreateBuffersForAsyncHostToDevice) \
  X(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer) \
  X(PJRT_AsyncHostToDeviceTransferManager_Device) \
  X(PJRT_AsyncHostToDeviceTransferManager_BufferCount) \
  X(PJRT_AsyncHostToDeviceTransferManager_BufferSize) \
  X(PJRT_AsyncHostToDeviceTransferManager_SetBufferError) \
  X(PJRT_AsyncHostToDeviceTransferManager_AddMetadata) \
  X(PJRT_Client_DmaMap) \
  X(PJRT_Client_DmaUnmap) \
  X(PJRT_Client_CreateUninitializedBuffer) \
  X(PJRT_Client_UpdateGlobalProcessInfo) \
  X(PJRT_TopologyDescription_Deserialize) \
  X(PJRT_Client_CreateAliasBuffer) \
  X(PJRT_Client_FulfillAliasBuffer) \
  X(PJRT_LoadedExecutable_GetDeviceAssignment) \
  X(PJRT_Client_CreateErrorBuffer) \
  X(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral) \
  X(PJRT_Buffer_CopyRawToHostFuture) \
  X(PJRT_Device_PoisonExecution) \
  X(PJRT_Device_CreateAsyncTrackingEvent) \
  X(PJRT_AsyncTrackingEvent_Destroy) \
  X(PJRT_Executable_GetCompileOptions) \
  X(PJRT_Buffer_DonateWithControlDependency) \
  X(PJRT_Event_Create) \
  X(PJRT_Event_Set) \
  X(PJRT_Device_GetAttributes) \
  X(PJRT_Client_Load) \
  X(PJRT_LoadedExecutable_AddressableDeviceLogicalIds) \
  X(PJRT_Buffer_Bitcast) \
  X(PJRT_Error_ForEachPayload) \
  X(PJRT_TopologyDescription_Fingerprint) \
  X(PJRT_Executable_ParameterMemoryKinds) \
  X(PJRT_Device_ClearMemoryStats) \
  X(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace) \
  X(PJRT_TopologyDescription_GetMemorySpaceKindIds)
// clang-format on

#define TN_PJRT_ENTRIES(X) TN_PJRT_ERROR_ENTRIES(X) TN_PJRT_OTHER_ENTRIES(X)

// Structs with a size of their own that argument structs point to.
#define TN_PJRT_INNER_STRUCTS(X)      \
  X(PJRT_NamedValue)                  \
  X(PJRT_ProcessInfo)                 \
  X(PJRT_Buffer_MemoryLayout_Tiled)   \
  X(PJRT_Buffer_MemoryLayout_Strides) \
  X(PJRT_Buffer_MemoryLayout)         \
  X(PJRT_ShapeSpec)                   \
  X(PJRT_Program)                     \
  X(PJRT_LoadOptions)                 \
  X(PJRT_ExecuteOptions)

// TN_PJRT_AT_<entry> and TN_PJRT_AT_<struct>: places in the tables of entries and of sizes.
#define TN_PJRT_AT(name) TN_PJRT_AT_##name,
enum { TN_PJRT_ENTRIES(TN_PJRT_AT) TN_PJRT_ENTRY_COUNT };
#undef TN_PJRT_AT
#define TN_PJRT_AT(name) TN_PJRT_AT_##name##_Args,
enum {
  TN_PJRT_ENTRIES(TN_PJRT_AT)
#undef TN_PJRT_AT
#define TN_PJRT_AT(name) TN_PJRT_AT_##name,
      TN_PJRT_INNER_STRUCTS(TN_PJRT_AT) TN_PJRT_STRUCT_COUNT
#undef TN_PJRT_AT
};

// Where the first entry stands in PJRT_Api; the others follow without gaps.
enum { TN_PJRT_FIRST_ENTRY = offsetof(PJRT_Api, PJRT_Error_Destroy) };

#endif  // TENON_PJRT_HOST_ENTRIES_H_
