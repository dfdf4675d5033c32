// Kernels whose attr "deed" says what they do: most of it is wrong.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tenon/op_kernel.hpp"

namespace {

using namespace tenon;  // NOLINT: a file of kernels

REGISTER_OP("CxxBadDay")
    .Input("x: float")
    .Output("y: float")
    .Attr("deed: string")
    .Attr("sizes: list(int) = []")
    .Attr("names: list(string) = []")
    .Attr("type: type = DT_FLOAT")
    .SetShapeFn(shape_inference::UnchangedShape);

// Throws where there are exceptions to throw.
[[noreturn]] void Throw(const char* what) {
#if TN_CXX_EXCEPTIONS
  throw std::runtime_error(what);
#else
  fprintf(stderr, "%s\n", what);
  abort();
#endif
}

Status Attributes(OpKernelConstruction* context) {
  std::vector<int64_t> sizes;
  std::vector<int32_t> small_sizes;
  std::vector<string> names;
  DataType type;
  TF_RETURN_IF_ERROR(context->GetAttr("sizes", &sizes));
  TF_RETURN_IF_ERROR(context->GetAttr("sizes", &small_sizes));
  TF_RETURN_IF_ERROR(context->GetAttr("names", &names));
  TF_RETURN_IF_ERROR(context->GetAttr("type", &type));
  if (!context->HasAttr("deed") || context->HasAttr("nothing"))
    return errors::Internal("HasAttr is wrong");
  if (names.size() == 2 && (names[0] != "one" || names[1] != "a second, longer than the first"))
    return errors::Internal("names are '", names[0], "' and '", names[1], "'");
  if (sizes.size() == 2 && (sizes[0] != 5 || small_sizes[1] != -7 || type != DT_INT64))
    return errors::Internal("sizes or type are wrong");
  return OkStatus();
}

class BadDayOp : public OpKernel {
 public:
  explicit BadDayOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("deed", &deed_));
    int32_t number;
    if (deed_ == "no such attr") OP_REQUIRES_OK(context, context->GetAttr("nothing", &number));
    if (deed_ == "attr of another type") OP_REQUIRES_OK(context, context->GetAttr("deed", &number));
    if (deed_ == "a list for one") OP_REQUIRES_OK(context, context->GetAttr("names", &deed_));
    if (deed_ == "one for a list") {
      std::vector<string> list;
      OP_REQUIRES_OK(context, context->GetAttr("deed", &list));
    }
    if (deed_ == "constructor throws") Throw("thrown while it was made");
    OP_REQUIRES_OK(context, Attributes(context));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    if (deed_ == "throw") Throw("thrown in Compute");
#if TN_CXX_EXCEPTIONS
    if (deed_ == "throw a number") throw 7;
    if (deed_ == "throw bad_alloc") throw std::bad_alloc();
#endif
    if (deed_ == "throw in a loop") {
      context->device()->tensorflow_cpu_worker_threads()->workers->TransformRangeConcurrently(
          1, 100, [](int64_t begin, int64_t) {
            if (begin == 40) Throw("thrown in a piece");
          });
    }
    if (deed_ == "throw in a task") {
      context->device()->tensorflow_cpu_worker_threads()->workers->Schedule(
          [] { Throw("thrown in a task"); });
    }
    if (deed_ == "another element type") *x.base<int32_t>() = 1;
    if (deed_ == "an input too many") context->input(9);
    if (deed_ == "negative size")
      OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({2, -3}), &y));
    if (deed_ == "size that does not fit")
      OP_REQUIRES_OK(context,
                     context->allocate_output(0, TensorShape({INT64_MAX, 4, INT64_MAX}), &y));
    if (deed_ == "more memory than there is")
      OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({1LL << 55}), &y));
    if (deed_ == "a temporary too large") {
      Tensor temporary;
      OP_REQUIRES_OK(context,
                     context->allocate_temp(DT_FLOAT, TensorShape({1LL << 55}), &temporary));
    }
    if (deed_ == "an output too many")
      OP_REQUIRES_OK(context, context->allocate_output(7, TensorShape({}), &y));
    if (deed_ == "forward an input that is not there")
      OP_REQUIRES_OK(context,
                     context->forward_input_or_allocate_output({4}, 0, TensorShape({}), &y));
    if (deed_ == "set an uninitialised output") return context->set_output(0, Tensor());
    if (deed_ == "slice beyond") x.Slice(0, 1000);
    if (deed_ == "two failures") {
      context->CtxFailure(errors::NotFound("the first"));
      context->CtxFailure(errors::Aborted("the second"));
      return;
    }
    if (deed_ == "copies") return Copies(context, x);
    if (deed_ == "inputs on threads") return InputsOnThreads(context);
    if (deed_ == "closures") OP_REQUIRES_OK(context, Closures(context));
    if (deed_ == "closures are gone")
      OP_REQUIRES(context, Captured().use_count() == 1, errors::Internal("a closure was kept"));
    if (deed_ == "forward") {
      OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    } else {
      OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    }
    for (int64_t i = 0; i < y->NumElements(); ++i) y->base<float>()[i] = x.base<float>()[i] + 1;
  }

 private:
  // Copies, slices and reshaped views of one tensor, on several threads; the output is a reshaped
  // slice of one that is gone by then.
  static void Copies(OpKernelContext* context, const Tensor& x) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&x] {
        for (int round = 0; round < 200; ++round) {
          Tensor copy = x, other;
          other = copy;
          Tensor slice = other.Slice(0, x.dim_size(0) / 2), moved = std::move(copy);
          slice = moved;
        }
      });
    for (std::thread& thread : threads) thread.join();
    Tensor temporary;
    OP_REQUIRES_OK(context, context->allocate_temp(DT_FLOAT, TensorShape({4, 3}), &temporary));
    for (int i = 0; i < 12; ++i) temporary.base<float>()[i] = float(i);
    Tensor rows = temporary.Slice(1, 3), reshaped;
    temporary = Tensor();
    OP_REQUIRES(context, !reshaped.CopyFrom(rows, TensorShape({5})), errors::Internal("5 of 6"));
    OP_REQUIRES(context, reshaped.CopyFrom(rows, TensorShape({3, 2})), errors::Internal("6"));
    OP_REQUIRES(context, reshaped.SubSlice(1).base<float>()[0] == 5, errors::Internal("element"));
    rows = Tensor();
    Tensor none, reshaped_none;
    OP_REQUIRES(context, reshaped_none.CopyFrom(none, TensorShape({0, 5})), errors::Internal("0"));
    OP_REQUIRES(context, reshaped_none.shape() == TensorShape({0, 5}), errors::Internal("shape"));
    OP_REQUIRES(context, none.Slice(0, 0).NumElements() == 0, errors::Internal("slice"));
    // Elements that can be counted, and bytes that cannot.
    const TensorShape huge({(int64_t{1} << 61) + 1});
    Tensor* output = nullptr;
    OP_REQUIRES(context, !Tensor(DT_DOUBLE, huge).IsInitialized(), errors::Internal("huge"));
    OP_REQUIRES(context, !context->allocate_output(0, huge, &output).ok(),
                errors::Internal("huge"));
    const int64_t two_sizes[] = {2, 3};
    TensorShape two({2, 3});
    two.RemoveLastDims(3);
    OP_REQUIRES(context, !two.IsValid(), errors::Internal("dimensions"));
    OP_REQUIRES(context, !TensorShapeUtils::MakeShape(&two_sizes[0], -5, &two).ok(),
                errors::Internal("rank"));
    context->set_output(0, reshaped);
  }

  static const std::shared_ptr<int>& Captured() {
    static const std::shared_ptr<int> captured = std::make_shared<int>(1);
    return captured;
  }

  // Scheduled functions that fit into the host's queue, and others: each is called once.
  static Status Closures(OpKernelContext* context) {
    auto* pool = context->device()->tensorflow_cpu_worker_threads()->workers;
    static std::atomic<int> calls;
    struct Large {
      int64_t words[20];
    } large{};
    large.words[19] = 1;
    struct alignas(64) Aligned {
      int64_t word;
    } aligned{1};
    const std::shared_ptr<int>& captured = Captured();
    calls = 0;
    for (int64_t i = 1; i <= 100; ++i) {
      pool->Schedule([] { ++calls; });
      pool->Schedule([i, j = i + 1, k = i + 2, l = i + 3] { calls += i == l - 3 && j == k - 1; });
      pool->Schedule([n = 0]() mutable { calls += ++n; });
      pool->Schedule([large] { calls += int(large.words[19]); });
      pool->Schedule([aligned] { calls += reinterpret_cast<uintptr_t>(&aligned) % 64 == 0; });
      pool->Schedule([captured] { calls += *captured; });
      pool->Schedule(std::function<void()>([captured] { calls += *captured; }));
      const std::function<void()> small = [i] { calls += i > 0; };
      pool->Schedule(small);
      pool->ScheduleWithHint(small, 0, 1);
    }
    while (calls < 900) std::this_thread::yield();
    return calls == 900 ? OkStatus() : errors::Internal(calls.load(), " calls");
  }

  static void InputsOnThreads(OpKernelContext* context) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { wrong += context->input(0).base<float>()[0] != 1.5f; });
    for (std::thread& thread : threads) thread.join();
    OP_REQUIRES(context, wrong == 0, errors::Internal("another input"));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        context, context->forward_input_or_allocate_output({0}, 0, context->input(0).shape(), &y));
    y->base<float>()[0] = context->input(0).base<float>()[0] + 1;
  }

  string deed_;
};

REGISTER_KERNEL_BUILDER(Name("CxxBadDay").Device(DEVICE_CPU), BadDayOp);

REGISTER_OP("CxxBadDayAsync").Input("x: float").Output("y: float").Attr("deed: string");

class BadDayAsyncOp : public AsyncOpKernel {
 public:
  explicit BadDayAsyncOp(OpKernelConstruction* context) : AsyncOpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("deed", &deed_));
  }
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    if (deed_ == "drop done") return;
    if (deed_ == "throw") Throw("thrown in ComputeAsync");
    Tensor* y = nullptr;
    OP_REQUIRES_OK_ASYNC(context, context->allocate_output(0, TensorShape({}), &y), done);
    *y->base<float>() = 3;
    if (deed_ == "done on a thread" || deed_ == "drop done on a thread")
      return context->device()->tensorflow_cpu_worker_threads()->workers->Schedule(
          [is_called = deed_ == "done on a thread", done] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (is_called) done();
          });
    done();
    if (deed_ == "done twice") done();
    if (deed_ == "throw after done") Throw("thrown late");
  }

 private:
  string deed_;
};

REGISTER_KERNEL_BUILDER(Name("CxxBadDayAsync").Device(DEVICE_CPU), BadDayAsyncOp);

}  // namespace
