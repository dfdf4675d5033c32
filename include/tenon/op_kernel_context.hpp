// OpKernelContext: what a kernel sees while it computes.
#ifndef TENON_OP_KERNEL_CONTEXT_HPP_
#define TENON_OP_KERNEL_CONTEXT_HPP_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/tensor.hpp"
#include "tenon/thread_pool.hpp"
#include "tensorflow/c/kernels.h"

// Functions that TensorFlow got after its first release with plugins.
#pragma weak TF_GetMutableOutput
#pragma weak TF_InputRange
#pragma weak TF_IsHostMemoryInput
#pragma weak TF_IsHostMemoryOutput
#pragma weak TF_GetDeviceName

namespace Eigen {
struct ThreadPoolDevice;
struct GpuDevice;
}  // namespace Eigen

namespace tenon {

class OpKernel;
class OpKernelContext;

class AllocatorAttributes {
 public:
  void set_on_host(bool on_host) { on_host_ = on_host; }
  bool on_host() const { return on_host_; }

 private:
  bool on_host_ = false;
};

// The device of a context, as far as kernels use it.
class DeviceBase {
 public:
  struct CpuWorkerThreads {
    int num_threads = 0;
    thread::ThreadPool* workers = nullptr;
  };

  explicit DeviceBase(TF_OpKernelContext* context) : pool_(context), context_(context) {}
  const CpuWorkerThreads* tensorflow_cpu_worker_threads() {
    std::call_once(once_, [this] { threads_ = {pool_.NumThreads(), &pool_}; });
    return &threads_;
  }
  std::string name() const {
    if (!TF_GetDeviceName) return "";
    const TF_StringView name = TF_GetDeviceName(context_);
    return std::string(name.data, name.len);
  }

 private:
  thread::ThreadPool pool_;
  TF_OpKernelContext* context_;
  CpuWorkerThreads threads_;
  std::once_flag once_;
};

// The tensors of an input that is a list.
class OpInputList {
 public:
  OpInputList() = default;
  OpInputList(OpKernelContext* context, int start, int stop)
      : context_(context), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  const Tensor& operator[](int i) const;

 private:
  OpKernelContext* context_ = nullptr;
  int start_ = 0, stop_ = 0;
};

// The tensors of an output that is a list.
class OpOutputList {
 public:
  OpOutputList() = default;
  OpOutputList(OpKernelContext* context, int start, int stop)
      : context_(context), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  DataType expected_output_dtype(int i) const;
  Status allocate(int i, const TensorShape& shape, Tensor** out);
  void set(int i, const Tensor& tensor);
  // NULL for one that was not allocated.
  Tensor* operator[](int i);

 private:
  OpKernelContext* context_ = nullptr;
  int start_ = 0, stop_ = 0;
};

namespace internal {

// Places for a few tensors, each made when it is first wanted: what a kernel does not use costs
// nothing. Different places may be made on different threads.
template <int kCount>
class TensorSlots {
 public:
  TensorSlots() = default;
  ~TensorSlots() {
    uint64_t made;
    memcpy(&made, made_, sizeof made);
    for (; made; made &= made - 1) {
      const int i = __builtin_ctzll(made) / 8;
      at(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : 7 - i)->~Tensor();
    }
  }
  TensorSlots(const TensorSlots&) = delete;
  TensorSlots& operator=(const TensorSlots&) = delete;

  bool made(int i) const { return made_[i].load(std::memory_order_acquire); }
  Tensor* at(int i) { return reinterpret_cast<Tensor*>(bytes_ + size_t(i) * sizeof(Tensor)); }
  // Of one that was not made.
  Tensor* Make(int i, TF_Tensor* handle = nullptr, DataType type = DT_INVALID) {
    Tensor* made = new (at(i)) Tensor(handle, type);
    made_[i].store(true, std::memory_order_release);
    return made;
  }

 private:
  alignas(Tensor) unsigned char bytes_[kCount * sizeof(Tensor)];
  // One byte each, of which the lowest bit is set; read as one word when all is over.
  std::atomic<bool> made_[8] = {};
  static_assert(kCount <= 8 && sizeof(made_) == 8);
};

// What an Eigen device needs besides its context; known to tenon/eigen.hpp.
struct DeviceOfContext {
  virtual ~DeviceOfContext() = default;
};

}  // namespace internal

class OpKernelContext {
 public:
  OpKernelContext(TF_OpKernelContext* context, OpKernel* kernel)
      : context_(context), kernel_(kernel), owner_(&internal::SpareStatus()) {}
  ~OpKernelContext() {
    if (Rest* rest = rest_.load(std::memory_order_acquire)) delete rest;
  }
  OpKernelContext(const OpKernelContext&) = delete;
  OpKernelContext& operator=(const OpKernelContext&) = delete;

