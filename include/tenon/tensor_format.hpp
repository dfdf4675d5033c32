// Where the channels of an image stand: the attr data_format.
#ifndef TENON_TENSOR_FORMAT_HPP_
#define TENON_TENSOR_FORMAT_HPP_

#include "tenon/tensor.hpp"

namespace tenon {

enum TensorFormat { FORMAT_NHWC = 0, FORMAT_NCHW = 1 };

// Accepts the forms for one, two and three spatial dimensions.
inline bool FormatFromString(StringPiece text, TensorFormat* format) {
  const bool last = text == "NHWC" || text == "NDHWC" || text == "NWC";
  const bool first = text == "NCHW" || text == "NCDHW" || text == "NCW";
  if (last || first) *format = last ? FORMAT_NHWC : FORMAT_NCHW;
  return last || first;
}

inline std::string ToString(TensorFormat format) { return format == FORMAT_NHWC ? "NHWC" : "NCHW"; }

// The index of dimension 'N', 'C', 'H' or 'W' in an image tensor of rank 4; -1 for another letter.
inline int GetTensorDimIndex(TensorFormat format, char dimension) {
  switch (dimension) {
    case 'N': return 0;
    case 'C': return format == FORMAT_NHWC ? 3 : 1;
    case 'H': return format == FORMAT_NHWC ? 1 : 2;
    case 'W': return format == FORMAT_NHWC ? 2 : 3;
    default: return -1;
  }
}
inline int64_t GetTensorDim(const Tensor& tensor, TensorFormat format, char dimension) {
  return tensor.dim_size(GetTensorDimIndex(format, dimension));
}

}  // namespace tenon
#endif  // TENON_TENSOR_FORMAT_HPP_
