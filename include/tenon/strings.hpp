// Text out of pieces, as kernels put their messages together.
#ifndef TENON_STRINGS_HPP_
#define TENON_STRINGS_HPP_

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon {

using StringPiece = std::string_view;

namespace strings {
namespace internal {

template <typename T>
void AppendTo(std::string* out, const T& piece) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    out->append(text, static_cast<size_t>(snprintf(text, sizeof text, "%g", double(piece))));
  } else if constexpr (std::is_enum_v<T>) {
    out->append(std::to_string(static_cast<long long>(piece)));
  } else if constexpr (std::is_arithmetic_v<T>) {
    out->append(std::to_string(piece));
  } else {
    out->append(std::string_view(piece));
  }
}

}  // namespace internal

// Numbers are written as printf's %d and %g do.
template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  std::string out;
  (internal::AppendTo(&out, pieces), ...);
  return out;
}

template <typename... Pieces>
void StrAppend(std::string* out, const Pieces&... pieces) {
  (internal::AppendTo(out, pieces), ...);
}

}  // namespace strings
}  // namespace tenon
#endif  // TENON_STRINGS_HPP_
