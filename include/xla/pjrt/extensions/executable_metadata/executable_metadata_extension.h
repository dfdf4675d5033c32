// Extension 13, ExecutableMetadata, version 1, since 0.75: what a platform notes about an
// executable. Its argument structs have neither struct_size nor extension_start.

#ifndef XLA_PJRT_EXTENSIONS_EXECUTABLE_METADATA_EXECUTABLE_METADATA_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_EXECUTABLE_METADATA_EXECUTABLE_METADATA_EXTENSION_H_

#include <stddef.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_EXECUTABLE_METADATA_EXTENSION_VERSION 1

// A serialized ExecutableMetadata.
typedef struct PJRT_ExecutableMetadata {
  const char* serialized_metadata;
  size_t serialized_metadata_size;
} PJRT_ExecutableMetadata;

// The caller destroys the metadata.
struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args {
  PJRT_Executable* executable;
  PJRT_ExecutableMetadata* metadata;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_GetExecutableMetadata_Args, metadata);
typedef PJRT_Error* (*PJRT_ExecutableMetadata_GetExecutableMetadata)(
    PJRT_ExecutableMetadata_GetExecutableMetadata_Args* args);

struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args {
  PJRT_ExecutableMetadata* metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args, metadata);
typedef void (*PJRT_ExecutableMetadata_DestroySerializedMetadata)(
    PJRT_ExecutableMetadata_DestroySerializedMetadata_Args* args);

typedef struct PJRT_ExecutableMetadata_Extension {
  PJRT_Extension_Base base;
  PJRT_ExecutableMetadata_GetExecutableMetadata get_executable_metadata;
  PJRT_ExecutableMetadata_DestroySerializedMetadata destroy_serialized_metadata;
} PJRT_ExecutableMetadata_Extension;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_Extension, destroy_serialized_metadata);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_EXTENSIONS_EXECUTABLE_METADATA_EXECUTABLE_METADATA_EXTENSION_H_
