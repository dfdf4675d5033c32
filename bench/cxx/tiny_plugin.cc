// bench/execute/tiny_plugin.c in C++: y = x * scale, one input, one output, one attr. And a kernel
// that schedules closures.
#include <atomic>

#include "tenon/op_kernel.hpp"

namespace {

class TinyOp : public tenon::OpKernel {
 public:
  explicit TinyOp(tenon::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
  }
  void Compute(tenon::OpKernelContext* context) override {
    const tenon::Tensor& x = context->input(0);
    tenon::Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, tenon::TensorShape({}), &y));
    *y->base<float>() = *x.base<float>() * scale_;
  }

 private:
  float scale_;
};

// Schedules `count` closures of two words, each counted when it ran; its run ends after them.
class ScheduleOp : public tenon::OpKernel {
 public:
  explicit ScheduleOp(tenon::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("count", &count_));
  }
  void Compute(tenon::OpKernelContext* context) override {
    static std::atomic<int64_t> done;
    auto* pool = context->device()->tensorflow_cpu_worker_threads()->workers;
    for (int64_t i = 0; i < count_; ++i)
      pool->Schedule([counter = &done, i] { counter->fetch_add(i, std::memory_order_relaxed); });
  }

 private:
  int64_t count_;
};

}  // namespace

REGISTER_OP("TenonTinyCxx")
    .Input("x: float")
    .Output("y: float")
    .Attr("scale: float = 1")
    .SetShapeFn(tenon::shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("TenonTinyCxx").Device(tenon::DEVICE_CPU), TinyOp);
REGISTER_OP("TenonScheduleCxx").Attr("count: int");
REGISTER_KERNEL_BUILDER(Name("TenonScheduleCxx").Device(tenon::DEVICE_CPU), ScheduleOp);
