// REGISTER_OP("X").Input("x: T").Output("y: T").Attr("T: type").SetShapeFn(f).Doc("...");
#ifndef TENON_OP_HPP_
#define TENON_OP_HPP_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tenon/inference_context.hpp"
#include "tenon/registry.hpp"
#include "tensorflow/c/ops.h"

namespace tenon {

using OpShapeInferenceFn = std::function<Status(shape_inference::InferenceContext*)>;

namespace register_op {

// The parts of an op's definition, as they were written.
struct Definition {
  std::string name;
  std::vector<std::string> attrs, inputs, outputs;
  void (*shape_function)(TF_ShapeInferenceContext*, TF_Status*) = nullptr;
  bool stateful = false, commutative = false, aggregate = false, allows_uninitialized = false;
  int deprecated_since = 0;
  std::string deprecated_why;
};

// Tag is the registration's own type, so that each has a shape function of its own.
template <typename Tag>
class Builder {
 public:
  explicit Builder(const char* name) { definition_.name = name; }
  Builder& Attr(std::string spec) { return Add(&definition_.attrs, std::move(spec)); }
  Builder& Input(std::string spec) { return Add(&definition_.inputs, std::move(spec)); }
  Builder& Output(std::string spec) { return Add(&definition_.outputs, std::move(spec)); }
  // The C API has no place for it.
  Builder& Doc(StringPiece) { return *this; }
  Builder& SetIsStateful() {
    definition_.stateful = true;
    return *this;
  }
  Builder& SetIsCommutative() {
    definition_.commutative = true;
    return *this;
  }
  Builder& SetIsAggregate() {
    definition_.aggregate = true;
    return *this;
  }
  Builder& SetAllowsUninitializedInput() {
    definition_.allows_uninitialized = true;
    return *this;
  }
  Builder& Deprecated(int version, std::string why) {
    definition_.deprecated_since = version;
    definition_.deprecated_why = std::move(why);
    return *this;
  }
  // Called when the shapes of a node are wanted; may have captures.
  Builder& SetShapeFn(OpShapeInferenceFn function) {
    Function() = new OpShapeInferenceFn(std::move(function));
    definition_.shape_function = &Infer;
    return *this;
  }
  Definition&& Take() { return std::move(definition_); }

 private:
  Builder& Add(std::vector<std::string>* specs, std::string spec) {
    specs->push_back(std::move(spec));
    return *this;
  }
  // Lives as long as the plugin.
  static OpShapeInferenceFn*& Function() {
    static OpShapeInferenceFn* function = nullptr;
    return function;
  }
  static void Infer(TF_ShapeInferenceContext* context, TF_Status* status) {
    shape_inference::InferenceContext::Run(*Function(), context, status);
  }

  Definition definition_;
};

class OpRegistration : public internal::Registration {
 public:
  template <typename Tag>
  OpRegistration(Builder<Tag>& builder) : Registration(kOp), definition_(builder.Take()) {}
  template <typename Tag>
  OpRegistration(Builder<Tag>&& builder) : OpRegistration(builder) {}

 protected:
  void Register() override {
    const Definition& op = definition_;
    TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(op.name.c_str());
    if (!builder) {
      fprintf(stderr, "no memory to register op %s\n", op.name.c_str());
      return;
    }
    for (const std::string& spec : op.attrs) TF_OpDefinitionBuilderAddAttr(builder, spec.c_str());
    for (const std::string& spec : op.inputs) TF_OpDefinitionBuilderAddInput(builder, spec.c_str());
    for (const std::string& spec : op.outputs)
      TF_OpDefinitionBuilderAddOutput(builder, spec.c_str());
    if (op.stateful) TF_OpDefinitionBuilderSetIsStateful(builder, true);
    if (op.commutative) TF_OpDefinitionBuilderSetIsCommutative(builder, true);
    if (op.aggregate) TF_OpDefinitionBuilderSetIsAggregate(builder, true);
    if (op.allows_uninitialized) TF_OpDefinitionBuilderSetAllowsUninitializedInput(builder, true);
    if (op.deprecated_since)
      TF_OpDefinitionBuilderDeprecated(builder, op.deprecated_since, op.deprecated_why.c_str());
    if (op.shape_function)
      TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, op.shape_function);
    internal::HostStatus status;
    TF_RegisterOpDefinition(builder, status);
    internal::SayIfFailed(status, op.name.c_str());
  }

 private:
  const Definition definition_;
};

}  // namespace register_op
}  // namespace tenon

#define REGISTER_OP(name) TN_CXX_REGISTER_OP(__COUNTER__, name)
#define TN_CXX_REGISTER_OP(number, name) TN_CXX_REGISTER_OP_(number, name)
#define TN_CXX_REGISTER_OP_(number, name)                                      \
  namespace {                                                                  \
  struct tenon_op_##number {};                                                 \
  }                                                                            \
  static ::tenon::register_op::OpRegistration tenon_op_registration_##number = \
      ::tenon::register_op::Builder<tenon_op_##number>(name)

#endif  // TENON_OP_HPP_
