// A plugin that calls every function it can import with whatever comes to hand: NULL, numbers out
// of range, names that do not exist, sizes that cannot be, and any handle that is alive, in any
// order, inside callbacks and outside. It keeps the rules that no host can check: it uses no handle
// after its end, claims no more memory than it has (but for sizes that nobody has), ends what it
// announced to end (deferred work, locks, the done callback), and changes nothing that a call in
// progress works on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "hostile_arguments.h"
#include "tenon/kernel_services.h"
#include "tenon/shape_inference.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/eager/c_api.h"
#include "tensorflow/c/eager/c_api_experimental.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/logging.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_shape.h"

TF_Status* TSL_NewStatus(void);
void TSL_DeleteStatus(TF_Status* status);
void TSL_SetStatus(TF_Status* status, TF_Code code, const char* msg);
void TSL_SetStatusFromIOError(TF_Status* status, int error_code, const char* context);
void TSL_SetPayload(TF_Status* status, const char* key, const char* value);
void TSL_ForEachPayload(const TF_Status* status, TF_PayloadVisitor visitor, void* capture);
TF_Code TSL_GetCode(const TF_Status* status);
const char* TSL_Message(const TF_Status* status);
int PyRun_SimpleStringFlags(const char* command, void* flags);

enum { pool_room = 8, scratch_count = 4, scratch_size = 16384, deepest = 3 };

typedef enum kind {
  STATUS,
  TENSOR,
  STRING,
  BUFFER,
  SHAPE,
  SHAPE_HANDLE,
  DIMENSION,
  OP_BUILDER,
  KERNEL_BUILDER,
  LOCKS,
  DEVICES,
  LIBRARY,
  OPTIONS,
  CONTEXT,
  HANDLE,
  DEBUG_INFO,
  OP,
  MANAGER,
  kind_count
} kind;

// Live handles of one kind. Those below `floor` belong to a call in progress and are not deleted.
typedef struct pool {
  void* items[pool_room];
  int count, floor;
} pool;

// One thread's sequence.
typedef struct world {
  uint64_t random;
  int depth;   // of callbacks
  int budget;  // calls left to callbacks
  int deferred;
  int live_ops;
  TF_OpKernelContext* run;
  TF_OpKernelConstruction* construction;
  TF_ShapeInferenceContext* inference;
  pool pools[kind_count];
  int next_scratch;
  _Alignas(64) char scratch[scratch_count][scratch_size];
} world_type;

static _Thread_local world_type* world;
static _Thread_local const char* last_call = "";
static bool trace;  // every call

// Choices.