  OpKernel& op_kernel() const { return *kernel_; }
  TF_OpKernelContext* c_context() const { return context_; }
  DeviceBase* device() { return &rest().device; }
  int64_t step_id() const { return TF_StepId(context_); }

  // Inputs. One that cannot be had fails the context and reads as a vector of no floats.
  int num_inputs() const { return TF_NumInputs(context_); }
  DataType input_dtype(int i) const { return static_cast<DataType>(TF_InputDatatype(context_, i)); }
  const Tensor& input(int i) {
    if (__builtin_expect(unsigned(i) < unsigned(kInputs), 1)) {
      if (slots_.made(i)) return *slots_.at(i);
      if (__builtin_expect(owner_ == &internal::SpareStatus(), 1)) return *FetchSlot(i);
    }
    return OtherInput(i);
  }
  Status input(StringPiece name, const Tensor** tensor) {
    int start = 0, stop = 0;
    TF_RETURN_IF_ERROR(InputRange(name, &start, &stop));
    if (stop != start + 1)
      return errors::InvalidArgument("input '", name, "' is a list of ", stop - start);
    *tensor = &input(start);
    return Status();
  }
  Status input_list(StringPiece name, OpInputList* list) {
    int start = 0, stop = 0;
    TF_RETURN_IF_ERROR(InputRange(name, &start, &stop));
    *list = OpInputList(this, start, stop);
    return Status();
  }
  MemoryType input_memory_type(int i) const {
    internal::HostStatus status;
    return TF_IsHostMemoryInput && TF_IsHostMemoryInput(context_, i, status) ? HOST_MEMORY
                                                                             : DEVICE_MEMORY;
  }
  // False, with a failed context, unless all inputs have the first one's shape.
  bool ValidateInputsAreSameShape() {
    for (int i = 1; i < num_inputs(); ++i) {
      if (input(0).IsSameSize(input(i))) continue;
      SetStatus(errors::InvalidArgument(
          "Inputs to operation must have the same size and shape: ", input(0).shape().DebugString(),
          " against ", input(i).shape().DebugString()));
      return false;
    }
    return true;
  }
  template <typename Kernel>
  bool ValidateInputsAreSameShape(Kernel*) {
    return ValidateInputsAreSameShape();
  }

  // Outputs and temporaries. What the pointers get belongs to the context.
  int num_outputs() const { return TF_NumOutputs(context_); }
  DataType expected_output_dtype(int i) const {
    return static_cast<DataType>(TF_ExpectedOutputDataType(context_, i));
  }
  MemoryType output_memory_type(int i) const {
    internal::HostStatus status;
    return TF_IsHostMemoryOutput && TF_IsHostMemoryOutput(context_, i, status) ? HOST_MEMORY
                                                                               : DEVICE_MEMORY;
  }
  Status allocate_output(int i, const TensorShape& shape, Tensor** out) {
    *out = nullptr;
    int64_t count;
    if (__builtin_expect(!shape.Count(&count), 0)) return NoShape(shape);
    if (__builtin_expect(!HasOutput(i), 0)) return NoOutput(i);
    const DataType type = expected_output_dtype(i);
    size_t bytes;
    if (__builtin_expect(!internal::BytesOf(type, count, &bytes), 0)) return NoShape(shape);
    internal::HostStatus status;
    TF_Tensor* made = TF_AllocateOutput(context_, i, static_cast<TF_DataType>(type), shape.data(),
                                        shape.dims(), bytes, status);
    return Keep(made, i, type, &status, out);
  }
  Status forward_input_or_allocate_output(const std::vector<int>& candidates, int i,
                                          const TensorShape& shape, Tensor** out,
                                          int* forwarded_input = nullptr) {
    *out = nullptr;
    if (!shape.IsValid()) return NoShape(shape);
    if (!HasOutput(i)) return NoOutput(i);
    // The host forwards a buffer that has one user; a handle of ours would be a second.
    std::vector<bool> held(candidates.size());
    for (size_t at = 0; at < candidates.size(); ++at) {
      if (candidates[at] < 0 || candidates[at] >= num_inputs())
        return errors::InvalidArgument("there is no input ", candidates[at], " to forward");
      if (!(held[at] = Held(candidates[at]))) continue;
      slots_.at(candidates[at])->Reset();
    }
    int ignored;
    TF_Tensor* made;
    Status result;
    {
      internal::HostStatus status;
      made = TF_ForwardInputOrAllocateOutput(
          context_, candidates.data(), static_cast<int>(candidates.size()), i, shape.data(),
          shape.dims(), forwarded_input ? forwarded_input : &ignored, status);
      result = Keep(made, i, DT_INVALID, &status, out);
    }
    for (size_t at = 0; at < candidates.size(); ++at) {
      if (!held[at]) continue;
      Tensor* slot = slots_.at(candidates[at]);
      Fetch(candidates[at], slot);
      if (__builtin_expect(slot->handle_ != nullptr, 1) || !result.ok()) continue;
      result = errors::ResourceExhausted("input ", candidates[at], " cannot be had a second time");
      *out = nullptr;
    }
    return result;
  }
  Status allocate_temp(DataType type, const TensorShape& shape, Tensor* out,
                       AllocatorAttributes attributes = AllocatorAttributes()) {
    if (!shape.IsValid()) return NoShape(shape);
    TF_AllocatorAttributes words = {};
    words.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
    words.on_host = attributes.on_host();
    internal::HostStatus status;
    Tensor made(TF_AllocateTemp(context_, static_cast<TF_DataType>(type), shape.data(),
                                shape.dims(), &words, status));
    if (!status.ok()) return status.status();
    if (!made.IsInitialized()) return errors::ResourceExhausted("no memory for a temporary");
    *out = std::move(made);
    return Status();
  }
  // The output shares the tensor's buffer. A slice is copied, which is for memory of the host's
  // only.
  void set_output(int i, const Tensor& tensor) {
    if (__builtin_expect(tensor.IsPart() && !IsHostMemory(i, tensor), 0))
      return SetStatus(errors::Unimplemented("output ", i, " cannot be a slice of memory of ",
                                             device()->name(),
                                             ": copy it into what allocate_output gives"));
    Tensor copy = tensor;
    TF_Tensor* handle = copy.handle();
    if (!handle) return SetStatus(errors::ResourceExhausted("no tensor to set output ", i, " to"));
    Status failure;
    {
      internal::HostStatus status;
      TF_SetOutput(context_, i, handle, status);
      if (!status.ok()) failure = status.status();
    }
    SetStatus(failure);
  }
  // NULL for an output that was not allocated.
  Tensor* mutable_output(int i) {
    if (!HasOutput(i)) return nullptr;
    Tensor* slot = Slot(i);
    if (slot->IsInitialized() || !TF_GetMutableOutput) return slot->handle_ ? slot : nullptr;
    internal::HostStatus status;
    *slot = Tensor(TF_GetMutableOutput(context_, i, status));
    return slot->handle_ ? slot : nullptr;
  }

