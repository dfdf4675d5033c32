// CTCGreedyDecoder: batches by Shard, outputs whose sizes are known only at the end.
#include <cmath>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {

REGISTER_OP("Tenon>CTCGreedyDecoder")
    .Input("inputs: float")
    .Input("sequence_length: int32")
    .Attr("merge_repeated: bool = false")
    .Output("decoded_indices: int64")
    .Output("decoded_values: int64")
    .Output("decoded_shape: int64")
    .Output("log_probability: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle inputs;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &inputs));
      shape_inference::DimensionHandle total = c->UnknownDim();
      c->set_output(0, c->Matrix(total, 2));
      c->set_output(1, c->Vector(total));
      c->set_output(2, c->Vector(2));
      c->set_output(3, c->Matrix(c->Dim(inputs, 1), 1));
      return OkStatus();
    });

class CTCGreedyDecoderOp : public OpKernel {
 public:
  explicit CTCGreedyDecoderOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("merge_repeated", &merge_repeated_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& inputs = ctx->input(0);
    const Tensor& seq_len = ctx->input(1);
    OP_REQUIRES(ctx, inputs.dims() == 3, errors::InvalidArgument("inputs is not a 3-Tensor"));
    const int64 max_time = inputs.dim_size(0);
    const int64 batch_size = inputs.dim_size(1);
    const int64 num_classes = inputs.dim_size(2);
    OP_REQUIRES(ctx, max_time > 0, errors::InvalidArgument("max_time is 0"));
    OP_REQUIRES(ctx, TensorShapeUtils::IsVector(seq_len.shape()),
                errors::InvalidArgument("sequence_length is not a vector"));
    OP_REQUIRES(ctx, seq_len.NumElements() == batch_size,
                errors::FailedPrecondition("len(sequence_length) != batch_size.  len(sequence_"
                                           "length):  ",
                                           seq_len.NumElements(), " batch_size: ", batch_size));
    auto seq_len_t = seq_len.vec<int32>();
    for (int64 b = 0; b < batch_size; ++b)
      OP_REQUIRES(ctx, seq_len_t(b) <= max_time,
                  errors::FailedPrecondition("sequence_length(", b, ") <= ", max_time));

    Tensor* log_prob = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, TensorShape({batch_size, 1}), &log_prob));
    auto log_prob_t = log_prob->matrix<float>();
    auto inputs_t = inputs.tensor<float, 3>();
    const int64 blank = num_classes - 1;
    std::vector<std::vector<int64>> sequences(static_cast<size_t>(batch_size));

    auto decode = [&](const int64 begin, const int64 end) {
      for (int64 b = begin; b < end; ++b) {
        auto& sequence = sequences[static_cast<size_t>(b)];
        float sum = 0;
        int64 before = -1;
        for (int32 t = 0; t < seq_len_t(b); ++t) {
          int64 best = 0;
          for (int64 c = 1; c < num_classes; ++c)
            if (inputs_t(t, b, c) > inputs_t(t, b, best)) best = c;
          sum += -inputs_t(t, b, best);
          if (best != blank && !(merge_repeated_ && best == before)) sequence.push_back(best);
          before = best;
        }
        log_prob_t(b, 0) = sum;
      }
    };
    auto worker_threads = *(ctx->device()->tensorflow_cpu_worker_threads());
    Shard(worker_threads.num_threads, worker_threads.workers, batch_size,
          50 * max_time * num_classes, decode);
    OP_REQUIRES_OK(ctx, Store(ctx, sequences));
  }

 private:
  static Status Store(OpKernelContext* ctx, const std::vector<std::vector<int64>>& sequences) {
    int64 total = 0, longest = 0;
    for (const auto& sequence : sequences) {
      total += static_cast<int64>(sequence.size());
      longest = std::max(longest, static_cast<int64>(sequence.size()));
    }
    Tensor *indices, *values, *shape;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape({total, 2}), &indices));
    TF_RETURN_IF_ERROR(ctx->allocate_output(1, TensorShape({total}), &values));
    TF_RETURN_IF_ERROR(ctx->allocate_output(2, TensorShape({2}), &shape));
    auto indices_t = indices->matrix<int64>();
    auto values_t = values->vec<int64>();
    int64 at = 0;
    for (size_t b = 0; b < sequences.size(); ++b) {
      for (size_t t = 0; t < sequences[b].size(); ++t, ++at) {
        indices_t(at, 0) = static_cast<int64>(b);
        indices_t(at, 1) = static_cast<int64>(t);
        values_t(at) = sequences[b][t];
      }
    }
    shape->vec<int64>()(0) = static_cast<int64>(sequences.size());
    shape->vec<int64>()(1) = longest;
    return OkStatus();
  }

  bool merge_repeated_;
};

REGISTER_KERNEL_BUILDER(Name("Tenon>CTCGreedyDecoder").Device(DEVICE_CPU), CTCGreedyDecoderOp);

}  // namespace tensorflow