static uint64_t next_random(void) {
  uint64_t z = (world->random += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void* any_scratch(void) {
  if (CHANCE(8)) return NULL;
  return memset(world->scratch[world->next_scratch++ % scratch_count], 0, 64);
}

// Reading what the host gave.

static _Thread_local volatile unsigned sink;

static void read_bytes(const char* bytes, size_t size) {
  for (size_t i = 0; bytes && i < size; ++i) sink += (unsigned char)bytes[i];
}
static void read_text(const char* text) { read_bytes(text, text ? strlen(text) : 0); }

// Pools.

static void drop_string(void* string) {
  TF_StringDealloc(string);
  free(string);
}
static void drop_op(void* op) {
  if (op) --world->live_ops;
  TFE_DeleteOp(op);
}
#define DROP(name, function) \
  static void name(void* item) { function(item); }
DROP(drop_status, TF_DeleteStatus)
DROP(drop_tensor, TF_DeleteTensor)
DROP(drop_buffer, TF_DeleteBuffer)
DROP(drop_shape, TF_DeleteShape)
DROP(drop_shape_handle, TF_DeleteShapeHandle)
DROP(drop_dimension, TF_DeleteDimensionHandle)
DROP(drop_op_builder, TF_DeleteOpDefinitionBuilder)
DROP(drop_kernel_builder, TF_DeleteKernelBuilder)
DROP(drop_locks, TF_ReleaseVariableInputLockHolder)
DROP(drop_devices, TF_DeleteDeviceList)
DROP(drop_library, TF_DeleteLibraryHandle)
DROP(drop_options, TFE_DeleteContextOptions)
DROP(drop_context, TFE_DeleteContext)
DROP(drop_handle, TFE_DeleteTensorHandle)
DROP(drop_debug_info, TFE_DeleteTensorDebugInfo)
DROP(drop_manager, TFE_DeleteCancellationManager)

static void (*const drops[kind_count])(void*) = {
    drop_status,       drop_tensor,    drop_string,     drop_buffer,         drop_shape,
    drop_shape_handle, drop_dimension, drop_op_builder, drop_kernel_builder, drop_locks,
    drop_devices,      drop_library,   drop_options,    drop_context,        drop_handle,
    drop_debug_info,   drop_op,        drop_manager};

static void keep(kind kind, void* item) {
  pool* pool = &world->pools[kind];
  if (!item) return;
  if (kind == BUFFER) read_bytes(((TF_Buffer*)item)->data, ((TF_Buffer*)item)->length);
  if (pool->count < pool_room)
    pool->items[pool->count++] = item;
  else
    drops[kind](item);
}

static void keep_op(TFE_Op* op) {
  if (op) ++world->live_ops;
  keep(OP, op);
}

static void* create(TF_OpKernelConstruction* ctx);
static void compute(void* state, TF_OpKernelContext* ctx);
static void destroy(void* state);

static TF_Tensor* make_tensor(void) {
  static const TF_DataType types[] = {TF_FLOAT, TF_INT32, TF_STRING, TF_INT64, TF_BOOL};
  return TF_AllocateTensor(ONE_OF(types), dims_of[1 + below(2)], below(3), SIZE_MAX);
}

static TF_OpDefinitionBuilder* make_op_builder(void) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(any_op_name());
  TF_OpDefinitionBuilderAddInput(builder, CHANCE(2) ? "x: float" : "x: T");
  TF_OpDefinitionBuilderAddAttr(builder, CHANCE(2) ? "T: type" : "T: {float, int32} = DT_FLOAT");
  TF_OpDefinitionBuilderAddOutput(builder, "y: T");
  return builder;
}

// A well-made handle, where one can be had out of nothing.
static void make(kind kind) {
  pool* pools = world->pools;
  switch (kind) {
    case STATUS: keep(kind, TF_NewStatus()); break;
    case TENSOR: keep(kind, make_tensor()); break;
    case STRING: keep(kind, calloc(1, sizeof(TF_TString))); break;
    case BUFFER: keep(kind, TF_NewBuffer()); break;
    case SHAPE: keep(kind, TF_NewShape()); break;
    case SHAPE_HANDLE: keep(kind, TF_NewShapeHandle()); break;
    case DIMENSION: keep(kind, TF_NewDimensionHandle()); break;
    case OP_BUILDER: keep(kind, make_op_builder()); break;
    case KERNEL_BUILDER:
      keep(kind, TF_NewKernelBuilder(any_op_name(), "CPU", create, compute, destroy));
      break;
    case OPTIONS: keep(kind, TFE_NewContextOptions()); break;
    case CONTEXT:
      if (pools[OPTIONS].count) keep(kind, TFE_NewContext(pools[OPTIONS].items[0], NULL));
      break;
    case HANDLE:
      if (pools[TENSOR].count) keep(kind, TFE_NewTensorHandle(pools[TENSOR].items[0], NULL));
      break;
    case MANAGER: keep(kind, TFE_NewCancellationManager()); break;
    case OP:
      if (pools[CONTEXT].count) keep_op(TFE_NewOp(pools[CONTEXT].items[0], any_runnable(), NULL));
      break;
    default: break;
  }
}

// NULL, or any live handle.
static void* any(kind kind) {
  pool* pool = &world->pools[kind];
  if (CHANCE(8)) return NULL;
  if (!pool->count || CHANCE(8)) make(kind);
  return pool->count ? pool->items[below(pool->count)] : NULL;
}

// NULL, or a live handle that is out of the pool now.
static void* take(kind kind) {
  pool* pool = &world->pools[kind];
  int count = pool->count - pool->floor;
  if (count <= 0 || CHANCE(8)) return NULL;
  int at = pool->floor + below(count);
  void* item = pool->items[at];
  pool->items[at] = pool->items[--pool->count];
  return item;
}

static void drop_above(kind kind, int floor) {
  pool* pool = &world->pools[kind];
  while (pool->count > floor) drops[kind](pool->items[--pool->count]);
}

// Callbacks. Each makes calls of its own, unless they are nested too deep.

static void call_some(int count);

typedef struct frame {
  TF_OpKernelContext* run;
  TF_OpKernelConstruction* construction;
  TF_ShapeInferenceContext* inference;
  int deferred;
  int floors[kind_count];
} frame;

static frame enter(TF_OpKernelContext* run, TF_OpKernelConstruction* construction,
                   TF_ShapeInferenceContext* inference) {
  frame before = {world->run, world->construction, world->inference, world->deferred, {0}};
  world->run = run;
  world->construction = construction;
  world->inference = inference;
  world->deferred = 0;
  ++world->depth;
  for (int i = 0; i < kind_count; ++i) {
    before.floors[i] = world->pools[i].floor;
    world->pools[i].floor = world->pools[i].count;
  }
  return before;
}

static void leave(const frame* before) {
  while (world->deferred-- > 0) TF_DecNumDeferredOps(world->run);
  drop_above(LOCKS, world->pools[LOCKS].floor);
  // What these boxes hold ends with the shape function.
  if (world->inference) drop_above(SHAPE_HANDLE, 0);
  for (int i = 0; i < kind_count; ++i) world->pools[i].floor = before->floors[i];
  --world->depth;
  world->run = before->run;
  world->construction = before->construction;
  world->inference = before->inference;
  world->deferred = before->deferred;
}

static void act(TF_OpKernelContext* run, TF_OpKernelConstruction* construction,
                TF_ShapeInferenceContext* inference, int calls) {
  if (!world || world->depth >= deepest || world->budget <= 0) return;
  if (calls > world->budget) calls = world->budget;
  world->budget -= calls;
  frame before = enter(run, construction, inference);
  call_some(calls);
  leave(&before);
}

static void act_in_run(TF_OpKernelContext* run) {
  if (world) act(run, NULL, NULL, below(6));
}

static void visit_payload(const char* key, const char* value, void* capture) {
  read_text(key);
  read_text(value);
}

static void listen(const char* line) { read_text(line); }
static void touch_range(void* arg, int64_t begin, int64_t end) {}
static void touch_plain_range(int64_t begin, int64_t end) {}
static void touch_workers_range(void* arg, int64_t begin, int64_t end, int worker) {}
static void touch_workers_plain_range(int64_t begin, int64_t end, int worker) {}
static void do_nothing(void) {}
static void do_nothing_in_place(TF_OpKernelContext* context, void* bytes) {}
static void read_one_byte(void* arg) {
  if (arg) read_bytes(arg, 1);
}
static void be_told(void* arg) {}
static void* make_resource(void* arg) { return NULL; }
static void free_tensor_memory(void* data, size_t size, void* memory) { free(memory); }

static void copy(TF_OpKernelContext* ctx, TF_Tensor* source, TF_Tensor* dest) {
  act_in_run(ctx);
  TF_DeleteTensor(source);
  TF_DeleteTensor(dest);
}

static void update(TF_OpKernelContext* ctx, TF_Tensor* tensor, TF_Tensor* value, int op) {
  copy(ctx, tensor, value);
}

static void add(TF_OpKernelContext* ctx, TF_Tensor* a, TF_Tensor* b, TF_Tensor* out) {
  copy(ctx, a, b);
  TF_DeleteTensor(out);
}

static void zeros_like(TF_OpKernelContext* ctx, TF_Tensor* input, TF_Tensor* out) {
  copy(ctx, input, out);
}

// Gives the temporary variable another buffer, type or shape than it was made with.
static void allocate(TF_OpKernelContext* ctx, TF_Tensor* tensor, TF_DataType dtype,
                     const int64_t* dims, int num_dims, TF_Status* status) {
  if (world && CHANCE(2))
    TF_TensorBitcastFrom(any(TENSOR), any_type(), tensor, any_dims(), any_rank(), status);
  if (world && CHANCE(2)) TF_SetShape(tensor, any_dims(), any_rank());
  act_in_run(ctx);
}

static void* create(TF_OpKernelConstruction* ctx) {
  if (world) act(NULL, ctx, NULL, below(CHANCE(4) ? 300 : 20));
  return long_name;
}

static void destroy(void* state) { act_in_run(NULL); }

// Fills what is left to fill: every output of its own type.
static void finish_outputs(TF_OpKernelContext* ctx) {
  for (int i = 0; i < TF_NumOutputs(ctx); ++i) {
    TF_DeleteTensor(TF_AllocateOutput(ctx, i, TF_FLOAT, dims_of[2], 2, 0, NULL));
    if (TF_ExpectedOutputDataType(ctx, i) > 100)
      TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 5, i);
  }
}