  // Outcome. The first failure is kept; any thread may report one.
  Status status() const {
    if (!rest_.load(std::memory_order_acquire)) return Status();
    std::lock_guard<std::mutex> hold(rest().mutex);
    return rest().status;
  }
  void SetStatus(const Status& failure) {
    if (failure.ok()) return;
    // The host is told in any case.
    (void)internal::Guarded([&] {
      std::lock_guard<std::mutex> hold(rest().mutex);
      rest().status.Update(failure);
    });
    internal::ReportTo(&TF_OpKernelContext_Failure, context_, failure);
  }
  void CtxFailure(const Status& failure) { SetStatus(failure); }
  void CtxFailure(const char*, int, const Status& failure) { SetStatus(failure); }
  void CtxFailureWithWarning(const Status& failure) { SetStatus(failure); }
  void CtxFailureWithWarning(const char*, int, const Status& failure) { SetStatus(failure); }

  // Needs tenon/eigen.hpp.
  template <typename Device>
  const Device& eigen_device();
  const Eigen::ThreadPoolDevice& eigen_cpu_device();
  const Eigen::GpuDevice& eigen_gpu_device();

 private:
  static constexpr int kInputs = 4, kOutputs = 2;

  // The slot counts as made when the handle is in it: other threads may look.
  Tensor* FetchSlot(int i) {
    TF_Tensor* handle = FetchHandle(i);
    return slots_.Make(i, handle);
  }
  void Fetch(int i, Tensor* slot) { slot->handle_ = FetchHandle(i); }
  TF_Tensor* FetchHandle(int i) {
    TF_Tensor* handle = nullptr;
    Status failure;
    {
      internal::HostStatus status;
      TF_GetInput(context_, i, &handle, status);
      if (__builtin_expect(handle != nullptr, 1)) {
        status.TakeAsOk();
        return handle;
      }
      failure = status.ok() ? errors::Internal("the host gave no input ", i) : status.status();
    }
    SetStatus(failure);
    return nullptr;
  }
  // Inputs beyond the first few, and those that a thread asks for which is not the kernel's own.
  __attribute__((noinline)) const Tensor& OtherInput(int i) {
    auto& others = rest().other_inputs;
    std::lock_guard<std::mutex> hold(rest().inputs_mutex);
    for (const auto& other : others)
      if (other->index == i) return other->tensor;
    others.push_back(std::make_unique<OtherTensor>());
    OtherTensor* other = others.back().get();
    other->index = i;
    Fetch(i, &other->tensor);
    return other->tensor;
  }
  // Whether the slot of an input, and nothing else here, holds a handle.
  bool Held(int i) {
    return unsigned(i) < unsigned(kInputs) && slots_.made(i) && slots_.at(i)->handle_ &&
           !slots_.at(i)->shared_.load(std::memory_order_acquire);
  }
  Status InputRange(StringPiece name, int* start, int* stop) {
    if (!TF_InputRange) return internal::NotInThisHost("TF_InputRange");
    internal::HostStatus status;
    TF_InputRange_Args args = {};
    args.struct_size = TF_InputRange_Args_STRUCT_SIZE;
    args.status = status;
    TF_InputRange(context_, std::string(name).c_str(), &args);
    *start = args.start;
    *stop = args.stop;
    return status.ok() ? Status() : status.status();
  }
  bool IsHostMemory(int i, const Tensor& tensor) {
    const std::string name = device()->name();
    return name.empty() || name.find("CPU:") != std::string::npos || tensor.dtype() == DT_STRING ||
           output_memory_type(i) == HOST_MEMORY;
  }
  static Status NoShape(const TensorShape& shape) {
    return errors::InvalidArgument("a tensor cannot have the shape ", shape.DebugString());
  }
  Status NoOutput(int i) const {
    return errors::Internal("there is no output ", i, ": the kernel has ", num_outputs());
  }
  // TensorFlow ends the process over one that there is not.
  bool HasOutput(int i) const { return i >= 0 && i < num_outputs(); }
  // Where output `i` is kept, which there is.
  Tensor* Slot(int i) {
    if (__builtin_expect(i >= kOutputs, 0)) return OtherSlot(i);
    return slots_.made(kInputs + i) ? slots_.at(kInputs + i) : slots_.Make(kInputs + i);
  }
  __attribute__((noinline)) Tensor* OtherSlot(int i) {
    std::lock_guard<std::mutex> hold(rest().mutex);
    auto& more = rest().more_outputs;
    if (!more) more = std::make_unique<Tensor[]>(size_t(num_outputs()));
    return &more[size_t(i)];
  }
  // What the host made for output `i`. `type` may be left for the handle to say.
  Status Keep(TF_Tensor* made, int i, DataType type, internal::HostStatus* status, Tensor** out) {
    if (__builtin_expect(!made, 0))
      return status->ok() ? errors::ResourceExhausted("no memory for an output") : status->status();
    status->TakeAsOk();
    if (__builtin_expect(i < kOutputs && !slots_.made(kInputs + i), 1)) {
      *out = slots_.Make(kInputs + i, made, type);
    } else {
      *out = Slot(i);
      **out = Tensor(made, type);
    }
    return Status();
  }

