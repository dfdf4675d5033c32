// OpKernelConstruction: what a kernel sees while it is made.
#ifndef TENON_OP_KERNEL_CONSTRUCTION_HPP_
#define TENON_OP_KERNEL_CONSTRUCTION_HPP_

#include <memory>
#include <string>
#include <vector>

#include "tenon/tensor.hpp"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"

// TensorFlow's wheels declare it and do not export it.
#pragma weak TF_OpKernelConstruction_GetAttrTensorShape

namespace tenon {

class OpKernelConstruction {
 public:
  // `op` and `device` are what the kernel was registered for.
  OpKernelConstruction(TF_OpKernelConstruction* context, const char* op, const char* device)
      : context_(context), op_(op), device_(device) {}
  OpKernelConstruction(const OpKernelConstruction&) = delete;
  OpKernelConstruction& operator=(const OpKernelConstruction&) = delete;

  TF_OpKernelConstruction* c_context() const { return context_; }
  std::string name() const {
    const TF_StringView name = TF_OpKernelConstruction_GetName(context_);
    return std::string(name.data, name.len);
  }
  std::string type_string() const { return op_; }
  std::string device_type() const { return device_; }

  bool HasAttr(StringPiece name) const {
    internal::HostStatus status;
    return TF_OpKernelConstruction_HasAttr(context_, std::string(name).c_str(), status) &&
           status.ok();
  }

  // The value of an attribute: bool, int32, int64, float, string, type, tensor, shape, or a list of
  // one of these but the shapes. An attribute of another type is INVALID_ARGUMENT.
#define TN_CXX_ATTR(Type, Function, CType)                                                      \
  Status GetAttr(StringPiece name, Type* value) const {                                         \
    CType got{};                                                                                \
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {                     \
      TF_OpKernelConstruction_GetAttr##Function(context_, attr, &got, status);                  \
    }));                                                                                        \
    *value = static_cast<Type>(got);                                                            \
    return Status();                                                                            \
  }                                                                                             \
  Status GetAttr(StringPiece name, std::vector<Type>* values) const {                           \
    int32_t size, total;                                                                        \
    TF_RETURN_IF_ERROR(GetSize(name, true, &size, &total));                                     \
    auto got = std::make_unique<CType[]>(static_cast<size_t>(size) + 1);                        \
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {                     \
      TF_OpKernelConstruction_GetAttr##Function##List(context_, attr, got.get(), size, status); \
    }));                                                                                        \
    values->clear();                                                                            \
    for (int32_t i = 0; i < size; ++i) values->push_back(static_cast<Type>(got[size_t(i)]));    \
    return Status();                                                                            \
  }
  TN_CXX_ATTR(bool, Bool, TF_Bool)
  TN_CXX_ATTR(int32_t, Int32, int32_t)
  TN_CXX_ATTR(int64_t, Int64, int64_t)
  TN_CXX_ATTR(float, Float, float)
  TN_CXX_ATTR(DataType, Type, TF_DataType)
#undef TN_CXX_ATTR

  Status GetAttr(StringPiece name, std::string* value) const {
    int32_t size, total;
    TF_RETURN_IF_ERROR(GetSize(name, false, &size, &total));
    std::string got(static_cast<size_t>(total < 0 ? 0 : total), '\0');
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {
      TF_OpKernelConstruction_GetAttrString(context_, attr, got.data(), got.size(), status);
    }));
    *value = std::move(got);
    return Status();
  }
  Status GetAttr(StringPiece name, tstring* value) const {
    std::string got;
    TF_RETURN_IF_ERROR(GetAttr(name, &got));
    *value = got;
    return Status();
  }
  Status GetAttr(StringPiece name, std::vector<std::string>* values) const {
    int32_t size, total;
    TF_RETURN_IF_ERROR(GetSize(name, true, &size, &total));
    std::vector<char*> texts(static_cast<size_t>(size) + 1);
    std::vector<size_t> lengths(texts.size());
    std::string storage(static_cast<size_t>(total < 0 ? 0 : total) + 1, '\0');
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {
      TF_OpKernelConstruction_GetAttrStringList(context_, attr, texts.data(), lengths.data(), size,
                                                storage.data(), storage.size() - 1, status);
    }));
    values->clear();
    for (size_t i = 0; i < size_t(size); ++i) values->emplace_back(texts[i], lengths[i]);
    return Status();
  }
  Status GetAttr(StringPiece name, Tensor* value) const {
    TF_Tensor* got = nullptr;
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {
      TF_OpKernelConstruction_GetAttrTensor(context_, attr, &got, status);
    }));
    *value = Tensor(got);
    return Status();
  }
  Status GetAttr(StringPiece name, std::vector<Tensor>* values) const {
    int32_t size, total;
    TF_RETURN_IF_ERROR(GetSize(name, true, &size, &total));
    std::vector<TF_Tensor*> got(static_cast<size_t>(size) + 1);
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {
      TF_OpKernelConstruction_GetAttrTensorList(context_, attr, got.data(), size, status);
    }));
    values->clear();
    for (size_t i = 0; i < size_t(size); ++i) values->emplace_back(got[i]);
    return Status();
  }
  // UNIMPLEMENTED in a host without the function: TensorFlow's wheels do not export it.
  Status GetAttr(StringPiece name, TensorShape* value) const {
    if (!TF_OpKernelConstruction_GetAttrTensorShape)
      return internal::NotInThisHost("TF_OpKernelConstruction_GetAttrTensorShape");
    int32_t size, rank;
    TF_RETURN_IF_ERROR(GetSize(name, false, &size, &rank));
    if (rank < 0) return errors::InvalidArgument("the rank of attr '", name, "' is not known");
    std::vector<int64_t> sizes(static_cast<size_t>(rank) + 1);
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {
      TF_OpKernelConstruction_GetAttrTensorShape(context_, attr, sizes.data(), size_t(rank),
                                                 status);
    }));
    return TensorShapeUtils::MakeShape(sizes.data(), rank, value);
  }

  // Outcome: the kernel is not made. The first failure is kept.
  const Status& status() const { return status_; }
  void SetStatus(const Status& failure) {
    if (failure.ok()) return;
    status_.Update(failure);
    internal::ReportTo(&TF_OpKernelConstruction_Failure, context_, failure);
  }
  void CtxFailure(const Status& failure) { SetStatus(failure); }
  void CtxFailure(const char*, int, const Status& failure) { SetStatus(failure); }
  void CtxFailureWithWarning(const Status& failure) { SetStatus(failure); }
  void CtxFailureWithWarning(const char*, int, const Status& failure) { SetStatus(failure); }

 private:
  template <typename Call>
  Status Get(StringPiece name, const Call& call) const {
    internal::HostStatus status;
    call(std::string(name).c_str(), status);
    return status.ok() ? Status() : status.status();
  }
  Status GetSize(StringPiece name, bool is_list, int32_t* size, int32_t* total) const {
    *size = *total = -1;
    TF_RETURN_IF_ERROR(Get(name, [&](const char* attr, TF_Status* status) {
      TF_OpKernelConstruction_GetAttrSize(context_, attr, size, total, status);
    }));
    if (is_list != (*size >= 0))
      return errors::InvalidArgument("attr '", name, is_list ? "' is not a list" : "' is a list");
    return Status();
  }

  TF_OpKernelConstruction* const context_;
  const char *const op_, *const device_;
  Status status_;
};

}  // namespace tenon
#endif  // TENON_OP_KERNEL_CONSTRUCTION_HPP_