static void compute(void* state, TF_OpKernelContext* ctx) {
  if (world) act(ctx, NULL, NULL, below(CHANCE(4) ? 400 : 12));
  if (!world || CHANCE(2)) finish_outputs(ctx);
}

static void compute_async(void* state, TF_OpKernelContext* ctx,
                          TF_AsyncOpKernelDoneCallback* done) {
  compute(state, ctx);
  TF_RunAsyncOpKernelDoneCallback(done);
  if (world && CHANCE(4)) TF_RunAsyncOpKernelDoneCallback(done);  // once too often
}

static void infer(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  if (world) act(NULL, NULL, ctx, below(CHANCE(4) ? 400 : 20));
}

// An op that has what it needs, or nearly.
static TFE_Op* make_ready_op(void) {
  const char* name = any_runnable();
  TFE_Op* op = TFE_NewOp(world->pools[CONTEXT].items[0], name, NULL);
  if (!op) return NULL;
  ++world->live_ops;
  if (strstr(name, "Var")) TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  if (strstr(name, "VarHandle")) {
    TFE_OpSetAttrShape(op, "shape", dims_of[below(4)], below(3), NULL);
    if (CHANCE(2)) TFE_OpSetAttrString(op, "shared_name", "hostile", 7);
  } else {
    for (int i = 1 + below(2); i > 0; --i) TFE_OpAddInput(op, any(HANDLE), NULL);
  }
  return op;
}