  struct OtherTensor {
    int index;
    Tensor tensor;
  };

  // What few kernels need, made when one does.
  struct Rest {
    explicit Rest(TF_OpKernelContext* context) : device(context) {}
    std::mutex mutex;
    std::mutex inputs_mutex;
    Status status;
    std::unique_ptr<Tensor[]> more_outputs;
    std::vector<std::unique_ptr<OtherTensor>> other_inputs;
    DeviceBase device;
    std::unique_ptr<internal::DeviceOfContext> eigen, eigen_gpu;
  };
  __attribute__((noinline)) Rest& rest() const {
    Rest* rest = rest_.load(std::memory_order_acquire);
    if (rest) return *rest;
    Rest* made = new Rest(context_);
    if (rest_.compare_exchange_strong(rest, made, std::memory_order_acq_rel)) return *made;
    delete made;
    return *rest;
  }

  TF_OpKernelContext* const context_;
  OpKernel* const kernel_;
  const void* const owner_;                          // says which thread the kernel runs on
  internal::TensorSlots<kInputs + kOutputs> slots_;  // of the first inputs, then outputs
  mutable std::atomic<Rest*> rest_{nullptr};
};

inline const Tensor& OpInputList::operator[](int i) const { return context_->input(start_ + i); }

inline DataType OpOutputList::expected_output_dtype(int i) const {
  return context_->expected_output_dtype(start_ + i);
}
inline Status OpOutputList::allocate(int i, const TensorShape& shape, Tensor** out) {
  return context_->allocate_output(start_ + i, shape, out);
}
inline void OpOutputList::set(int i, const Tensor& tensor) {
  context_->set_output(start_ + i, tensor);
}
inline Tensor* OpOutputList::operator[](int i) { return context_->mutable_output(start_ + i); }

}  // namespace tenon
#endif  // TENON_OP_KERNEL_CONTEXT_HPP_
