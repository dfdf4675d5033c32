// Relu: a functor for every device, whose GPU form another compiler builds.
#ifndef TESTS_CUDA_PORTED_RELU_OP_H_
#define TESTS_CUDA_PORTED_RELU_OP_H_

#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {
namespace functor {

template <typename Device, typename T>
struct Relu {
  void operator()(const Device& d, typename TTypes<T>::ConstTensor features,
                  typename TTypes<T>::Tensor activations);
};

}  // namespace functor
}  // namespace tensorflow

#endif  // TESTS_CUDA_PORTED_RELU_OP_H_
