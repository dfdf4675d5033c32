// Kernels in C++, over nothing but the C functions of a host: a plugin written with this header
// loads into every host of the C API, whatever compiler, standard library or options built it.
//
//   class Twice : public tenon::OpKernel {
//    public:
//     using OpKernel::OpKernel;
//     void Compute(tenon::OpKernelContext* context) override {
//       const tenon::Tensor& x = context->input(0);
//       tenon::Tensor* y = nullptr;
//       OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
//       for (int64_t i = 0; i < x.NumElements(); ++i) y->base<float>()[i] = 2 * x.base<float>()[i];
//     }
//   };
//   REGISTER_OP("Twice").Input("x: float").Output("y: float");
//   REGISTER_KERNEL_BUILDER(Name("Twice").Device(tenon::DEVICE_CPU), Twice);
//
// The plugin's TF_InitKernel is made here. C++17; neither exceptions nor RTTI are needed. Where
// there are exceptions, one that leaves a kernel becomes the status of its run: RESOURCE_EXHAUSTED
// for std::bad_alloc, else INTERNAL. docs/porting.md tells how kernels written for TensorFlow move.
#ifndef TENON_OP_KERNEL_HPP_
#define TENON_OP_KERNEL_HPP_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "tenon/op_kernel_construction.hpp"
#include "tenon/op_kernel_context.hpp"

namespace tenon {

// One per node of a program. Compute may run on several threads at once.
class OpKernel {
 public:
  explicit OpKernel(OpKernelConstruction* context)
      : name_(context->name()), type_string_(context->type_string()) {}
  virtual ~OpKernel() = default;
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;

  virtual void Compute(OpKernelContext* context) = 0;
  // The node's name, and the op's.
  const std::string& name() const { return name_; }
  const std::string& type_string() const { return type_string_; }
  StringPiece name_view() const { return name_; }

 private:
  const std::string name_, type_string_;
};

// A kernel whose work may go on after ComputeAsync has returned. It calls `done` once, from any
// thread, and touches nothing of the context after that. A `done` that is dropped uncalled fails
// the run. In a host other than Tenon the calling thread waits for `done`.
class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  using DoneCallback = std::function<void()>;

  virtual void ComputeAsync(OpKernelContext* context, DoneCallback done) = 0;
  void Compute(OpKernelContext* context) final {
    context->SetStatus(errors::Internal(type_string(), " computes asynchronously only"));
  }
};

namespace internal {

// Where the host's callback has to run before ComputeAsync returns: what the calling thread waits
// for. TensorFlow's callback is a parameter of its own function, gone with that (seen up to 2.21).
class AsyncEnd {
 public:
  static bool IsWaitedFor() { return !TF_ThreadPool_Schedule; }
  void Tell() {
    std::lock_guard<std::mutex> hold(mutex_);
    has_come_ = true;
    told_.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> hold(mutex_);
    told_.wait(hold, [this] { return has_come_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  bool has_come_ = false;
};

// Between ComputeAsync and its `done`.
class AsyncRun {
 public:
  // With `end` that is told, and whoever waits for it runs the host's callback.
  AsyncRun(TF_OpKernelContext* context, OpKernel* kernel, TF_AsyncOpKernelDoneCallback* done,
           std::shared_ptr<AsyncEnd> end)
      : context_(std::make_unique<OpKernelContext>(context, kernel)),
        done_(done),
        end_(std::move(end)) {}
  ~AsyncRun() {
    if (context_)
      End(errors::Internal(context_->op_kernel().type_string(),
                           " dropped its callback without calling it"));
  }
  OpKernelContext* context() { return context_.get(); }
  // The first call counts.
  void End(const Status& failure) {
    std::unique_ptr<OpKernelContext> context;
    {
      std::lock_guard<std::mutex> hold(mutex_);
      context = std::move(context_);
    }
    if (!context) return;
    context->SetStatus(failure);
    context.reset();
    if (end_) return end_->Tell();
    TF_RunAsyncOpKernelDoneCallback(done_);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<OpKernelContext> context_;  // none when it has ended
  TF_AsyncOpKernelDoneCallback* const done_;
  const std::shared_ptr<AsyncEnd> end_;
};

}  // namespace internal
}  // namespace tenon

// In a kernel's constructor and in Compute: fail the context and return unless it holds.
#define OP_REQUIRES(context, condition, ...)                    \
  do {                                                          \
    if (__builtin_expect(!(condition), 0)) {                    \
      (context)->CtxFailure(__FILE__, __LINE__, (__VA_ARGS__)); \
      return;                                                   \
    }                                                           \
  } while (0)

#define OP_REQUIRES_OK(context, ...)                                       \
  do {                                                                     \
    const ::tenon::Status tenon_status_(__VA_ARGS__);                      \
    if (__builtin_expect(!tenon_status_.ok(), 0)) {                        \
      (context)->CtxFailureWithWarning(__FILE__, __LINE__, tenon_status_); \
      return;                                                              \
    }                                                                      \
  } while (0)

// In ComputeAsync: the same, and `callback` is called.
#define OP_REQUIRES_ASYNC(context, condition, status, callback) \
  do {                                                          \
    if (__builtin_expect(!(condition), 0)) {                    \
      (context)->CtxFailure(__FILE__, __LINE__, (status));      \
      (callback)();                                             \
      return;                                                   \
    }                                                           \
  } while (0)

#define OP_REQUIRES_OK_ASYNC(context, status, callback)                    \
  do {                                                                     \
    const ::tenon::Status tenon_status_(status);                           \
    if (__builtin_expect(!tenon_status_.ok(), 0)) {                        \
      (context)->CtxFailureWithWarning(__FILE__, __LINE__, tenon_status_); \
      (callback)();                                                        \
      return;                                                              \
    }                                                                      \
  } while (0)

#include "tenon/kernel_registration.hpp"
#include "tenon/op.hpp"

#endif  // TENON_OP_KERNEL_HPP_
