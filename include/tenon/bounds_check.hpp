// Indices that come from a tensor are read once and compared once.
#ifndef TENON_BOUNDS_CHECK_HPP_
#define TENON_BOUNDS_CHECK_HPP_

#include <type_traits>

namespace tenon {

// 0 <= index < limit, in one comparison.
template <typename Index, typename Limit>
bool FastBoundsCheck(Index index, Limit limit) {
  using Wide = std::make_unsigned_t<decltype(index + limit)>;
  return static_cast<Wide>(index) < static_cast<Wide>(limit);
}

namespace internal {

// A copy that the compiler may not read again from where another thread can change it.
template <typename T>
T SubtleMustCopy(const T& value) {
  return *static_cast<const volatile T*>(&value);
}

}  // namespace internal
}  // namespace tenon
#endif  // TENON_BOUNDS_CHECK_HPP_