static void execute(TFE_Op* op) {
  if (CHANCE(2) && world->pools[CONTEXT].count) {
    drop_op(op);
    op = make_ready_op();
  }
  TFE_TensorHandle* outputs[16] = {0};
  int count = CHANCE(4) ? any_index() : (int)COUNT_OF(outputs);
  bool given = !CHANCE(8);
  TFE_Execute(op, given ? outputs : NULL, CHANCE(8) ? NULL : &count, any(STATUS));
  for (size_t i = 0; i < COUNT_OF(outputs); ++i) keep(HANDLE, outputs[i]);
  keep(OP, op);
}

static FuncWrap any_task(void) {
  void* bytes = CHANCE(4) ? NULL : calloc(1, 1);
  return (FuncWrap){bytes, CHANCE(4) ? NULL : read_one_byte, bytes || CHANCE(2) ? free : NULL};
}

// The table.

#define ANY(kind) any(kind)
#define TAKE(kind) take(kind)
#define MAYBE(function) (CHANCE(4) ? NULL : function)
#define RUN (CHANCE(8) ? NULL : world->run)
#define CONSTRUCTION (CHANCE(8) ? NULL : world->construction)
#define INFERENCE (CHANCE(8) ? NULL : world->inference)
#define INDEX any_index()
// The inputs of the op Hostile that are variables, and a value for them.
#define VARIABLE (CHANCE(2) ? 3 : CHANCE(2) ? 5 : any_index())
#define VALUE (CHANCE(2) ? 0 : any_index())
#define WIDE any_wide()
#define SIZE any_size()
#define RANK any_rank()
#define DIMS any_dims()
#define TYPE any_type()
#define NAME any_name()
#define OP_NAME any_op_name()
#define DEVICE any_device()
#define ATTR_SPEC any_attr_spec()
#define ARGUMENT_SPEC any_argument_spec()
#define PROTO any_proto()
#define PATH any_path()
#define RUNNABLE any_runnable()
#define FORMAT any_format()
#define TASK any_task()
#define LOG_LEVEL ((TF_LogLevel)(CHANCE(4) ? TF_FATAL + 1 + below(9) : below(TF_FATAL)))
#define OUT any_scratch()
#define TENSORS_OUT (CHANCE(8) ? NULL : out_tensors)

