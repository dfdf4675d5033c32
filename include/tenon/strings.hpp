// Text out of pieces, as kernels put their messages together.
#ifndef TENON_STRINGS_HPP_
#define TENON_STRINGS_HPP_

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tenon {

using StringPiece = std::string_view;

namespace strings {
namespace internal {

// A shape, a tensor, a status...
template <typename T, typename = void>
struct TellsItself : std::false_type {};
template <typename T>
struct TellsItself<T, std::void_t<decltype(std::declval<const T&>().DebugString())>>
    : std::true_type {};

template <typename T>
void AppendTo(std::string* out, const T& piece) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    out->append(text, static_cast<size_t>(snprintf(text, sizeof text, "%g", double(piece))));
  } else if constexpr (std::is_enum_v<T>) {
    out->append(std::to_string(static_cast<long long>(piece)));
  } else if constexpr (std::is_arithmetic_v<T>) {
    out->append(std::to_string(piece));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out->append(std::string_view(piece));
  } else if constexpr (TellsItself<T>::value) {
    out->append(piece.DebugString());
  } else {
    std::ostringstream text;
    text << piece;
    out->append(text.str());
  }
}

}  // namespace internal

// Numbers are written as printf's %d and %g do; shapes by their DebugString; what else there is as
// a stream writes it.
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
