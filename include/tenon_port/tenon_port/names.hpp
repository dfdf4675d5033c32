// The C++ API under the names of TensorFlow's: what stands in namespace tenon is found from
// namespace tensorflow. Only for files that opted in by having this folder on their include path.
#ifndef TENON_PORT_NAMES_HPP_
#define TENON_PORT_NAMES_HPP_

#include "tenon/bounds_check.hpp"
#include "tenon/eigen.hpp"
#include "tenon/logging.hpp"
#include "tenon/mutex.hpp"
#include "tenon/op_kernel.hpp"
#include "tenon/tensor_format.hpp"
#include "tenon/variables.hpp"
#include "tenon_port/absl.hpp"

namespace tensorflow {
using namespace ::tenon;  // NOLINT: that is what this file is for

}  // namespace tensorflow

#ifndef TF_DISALLOW_COPY_AND_ASSIGN
#define TF_DISALLOW_COPY_AND_ASSIGN(Type) \
  Type(const Type&) = delete;             \
  void operator=(const Type&) = delete
#endif
#define TF_PREDICT_TRUE(x) __builtin_expect(!!(x), 1)
#define TF_PREDICT_FALSE(x) __builtin_expect(!!(x), 0)

#endif  // TENON_PORT_NAMES_HPP_
