// REGISTER_KERNEL_BUILDER(Name("X").Device(DEVICE_CPU).TypeConstraint<float>("T"), XOp<float>);
#ifndef TENON_KERNEL_REGISTRATION_HPP_
#define TENON_KERNEL_REGISTRATION_HPP_

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/op_kernel.hpp"
#include "tenon/registry.hpp"

namespace tenon {
namespace register_kernel {

// What a kernel is for. A constraint with several types makes a registration for each of them.
class Name {
 public:
  explicit Name(const char* op) : op_(op) {}
  Name& Device(const char* device) {
    device_ = device;
    return *this;
  }
  template <typename T>
  Name& TypeConstraint(const char* attr) {
    return TypeConstraint(attr, DataTypeToEnum<T>::value);
  }
  Name& TypeConstraint(const char* attr, DataType type) {
    return TypeConstraint(attr, std::vector<DataType>{type});
  }
  Name& TypeConstraint(const char* attr, const std::vector<DataType>& types) {
    constraints_.emplace_back(attr, types);
    return *this;
  }
  Name& HostMemory(const char* argument) {
    host_memory_.push_back(argument);
    return *this;
  }
  Name& Label(const char* label) {
    label_ = label;
    return *this;
  }
  Name& Priority(int32_t priority) {
    priority_ = priority;
    return *this;
  }

 private:
  friend class KernelRegistration;
  std::string op_, device_ = DEVICE_CPU, label_;
  std::vector<std::pair<std::string, std::vector<DataType>>> constraints_;
  std::vector<std::string> host_memory_;
  int32_t priority_ = 0;
};

class KernelRegistration : public internal::Registration {
 public:
  // `make` makes the host's builder for an op and a device.
  KernelRegistration(Name name, const char* kernel,
                     TF_KernelBuilder* (*make)(const char* op, const char* device))
      : Registration(kKernel), name_(std::move(name)), kernel_(kernel), make_(make) {}

 protected:
  void Register() override { RegisterFor({}); }

 private:
  // One registration for each choice of types, one of each constraint.
  void RegisterFor(std::vector<DataType> types) {
    const size_t at = types.size();
    if (at < name_.constraints_.size()) {
      for (DataType type : name_.constraints_[at].second) {
        types.push_back(type);
        RegisterFor(types);
        types.pop_back();
      }
      return;
    }
    internal::HostStatus status;
    TF_KernelBuilder* builder = make_(name_.op_.c_str(), name_.device_.c_str());
    if (!builder) {
      fprintf(stderr, "no memory to register %s\n", kernel_);
      return;
    }
    for (size_t i = 0; i < types.size() && status.ok(); ++i)
      TF_KernelBuilder_TypeConstraint(builder, name_.constraints_[i].first.c_str(),
                                      static_cast<TF_DataType>(types[i]), status);
    if (!status.ok()) {
      TF_DeleteKernelBuilder(builder);
      return internal::SayIfFailed(status, kernel_);
    }
    for (const std::string& argument : name_.host_memory_)
      TF_KernelBuilder_HostMemory(builder, argument.c_str());
    if (name_.priority_) TF_KernelBuilder_Priority(builder, name_.priority_);
    if (!name_.label_.empty()) TF_KernelBuilder_Label(builder, name_.label_.c_str());
    TF_RegisterKernelBuilder(kernel_, builder, status);
    internal::SayIfFailed(status, kernel_);
  }

  const Name name_;
  const char* const kernel_;
  TF_KernelBuilder* (*const make_)(const char*, const char*);
};

// The host's functions for kernels of class Kernel. Tag is the registration's own type, so that
// each has an op's name of its own.
template <typename Tag, typename Kernel>
struct Functions {
  static inline const char* op = "";
  static inline const char* device = "";

  static void* Create(TF_OpKernelConstruction* construction) {
    Kernel* kernel = nullptr;
    OpKernelConstruction context(construction, op, device);
    const Status status = internal::Guarded([&] { kernel = new Kernel(&context); });
    if (!status.ok()) context.SetStatus(status);
    return static_cast<OpKernel*>(kernel);
  }
  static void Delete(void* kernel) { delete static_cast<OpKernel*>(kernel); }

  static void Compute(void* instance, TF_OpKernelContext* run) {
    OpKernel* kernel = static_cast<OpKernel*>(instance);
    OpKernelContext context(run, kernel);
    const Status status = internal::Guarded([&] { kernel->Compute(&context); });
    if (__builtin_expect(!status.ok(), 0)) context.SetStatus(status);
  }
  static void ComputeAsync(void* instance, TF_OpKernelContext* run,
                           TF_AsyncOpKernelDoneCallback* done) {
    AsyncOpKernel* kernel = static_cast<AsyncOpKernel*>(static_cast<OpKernel*>(instance));
    std::shared_ptr<internal::AsyncEnd> end;
    std::shared_ptr<internal::AsyncRun> state;
    const Status status = internal::Guarded([&] {
      if (internal::AsyncEnd::IsWaitedFor()) end = std::make_shared<internal::AsyncEnd>();
      state = std::make_shared<internal::AsyncRun>(run, kernel, done, end);
      kernel->ComputeAsync(state->context(), [state] { state->End(Status()); });
    });
    if (!state) {
      internal::ReportTo(&TF_OpKernelContext_Failure, run, status);
      return TF_RunAsyncOpKernelDoneCallback(done);
    }
    if (!status.ok()) state->End(status);
    if (!end) return;
    state.reset();  // else a `done` that is dropped would be kept by who waits for it
    end->Wait();
    TF_RunAsyncOpKernelDoneCallback(done);
  }

  static TF_KernelBuilder* Make(const char* op_name, const char* device_name) {
    op = op_name;
    device = device_name;
    if constexpr (std::is_base_of_v<AsyncOpKernel, Kernel>) {
      return TF_NewAsyncKernelBuilder(op_name, device_name, &Create, &ComputeAsync, &Delete);
    } else {
      return TF_NewKernelBuilder(op_name, device_name, &Create, &Compute, &Delete);
    }
  }
};

}  // namespace register_kernel
}  // namespace tenon

#define REGISTER_KERNEL_BUILDER(builder, ...) \
  TN_CXX_REGISTER_KERNEL(__COUNTER__, builder, #__VA_ARGS__, __VA_ARGS__)
#define TN_CXX_REGISTER_KERNEL(number, builder, text, ...) \
  TN_CXX_REGISTER_KERNEL_(number, builder, text, __VA_ARGS__)
// `Name` is looked up in register_kernel, where no using-directive of the caller's is needed.
#define TN_CXX_REGISTER_KERNEL_(number, builder, text, ...)                               \
  namespace {                                                                             \
  struct tenon_kernel_##number {};                                                        \
  }                                                                                       \
  static ::tenon::register_kernel::KernelRegistration tenon_kernel_registration_##number( \
      ::tenon::register_kernel::builder, text,                                            \
      &::tenon::register_kernel::Functions<tenon_kernel_##number, __VA_ARGS__>::Make)

#endif  // TENON_KERNEL_REGISTRATION_HPP_