#define SPECIAL(name, ...) \
  static void call_##name(void) { __VA_ARGS__; }
#define PLAIN(name, ...) SPECIAL(name, name(__VA_ARGS__))
#define TEXT(name, ...) SPECIAL(name, read_text(name(__VA_ARGS__)))
#define VIEW(name, ...) \
  SPECIAL(name, TF_StringView view = name(__VA_ARGS__); read_bytes(view.data, view.len))
#define BYTES(name, ...) \
  SPECIAL(name, TF_Buffer bytes = name(__VA_ARGS__); read_bytes(bytes.data, bytes.length))
#define KEPT(kind, name, ...) SPECIAL(name, keep(kind, name(__VA_ARGS__)))
#define TENSORS(count, name, ...)                                   \
  SPECIAL(name, TF_Tensor* out_tensors[8] = {0}; name(__VA_ARGS__); \
          for (int i = 0; i < (count); ++i) keep(TENSOR, out_tensors[i]))
#include "hostile_calls.h"

typedef struct row {
  const char *name, *arguments;
  void (*call)(void);
} row;

#undef SPECIAL
#undef PLAIN
#undef TEXT
#undef VIEW
#undef BYTES
#undef KEPT
#undef TENSORS
#define SPECIAL(name, ...) {#name, #__VA_ARGS__, call_##name},
#define PLAIN(name, ...) {#name, #__VA_ARGS__, call_##name},
#define TEXT PLAIN
#define VIEW PLAIN
#define BYTES PLAIN
#define KEPT(kind, name, ...) {#name, #__VA_ARGS__, call_##name},
#define TENSORS(count, name, ...) {#name, #__VA_ARGS__, call_##name},
static const row table[] = {
#include "hostile_calls.h"
};

// Half of the calls have to do with where it is: the context of the callback, or else eager ops.
static const row* any_row(void) {
  const char* topic = world->run            ? "RUN"
                      : world->construction ? "CONSTRUCTION"
                      : world->inference    ? "INFERENCE"
                                            : "(OP)";
  const row* row = &ONE_OF(table);
  if (CHANCE(2))
    while (!strstr(row->arguments, topic)) row = &ONE_OF(table);
  return row;
}

static void call_some(int count) {
  for (int i = 0; i < count; ++i) {
    const row* row = any_row();
    last_call = row->name;
    if (trace) fprintf(stderr, "%*s%s\n", 2 * world->depth, "", row->name);
    row->call();
  }
}

static const char* name_of(size_t i) { return i < COUNT_OF(table) ? table[i].name : NULL; }
static const char* get_last(void) { return last_call; }

