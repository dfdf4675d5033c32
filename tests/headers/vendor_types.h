// kernel_services.h after a vendor's header has the vendor's types: compiled with VENDOR_CUDA
// against CUDA's own header, and without against what ROCm's declares (rocm/).
#ifdef VENDOR_CUDA
#include <cuda_runtime_api.h>
typedef cudaStream_t vendor_stream;
typedef struct cudaDeviceProp vendor_properties;
#else
#include <hip/hip_runtime_api.h>
typedef hipStream_t vendor_stream;
typedef hipDeviceProp_t vendor_properties;
#endif

#include "tenon/device_services.h"
#include "tenon/kernel_services.h"

// No casts: the types are the same.
vendor_stream vendor_stream_of(TF_EigenStream* stream);
const char* vendor_name_of(TF_EigenStream* stream);
int vendor_launch(const void* function, void** args, vendor_stream stream);

vendor_stream vendor_stream_of(TF_EigenStream* stream) {
  vendor_stream* found = TF_EigenStream_GetCudaStream(stream);
  return *found;
}
const char* vendor_name_of(TF_EigenStream* stream) {
  vendor_properties* found = TF_EigenStream_GetDeviceProperties(stream);
  return found->name;
}
int vendor_launch(const void* function, void** args, vendor_stream stream) {
  TF_Dim3 one = {1, 1, 1};
  return TF_CudaLaunchKernel(function, one, one, args, 0, stream);
}
