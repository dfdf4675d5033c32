// What the CPU benchmark runs, in both hosts.
#ifndef TENON_BENCH_CPU_ROWS_H_
#define TENON_BENCH_CPU_ROWS_H_

// `inputs`, with blanks between: f32[2,3] random floats (bf16, f16, f64 too; a leading + makes them
// positive), i32[5]<7 (u8 too) random numbers below 7, i32=0,1 these numbers (a scalar when there
// is just one and ! follows), {a b} a list of inputs. `attrs`, with blanks between: b:name=0,
// i:name=3, I:name=1,2, s:name=SAME, t:name=float.
typedef struct row {
  const char* class, *name, *op, *inputs, *attrs;
} row;

#define K1 "1024"
#define M1 "1048576"
#define M16 "16777216"

#define UNARY_AT(op, n, label, sign) \
  { "elementwise", op " " label, op, sign "f32[" n "]", "" }
#define BINARY_AT(op, n, label) \
  { "elementwise", op " " label, op, "f32[" n "] +f32[" n "]", "" }
#define UNARY(op, sign) \
  UNARY_AT(op, K1, "1K", sign), UNARY_AT(op, M1, "1M", sign), UNARY_AT(op, M16, "16M", sign)
#define BINARY(op) BINARY_AT(op, K1, "1K"), BINARY_AT(op, M1, "1M"), BINARY_AT(op, M16, "16M")

#define REDUCE_AT(op, dims, axes, label) \
  { "reduction", op " " label, op, "f32[" dims "] i32=" axes, "b:keep_dims=0" }
#define REDUCE(op)                                                                               \
  REDUCE_AT(op, K1, "0", "1K"), REDUCE_AT(op, M1, "0", "1M"), REDUCE_AT(op, M16, "0", "16M"),    \
      REDUCE_AT(op, "1024,1024", "1", "rows 1M"), REDUCE_AT(op, "1024,1024", "0", "columns 1M"), \
      REDUCE_AT(op, "4096,4096", "1", "rows 16M"), REDUCE_AT(op, "4096,4096", "0", "columns 16M")

#define MATMUL(type, n)                                                                   \
  {                                                                                       \
    "matmul", "MatMul " n " " type, "MatMul", type "[" n "," n "] " type "[" n "," n "]", \
        "b:transpose_a=0 b:transpose_b=0"                                                 \
  }

#define CONV_ATTRS "I:strides=1,1,1,1 s:padding=SAME s:data_format=NHWC I:dilations=1,1,1,1"
#define CONV(k, n, c)                                                                    \
  {"conv", "Conv2D " k "x" k " " n "," c, "Conv2D",                                      \
   "f32[8," n "," n "," c "] f32[" k "," k "," c "," c "]", CONV_ATTRS},                 \
      {"conv", "Conv2DBackpropInput " k "x" k " " n "," c, "Conv2DBackpropInput",        \
       "i32=8," n "," n "," c " f32[" k "," k "," c "," c "] f32[8," n "," n "," c "]",  \
       CONV_ATTRS},                                                                      \
  {                                                                                      \
    "conv", "Conv2DBackpropFilter " k "x" k " " n "," c, "Conv2DBackpropFilter",         \
        "f32[8," n "," n "," c "] i32=" k "," k "," c "," c " f32[8," n "," n "," c "]", \
        CONV_ATTRS                                                                       \
  }

#define POOL_ATTRS "I:ksize=1,3,3,1 I:strides=1,2,2,1 s:padding=SAME s:data_format=NHWC"
#define DEPTHWISE(n, half, c, stride)                                                    \
  {"depthwise", "DepthwiseConv2dNative " n "," c " by " stride, "DepthwiseConv2dNative", \
   "f32[8," n "," n "," c "] f32[3,3," c ",1]", DEPTHWISE_ATTRS(stride)},                \
      {"depthwise", "DepthwiseConv2dNativeBackpropInput " n "," c " by " stride,         \
       "DepthwiseConv2dNativeBackpropInput",                                             \
       "i32=8," n "," n "," c " f32[3,3," c ",1] f32[8," half "," half "," c "]",        \
       DEPTHWISE_ATTRS(stride)},                                                         \
  {                                                                                      \
    "depthwise", "DepthwiseConv2dNativeBackpropFilter " n "," c " by " stride,           \
        "DepthwiseConv2dNativeBackpropFilter",                                           \
        "f32[8," n "," n "," c "] i32=3,3," c ",1 f32[8," half "," half "," c "]",       \
        DEPTHWISE_ATTRS(stride)                                                          \
  }