static void begin(uint64_t seed) {
  world = aligned_alloc(64, sizeof *world);
  memset(world, 0, sizeof *world);
  world->random = seed;
  world->budget = 4000;
}

static void end(void) {
  drop_above(LOCKS, 0);
  drop_above(OP, 0);  // before their contexts
  for (int i = 0; i < kind_count; ++i) drop_above((kind)i, 0);
  free(world);
  world = NULL;
}

__attribute__((visibility("default"))) const hostile_interface hostile;
const hostile_interface hostile = {name_of, begin, call_some, end, get_last};

static void define_op(const char* name, const char* const* specs) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(name);
  for (; *specs; ++specs) {
    if (!strncmp(*specs, "in ", 3)) TF_OpDefinitionBuilderAddInput(builder, *specs + 3);
    if (!strncmp(*specs, "out ", 4)) TF_OpDefinitionBuilderAddOutput(builder, *specs + 4);
    if (!strncmp(*specs, "attr ", 5)) TF_OpDefinitionBuilderAddAttr(builder, *specs + 5);
  }
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, infer);
  TF_RegisterOpDefinition(builder, NULL);
}
#define DEFINE_OP(name, ...) define_op(name, (const char* const[]){__VA_ARGS__, NULL})
#define LARGE_OP                                                                                 \
  "in a: float", "in b: int32", "in s: string", "in v: resource", "in w: variant",               \
      "in r: Ref(float)", "in l: Tl", "out x: float", "out y: int32", "out z: string",           \
      "out q: resource", "out o: variant", "out p: Ref(float)", "attr Tl: list(type)",           \
      "attr i: int = 7", "attr fl: float = 1.5", "attr bo: bool = true",                         \
      "attr st: string = 'abc'", "attr ty: type = DT_FLOAT",                                     \
      "attr sh: shape = { dim { size: 2 } dim { size: -1 } }",                                   \
      "attr te: tensor = { dtype: DT_INT32 tensor_shape { } int_val: 3 }",                       \
      "attr fu: func = { name: 'f' }", "attr li: list(int) = [1, -2, 3]",                        \
      "attr lf: list(float) = [0.5]", "attr lb: list(bool) = [true, false]",                     \
      "attr ls: list(string) = ['a', '', 'bcd']", "attr lt: list(type) = [DT_FLOAT, DT_STRING]", \
      "attr lsh: list(shape) = [{ dim { size: 1 } }, { unknown_rank: true }]",                   \
      "attr lte: list(tensor) = []", "attr lfu: list(func) = []"

static void register_kernel(const char* op, bool is_async) {
  TF_RegisterKernelBuilder(op,
                           is_async
                               ? TF_NewAsyncKernelBuilder(op, "CPU", create, compute_async, destroy)
                               : TF_NewKernelBuilder(op, "CPU", create, compute, destroy),
                           NULL);
}

void TF_InitKernel(void) {
  make_constants();
  trace = getenv("TN_HOSTILE_TRACE") != NULL;
  DEFINE_OP("Hostile", LARGE_OP);
  DEFINE_OP("HostileAsync", LARGE_OP);
  DEFINE_OP("HostileSmall", "attr T: type", "in x: T", "out y: float");
  DEFINE_OP("HostileSmallAsync", "attr T: type", "in x: T", "out y: float");
  DEFINE_OP("HostileVariants", "in a: variant", "in b: variant", "out c: variant");
  DEFINE_OP("HostileLists", "attr N: int", "attr Tl: list(type)", "in x: N * float", "in l: Tl",
            "out y: float");
  register_kernel("HostileVariants", false);
  register_kernel("HostileLists", false);
  register_kernel("Hostile", false);
  register_kernel("HostileAsync", true);
  register_kernel("HostileSmall", false);
  register_kernel("HostileSmallAsync", true);
  const char* seed = getenv("TN_HOSTILE_INIT_SEED");
  if (!seed) return;
  begin(strtoull(seed, NULL, 10));
  call_some(2000);
  end();
}
