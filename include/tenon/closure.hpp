// Closure: a function to call once, as bytes that may be copied and called elsewhere. What is small
// and may be moved as bytes lies in it, other things on the heap.
#ifndef TENON_CLOSURE_HPP_
#define TENON_CLOSURE_HPP_

#include <cstring>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "tenon/kernel_services.h"
#include "tenon/status.hpp"
#include "tensorflow/c/kernels.h"

namespace tenon {
namespace internal {

// Whether an object is as good after its bytes were copied and the original forgotten. libstdc++
// keeps nothing in a std::function itself that is not, and swaps two by their bytes.
template <typename Work>
struct MovesAsBytes : std::is_trivially_copyable<Work> {};
#ifdef __GLIBCXX__
template <typename Result, typename... Arguments>
struct MovesAsBytes<std::function<Result(Arguments...)>> : std::true_type {};
#endif

class Closure {
 public:
  // Makes the call, and ends what the bytes own. An exception fails the context, or is written to
  // standard error where there is none.
  using Call = void (*)(TF_OpKernelContext* context, void* bytes);

  template <typename Work,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<Work>, Closure>>>
  explicit Closure(Work&& work) {
    using Kept = std::decay_t<Work>;
    if constexpr (sizeof(Kept) <= sizeof bytes_ && alignof(Kept) <= alignof(void*) &&
                  MovesAsBytes<Kept>::value) {
      new (bytes_) Kept(std::forward<Work>(work));
      size_ = sizeof(Kept);
      call_ = [](TF_OpKernelContext* context, void* bytes) {
        Kept* kept = std::launder(static_cast<Kept*>(bytes));
        CallGuarded(context, *kept);
        kept->~Kept();
      };
    } else {
      Kept* kept = new Kept(std::forward<Work>(work));
      memcpy(bytes_, &kept, sizeof kept);
      size_ = sizeof kept;
      call_ = [](TF_OpKernelContext* context, void* bytes) {
        Kept* kept;
        memcpy(&kept, bytes, sizeof kept);
        CallGuarded(context, *kept);
        delete kept;
      };
    }
  }

  Call call() const { return call_; }
  void* bytes() { return bytes_; }
  size_t size() const { return size_; }

 private:
  template <typename Work>
  static void CallGuarded(TF_OpKernelContext* context, Work& work) {
    const Status status = Guarded(work);
    if (__builtin_expect(status.ok(), 1)) return;
    if (context) {
      ReportTo(&TF_OpKernelContext_Failure, context, status);
    } else {
      fprintf(stderr, "a scheduled function failed: %s\n", status.ToString().c_str());
    }
  }

  Call call_;
  size_t size_;
  alignas(void*) unsigned char bytes_[TF_CLOSURE_BYTES];
};
static_assert(std::is_trivially_copyable_v<Closure>);

}  // namespace internal
}  // namespace tenon
#endif  // TENON_CLOSURE_HPP_
