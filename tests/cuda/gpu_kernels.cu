// All kernels of the vendor's language in one translation unit: Eigen's headers are read once.
#define EIGEN_USE_GPU
#include "bad_days.cu.cc"
#include "launch_cost.cu.cc"
#include "ported/eigen_ops.cu.cc"
#include "ported/relu_op_gpu.cu.cc"
#include "ported/unsorted_segment_sum_op.cu.cc"
