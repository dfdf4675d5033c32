// The few names of Abseil's that kernels of TensorFlow use, as our own types. Where Abseil itself
// was included before, it has them.
#ifndef TENON_PORT_ABSL_HPP_
#define TENON_PORT_ABSL_HPP_

#include <string_view>

#include "tenon/status.hpp"
#include "tenon/strings.hpp"

#ifndef ABSL_BASE_CONFIG_H_
namespace absl {

using std::string_view;
using ::tenon::OkStatus;
using ::tenon::Status;
using ::tenon::strings::StrAppend;
using ::tenon::strings::StrCat;

#define TN_PORT_ERROR(name)                                                                      \
  inline Status name##Error(std::string_view message) { return ::tenon::errors::name(message); } \
  using ::tenon::errors::Is##name;
TN_PORT_ERROR(Cancelled)
TN_PORT_ERROR(Unknown)
TN_PORT_ERROR(InvalidArgument)
TN_PORT_ERROR(DeadlineExceeded)
TN_PORT_ERROR(NotFound)
TN_PORT_ERROR(AlreadyExists)
TN_PORT_ERROR(PermissionDenied)
TN_PORT_ERROR(ResourceExhausted)
TN_PORT_ERROR(FailedPrecondition)
TN_PORT_ERROR(Aborted)
TN_PORT_ERROR(OutOfRange)
TN_PORT_ERROR(Unimplemented)
TN_PORT_ERROR(Internal)
TN_PORT_ERROR(Unavailable)
TN_PORT_ERROR(DataLoss)
TN_PORT_ERROR(Unauthenticated)
#undef TN_PORT_ERROR

}  // namespace absl
#endif  // ABSL_BASE_CONFIG_H_
#endif  // TENON_PORT_ABSL_HPP_
