// DLPack's structs, which are the same everywhere: a tensor in the memory of some device, and how
// to let go of it. The names are ours, so that this header and DLPack's own may stand side by side;
// a DLManagedTensor* and a tn_dlpack* point to the same bytes.
#ifndef TENON_DLPACK_H_
#define TENON_DLPACK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// DLDeviceType.
typedef enum tn_dlpack_device {
  TN_DLPACK_CPU = 1,
  TN_DLPACK_CUDA = 2,
  TN_DLPACK_CUDA_HOST = 3,
  TN_DLPACK_ROCM = 10,
  TN_DLPACK_ROCM_HOST = 11,
  TN_DLPACK_OTHER = 12,  // kDLExtDev
} tn_dlpack_device;

// DLDataTypeCode.
typedef enum tn_dlpack_code {
  TN_DLPACK_INT = 0,
  TN_DLPACK_UINT = 1,
  TN_DLPACK_FLOAT = 2,
  TN_DLPACK_BFLOAT = 4,
  TN_DLPACK_COMPLEX = 5,
  TN_DLPACK_BOOL = 6,
  TN_DLPACK_FLOAT8_E3M4 = 7,
  TN_DLPACK_FLOAT8_E4M3 = 8,
  TN_DLPACK_FLOAT8_E4M3B11FNUZ = 9,
  TN_DLPACK_FLOAT8_E4M3FN = 10,
  TN_DLPACK_FLOAT8_E4M3FNUZ = 11,
  TN_DLPACK_FLOAT8_E5M2 = 12,
  TN_DLPACK_FLOAT8_E5M2FNUZ = 13,
  TN_DLPACK_FLOAT8_E8M0FNU = 14,
} tn_dlpack_code;

// DLManagedTensor: whoever holds it calls `deleter` once, when done with the memory.
typedef struct tn_dlpack {
  void* data;
  int32_t device_type;  // tn_dlpack_device
  int32_t device_id;
  int32_t rank;
  uint8_t code;  // tn_dlpack_code
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;  // in elements; NULL: dense, last dimension fastest
  uint64_t byte_offset;
  void* manager;                            // of whoever made it
  void (*deleter)(struct tn_dlpack* self);  // may be NULL
} tn_dlpack;

#ifdef __cplusplus
}
#endif
#endif  // TENON_DLPACK_H_
