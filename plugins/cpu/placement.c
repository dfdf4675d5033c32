#include "placement.h"

#include <stdio.h>
#include <string.h>

// Strings live in host memory, and whoever makes them is best off there.
static const char cpu_only[] =
    " AsString DecodeBase64 DecodeRaw EncodeBase64 IdentityN ReadFile ReduceJoin StringFormat"
    " StringJoin StringLength StringLower StringSplit StringSplitV2 StringStrip StringToHashBucket"
    " StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper Substr"
    " UnsortedSegmentJoin ";
// Others are in host memory by nature, or TensorFlow cannot hand them to any device.
static const tn_cpu_types device_types =
    TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_QINT8) | TN_CPU_TYPE(TN_QUINT8) |
    TN_CPU_TYPE(TN_QINT32) | TN_CPU_TYPE(TN_FLOAT8_E5M2) | TN_CPU_TYPE(TN_FLOAT8_E4M3FN) |
    TN_CPU_TYPE(TN_INT4) | TN_CPU_TYPE(TN_UINT4);

typedef struct rule {
  const char* ops;
  const char* args[MAX_HOST_ARGS];
} rule;

// Shapes and places in them are int32 more often than not, come from the host and go back to it: as
// on TensorFlow's other devices, these ops have int32 in host memory throughout.
static const rule integers_on_host[] = {
    {" Add AddV2 Sub Mul Div FloorDiv FloorMod Mod TruncateMod Maximum Minimum Less LessEqual"
     " Greater GreaterEqual Equal NotEqual SquaredDifference ",
     {"x", "y", "z"}},
    {" Abs Neg Sign Square OnesLike ZerosLike ", {"x", "y"}},
    {" AddN ", {"inputs", "sum"}},
    {" Sum Prod Max Min ", {"input", "reduction_indices", "output"}},
    {" Concat ", {"concat_dim", "values", "output"}},
    {" ConcatV2 ", {"values", "axis", "output"}},
    {" Pack ", {"values", "output"}},
    {" Unpack ", {"value", "output"}},
    {" ExpandDims ", {"input", "dim", "output"}},
    {" Fill ", {"dims", "value", "output"}},
    {" Identity PlaceholderWithDefault Squeeze StopGradient Snapshot Rank Shape ShapeN Size ",
     {"input", "output"}},
    {" Range ", {"start", "limit", "delta", "output"}},
    {" Reshape ", {"tensor", "shape", "output"}},
    {" BroadcastTo ", {"input", "shape", "output"}},
    {" Slice ", {"input", "begin", "size", "output"}},
    {" StridedSlice ", {"input", "begin", "end", "strides", "output"}},
    {" Tile ", {"input", "multiples", "output"}},
    {" Transpose ", {"x", "perm", "y"}},
    {" Pad ", {"input", "paddings", "output"}},
};

// Numbers that say how, for kernels that name none.
static const rule more_on_host[] = {
    {" UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin ",
     {"num_segments"}},
    {" RandomUniform RandomStandardNormal TruncatedNormal NonDeterministicInts ", {"shape"}},
    {" RandomUniformInt ", {"shape", "minval", "maxval"}},
    {" Multinomial ", {"num_samples"}},
    {" StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniformFullInt ",
     {"resource", "algorithm", "shape"}},
    {" StatefulUniformInt ", {"resource", "algorithm", "shape", "minval", "maxval"}},
    {" RngReadAndSkip ", {"resource", "alg", "delta"}},
    {" RngSkip ", {"resource", "algorithm", "delta"}},
    {" StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal"
     " StatelessRandomUniformFullInt ",
     {"shape", "seed"}},
    {" StatelessRandomUniformInt ", {"shape", "seed", "minval", "maxval"}},
    {" StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2"
     " StatelessRandomUniformFullIntV2 ",
     {"shape", "key", "counter", "alg"}},
    {" StatelessRandomUniformIntV2 ", {"shape", "key", "counter", "alg", "minval", "maxval"}},
    {" StatelessMultinomial ", {"num_samples", "seed"}},
    {" StatelessShuffle ", {"key", "counter", "alg"}},
    {" StatelessRandomGetKeyCounter ", {"seed", "key", "counter"}},
    {" StatelessRandomGetKeyCounterAlg ", {"seed", "key", "counter", "alg"}},
    {" StatelessRandomGetAlg ", {"alg"}},
    {" MatrixDiagV3 ", {"k", "num_rows", "num_cols", "padding_value"}},
    {" MatrixDiagPartV3 ", {"k", "padding_value"}},
    {" MatrixSetDiagV3 ", {"k"}},
    {" MatrixBandPart ", {"num_lower", "num_upper"}},
    {" UniqueV2 UniqueWithCountsV2 ", {"axis"}},
};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static bool names(const char* ops, const char* op) {
  char word[80];
  snprintf(word, sizeof word, " %s ", op);
  return strstr(ops, word);
}

static const rule* find(const rule* rules, size_t count, const char* op) {
  for (size_t i = 0; i < count; ++i)
    if (names(rules[i].ops, op)) return &rules[i];
  return NULL;
}

int place_kernel(const kernel* given, placed out[MAX_PLACED]) {
  if (given->compute_async || names(cpu_only, given->op)) return 0;
  kernel kernel = *given;
  if (names(" Cast ", kernel.op))
    for (int i = 0; i < 2; ++i) {
      kernel.constraints[i].attr = i ? "DstT" : "SrcT";
      kernel.constraints[i].types = device_types;
    }
  for (int i = 0; i < MAX_CONSTRAINTS && kernel.constraints[i].attr; ++i)
    if (!(kernel.constraints[i].types &= device_types)) return 0;
  const rule* more = find(more_on_host, COUNT(more_on_host), kernel.op);
  if (more && !kernel.host_args[0]) memcpy(kernel.host_args, more->args, sizeof more->args);
  int count = 0;
  const tn_cpu_types integer = TN_CPU_TYPE(TN_INT32);
  const rule* all = find(integers_on_host, COUNT(integers_on_host), kernel.op);
  // The type of the values is what the first constraint is about.
  if (all && (kernel.constraints[0].types & integer)) {
    out[count] = (placed){kernel, true};
    out[count].kernel.constraints[0].types = integer;
    memcpy(out[count++].kernel.host_args, all->args, sizeof all->args);
    kernel.constraints[0].types &= ~integer;
  }
  if (kernel.constraints[0].types || !kernel.constraints[0].attr)
    out[count++] = (placed){kernel, false};
  return count;
}