#define DEPTHWISE_ATTRS(stride) \
  "I:strides=1," stride "," stride ",1 s:padding=SAME s:data_format=NHWC I:dilations=1,1,1,1"

static const row rows[] = {
    BINARY("AddV2"),
    BINARY("Sub"),
    BINARY("Mul"),
    BINARY("RealDiv"),
    BINARY("Maximum"),
    UNARY("Relu", ""),
    UNARY("Exp", ""),
    UNARY("Tanh", ""),
    UNARY("Sigmoid", ""),
    UNARY("Sqrt", "+"),
    {"broadcast", "AddV2 1024x1024 + row", "AddV2", "f32[1024,1024] f32[1024]", ""},
    {"broadcast", "AddV2 1024x1024 + column", "AddV2", "f32[1024,1024] f32[1024,1]", ""},
    {"broadcast", "AddV2 1M + scalar", "AddV2", "f32[1048576] f32[1]", ""},
    {"broadcast", "Mul 256Kx3 x row", "Mul", "f32[262144,3] f32[3]", ""},
    {"broadcast", "Sub 64Kx10 - column", "Sub", "f32[65536,10] f32[65536,1]", ""},
    {"broadcast", "Mul 32x56x56x64 x channels", "Mul", "f32[32,56,56,64] f32[64]", ""},
    {"elementwise16", "AddV2 1M bf16", "AddV2", "bf16[1048576] bf16[1048576]", ""},
    {"elementwise16", "Mul 16M bf16", "Mul", "bf16[16777216] bf16[16777216]", ""},
    {"elementwise16", "Relu 1M bf16", "Relu", "bf16[1048576]", ""},
    REDUCE("Sum"),
    REDUCE("Mean"),
    REDUCE("Max"),
    REDUCE("Min"),
    REDUCE("Prod"),
    MATMUL("f32", "64"),
    MATMUL("f32", "512"),
    MATMUL("f32", "2048"),
    MATMUL("bf16", "64"),
    MATMUL("bf16", "512"),
    MATMUL("bf16", "2048"),
    CONV("3", "56", "64"),
    CONV("3", "14", "256"),
    CONV("1", "56", "64"),
    CONV("1", "14", "256"),
    {"softmax", "Softmax 1024x1024", "Softmax", "f32[1024,1024]", ""},
    {"softmax", "Softmax 65536x64", "Softmax", "f32[65536,64]", ""},
    {"transpose", "Transpose 2048x2048", "Transpose", "f32[2048,2048] i32=1,0", ""},
    {"transpose", "Transpose 32x128x128x32 NHWC to NCHW", "Transpose",
     "f32[32,128,128,32] i32=0,3,1,2", ""},
    {"transpose", "Transpose 128x512x64 swap first", "Transpose", "f32[128,512,64] i32=1,0,2", ""},
    {"gather", "Gather 64K rows of 64", "GatherV2", "f32[100000,64] i32[65536]<100000 i32=0!",
     "i:batch_dims=0"},
    {"gather", "Gather 1M numbers", "GatherV2", "f32[1048576] i32[1048576]<1048576 i32=0!",
     "i:batch_dims=0"},
    {"concat", "Concat 2 x 4096x1024 rows", "ConcatV2", "{f32[4096,1024] f32[4096,1024]} i32=0!",
     ""},
    {"concat", "Concat 4 x 65536x64 columns", "ConcatV2",
     "{f32[65536,64] f32[65536,64] f32[65536,64] f32[65536,64]} i32=1!", ""},
    {"cast", "Cast f32 to bf16 16M", "Cast", "f32[" M16 "]", "t:DstT=bf16 b:Truncate=0"},
    {"cast", "Cast bf16 to f32 16M", "Cast", "bf16[" M16 "]", "t:DstT=f32 b:Truncate=0"},
    {"cast", "Cast f32 to i32 1M", "Cast", "f32[" M1 "]", "t:DstT=i32 b:Truncate=0"},
    {"cast", "Cast i32 to f32 1M", "Cast", "i32[" M1 "]<1000000", "t:DstT=f32 b:Truncate=0"},
    {"transpose", "Transpose 4096x4096 u8", "Transpose", "u8[4096,4096]<255 i32=1,0", ""},
    {"transpose", "Transpose 2048x2048 bf16", "Transpose", "bf16[2048,2048] i32=1,0", ""},
    {"transpose", "Transpose 64x224x224x3 NHWC to NCHW", "Transpose",
     "f32[64,224,224,3] i32=0,3,1,2", ""},
    {"transpose", "Transpose 32x32 1K", "Transpose", "f32[32,32] i32=1,0", ""},
    {"gather", "GatherNd 1M of 1024x1024", "GatherNd", "f32[1024,1024] i32[1048576,2]<1024", ""},
    {"gather", "ScatterNd 64K rows of 64", "ScatterNd",
     "i32[65536,1]<100000 f32[65536,64] i32=100000,64", ""},
    {"concat", "Split 4096x1024 into 4 columns", "Split", "i32=1! f32[4096,1024]", "i:num_split=4"},
    {"concat", "Pack 8 x 1M, last", "Pack",
     "{f32[1048576] f32[1048576] f32[1048576] f32[1048576] f32[1048576] f32[1048576] f32[1048576] "
     "f32[1048576]}",
     "i:axis=1"},
    {"layout", "Slice 2048x2048 middle", "Slice", "f32[2048,2048] i32=100,100 i32=1800,1800", ""},
    {"layout", "StridedSlice 4096x4096 by 2", "StridedSlice",
     "f32[4096,4096] i32=0,0 i32=0,0 i32=2,2", "i:begin_mask=3 i:end_mask=3"},
    {"layout", "ReverseV2 4096x1024 columns", "ReverseV2", "f32[4096,1024] i32=1", ""},
    {"layout", "Pad 32x112x112x32 by 1", "Pad", "f32[32,112,112,32] i32[4,2]<2", ""},
    {"layout", "MirrorPad 16M by 1", "MirrorPad", "f32[4096,4096] i32[2,2]<2", "s:mode=REFLECT"},
    {"layout", "Tile 1024x1024 by 2x4", "Tile", "f32[1024,1024] i32=2,4", ""},
    {"layout", "Tile 1024x1 by 1x4096", "Tile", "f32[1024,1] i32=1,4096", ""},
    {"layout", "BroadcastTo 4096x4096 from a row", "BroadcastTo", "f32[4096] i32=4096,4096", ""},
    {"layout", "Fill 16M", "Fill", "i32=4096,4096 i32=7!", ""},
    {"layout", "OneHot 16K x 1024", "OneHot", "i32[16384]<1024 i32=1024! i32=1! i32=0!",
     "i:axis=-1"},
    {"layout", "Range 16M", "Range", "i32=0! i32=16777216! i32=1!", ""},
    {"find", "Where 16M", "Where", "i32[4096,4096]<2", ""},
    {"find", "Unique 1M of 1000", "Unique", "i32[1048576]<1000", ""},
    {"find", "Unique 1M of 1M", "Unique", "i32[1048576]<1048576", ""},
    {"topk", "TopKV2 10 of 1M", "TopKV2", "f32[" M1 "] i32=10!", "b:sorted=1"},
    {"topk", "TopKV2 1M of 1M (a sort)", "TopKV2", "f32[" M1 "] i32=" M1 "!", "b:sorted=1"},
    {"topk", "TopKV2 5 of 1024x1024", "TopKV2", "f32[1024,1024] i32=5!", "b:sorted=1"},
    {"pool", "MaxPool 3x3 112,64", "MaxPool", "f32[8,112,112,64]", POOL_ATTRS},
    {"pool", "MaxPool 3x3 112,64 bf16", "MaxPool", "bf16[8,112,112,64]", POOL_ATTRS},
    {"pool", "MaxPoolGrad 3x3 112,64", "MaxPoolGrad",
     "f32[8,112,112,64] f32[8,56,56,64] f32[8,56,56,64]", POOL_ATTRS},
    {"pool", "MaxPoolWithArgmax 3x3 112,64", "MaxPoolWithArgmax", "f32[8,112,112,64]",
     "I:ksize=1,3,3,1 I:strides=1,2,2,1 s:padding=SAME"},
    {"pool", "AvgPool 3x3 112,64", "AvgPool", "f32[8,112,112,64]", POOL_ATTRS},
    {"pool", "AvgPoolGrad 3x3 112,64", "AvgPoolGrad", "i32=8,112,112,64 f32[8,56,56,64]",
     POOL_ATTRS},
    {"pool", "AvgPool 7x7 7,2048", "AvgPool", "f32[8,7,7,2048]",
     "I:ksize=1,7,7,1 I:strides=1,1,1,1 s:padding=VALID s:data_format=NHWC"},
    DEPTHWISE("56", "56", "128", "1"),
    DEPTHWISE("56", "28", "128", "2"),
    {"depthwise", "DepthwiseConv2dNative 56,32 x4", "DepthwiseConv2dNative",
     "f32[8,56,56,32] f32[3,3,32,4]", DEPTHWISE_ATTRS("1")},
    {"depthwise", "DepthwiseConv2dNative 56,128 bf16", "DepthwiseConv2dNative",
     "bf16[8,56,56,128] bf16[3,3,128,1]", DEPTHWISE_ATTRS("1")},
    {"resize", "ResizeBilinear 224,3 to 448", "ResizeBilinear", "f32[8,224,224,3] i32=448,448",
     "b:half_pixel_centers=1"},
    {"resize", "ResizeBilinear 448,3 to 224 u8", "ResizeBilinear",
     "u8[8,448,448,3]<255 i32=224,224", "b:half_pixel_centers=1"},
    {"resize", "ResizeBilinear 56,64 to 112", "ResizeBilinear", "f32[8,56,56,64] i32=112,112", ""},
    {"resize", "ResizeBilinearGrad 56,64 to 112", "ResizeBilinearGrad",
     "f32[8,112,112,64] f32[8,56,56,64]", ""},
    {"resize", "ResizeNearestNeighbor 224,3 to 448", "ResizeNearestNeighbor",
     "f32[8,224,224,3] i32=448,448", ""},
    {"resize", "ResizeNearestNeighbor 56,64 to 112", "ResizeNearestNeighbor",
     "f32[8,56,56,64] i32=112,112", ""},
    {"resize", "ResizeNearestNeighborGrad 56,64 to 112", "ResizeNearestNeighborGrad",
     "f32[8,112,112,64] i32=56,56", ""},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// Small ones, whose instructions are counted (tests/cpu/test_instructions.py).
static const row counted[] = {
    {NULL, "AddV2 1", "AddV2", "f32[1] f32[1]", ""},
    {NULL, "AddV2 64K", "AddV2", "f32[65536] f32[65536]", ""},
    {NULL, "AddV2 256x256 and 256", "AddV2", "f32[256,256] f32[256]", ""},
    {NULL, "Mul 64K bf16", "Mul", "bf16[65536] bf16[65536]", ""},
    {NULL, "Relu 64K", "Relu", "f32[65536]", ""},
    {NULL, "Exp 64K", "Exp", "f32[65536]", ""},
    {NULL, "Tanh 64K", "Tanh", "f32[65536]", ""},
    {NULL, "Less 64K", "Less", "f32[65536] f32[65536]", ""},
    {NULL, "Cast 64K f32 to bf16", "Cast", "f32[65536]", "t:DstT=bf16 b:Truncate=0"},
    {NULL, "Sum 64K", "Sum", "f32[65536] i32=0", "b:keep_dims=0"},
    {NULL, "Sum columns 256x256", "Sum", "f32[256,256] i32=0", "b:keep_dims=0"},
    {NULL, "Max rows 256x256", "Max", "f32[256,256] i32=1", "b:keep_dims=0"},
    {NULL, "Softmax 64x256", "Softmax", "f32[64,256]", ""},
    {NULL, "MatMul 128", "MatMul", "f32[128,128] f32[128,128]", "b:transpose_a=0 b:transpose_b=0"},
    {NULL, "Conv2D 3x3 14,32", "Conv2D", "f32[1,14,14,32] f32[3,3,32,32]", CONV_ATTRS},
    {NULL, "MaxPool 2x2 56,16", "MaxPool", "f32[1,56,56,16]",
     "I:ksize=1,2,2,1 I:strides=1,2,2,1 s:padding=SAME s:data_format=NHWC"},
    {NULL, "Transpose 256x256", "Transpose", "f32[256,256] i32=1,0", ""},
    {NULL, "GatherV2 1K rows of 64", "GatherV2", "f32[1024,64] i32[1024]<1024 i32=0!",
     "i:batch_dims=0"},
    {NULL, "ConcatV2 2 x 256x128 columns", "ConcatV2", "{f32[256,128] f32[256,128]} i32=1!", ""},
    {NULL, "TopKV2 10 of 16K", "TopKV2", "f32[16384] i32=10!", "b:sorted=1"},
    {NULL, "RandomUniform 64K", "RandomUniform", "i32=65536", "i:seed=1 i:seed2=2 t:dtype=f32"},
};
enum { COUNTED = sizeof counted / sizeof counted[0] };

#endif  // TENON_BENCH_CPU_ROWS_H_
