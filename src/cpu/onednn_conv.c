#include "cpu/onednn_conv.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/matmul_blocks.h"
#include "cpu/onednn.h"
#include "cpu/parallel.h"

// What is needed of the library's second version. Descriptors are larger than they are there, and
// nobody looks into them.
typedef struct memory_desc {
  _Alignas(16) char bytes[1024];
} memory_desc;
typedef struct conv_desc {
  _Alignas(16) char bytes[8192];
} conv_desc;
typedef struct exec_arg {
  int arg;
  void* memory;
} exec_arg;
enum {
  CPU = 1,
  F32 = 3,
  TAG_ANY = 1,
  DIRECT = 1,
  TRAINING = 64,
  STREAM_DEFAULT = 1,
  SCRATCHPAD_BY_USER = 1,
};
enum {
  ARG_SRC = 1,
  ARG_DST = 17,
  ARG_FROM = 1,
  ARG_TO = 17,
  ARG_WEIGHTS = 33,
  ARG_SCRATCHPAD = 80,
  ARG_DIFF_SRC = 129,
  ARG_DIFF_DST = 145,
  ARG_DIFF_WEIGHTS = 161
};

#define FUNCTIONS(X)                                                                          \
  X(engine_create, (void** engine, int kind, size_t index))                                   \
  X(stream_create, (void** stream, void* engine, unsigned flags))                             \
  X(stream_destroy, (void* stream))                                                           \
  X(memory_desc_init_by_tag,                                                                  \
    (memory_desc * desc, int rank, const int64_t* dims, int type, int tag))                   \
  X(memory_desc_equal, (const void* a, const void* b))                                        \
  X(memory_create, (void** memory, const void* desc, void* engine, void* data))               \
  X(memory_destroy, (void* memory))                                                           \
  X(primitive_attr_create, (void** attr))                                                     \
  X(primitive_attr_set_scratchpad_mode, (void* attr, int mode))                               \
  X(dilated_convolution_forward_desc_init,                                                    \
    (conv_desc * desc, int kind, int algorithm, const memory_desc* src, const memory_desc* w, \
     const memory_desc* bias, const memory_desc* dst, const int64_t* strides,                 \
     const int64_t* dilations, const int64_t* before, const int64_t* after))                  \
  X(dilated_convolution_backward_data_desc_init,                                              \
    (conv_desc * desc, int algorithm, const memory_desc* src, const memory_desc* w,           \
     const memory_desc* dst, const int64_t* strides, const int64_t* dilations,                \
     const int64_t* before, const int64_t* after))                                            \
  X(dilated_convolution_backward_weights_desc_init,                                           \
    (conv_desc * desc, int algorithm, const memory_desc* src, const memory_desc* w,           \
     const memory_desc* bias, const memory_desc* dst, const int64_t* strides,                 \
     const int64_t* dilations, const int64_t* before, const int64_t* after))                  \
  X(primitive_desc_create,                                                                    \
    (void** out, const conv_desc* desc, void* attr, void* engine, void* forward))             \
  X(primitive_desc_query, (const void* desc, int what, int index, const char** out))          \
  X(reorder_primitive_desc_create, (void** out, const void* from, void* from_engine,          \
                                    const void* to, void* to_engine, void* attr))             \
  X(primitive_desc_destroy, (void* desc))                                                     \
  X(primitive_create, (void** primitive, void* desc))                                         \
  X(primitive_execute, (const void* primitive, void* stream, int count, const exec_arg* args))
#define POINTER(name, arguments) int(*name) arguments;
static struct {
  FUNCTIONS(POINTER)
  const void* (*primitive_desc_query_md)(const void* desc, int what, int index);
  size_t (*memory_desc_get_size)(const void* desc);
  void *engine, *attr;
  bool there;
} dnnl;
enum { TAG_NHWC = 20, TAG_HWIO = 30 };
enum { QUERY_NAME = 8, QUERY_WEIGHTS = 131, QUERY_DIFF_WEIGHTS = 132, QUERY_SCRATCHPAD = 136 };

static void find_functions(void) {
  bool all = tn_onednn_is_there();
#define FIND(name, _) \
  all = all && (*(void**)& dnnl.name = tn_onednn_function("dnnl_" #name)) != NULL;
  FUNCTIONS(FIND)
  FIND(primitive_desc_query_md, )
  FIND(memory_desc_get_size, )
  dnnl.there = all && !dnnl.engine_create(&dnnl.engine, CPU, 0) &&
               !dnnl.primitive_attr_create(&dnnl.attr) &&
               !dnnl.primitive_attr_set_scratchpad_mode(dnnl.attr, SCRATCHPAD_BY_USER);
}

// What the library has made for a pass over so many images; kept as long as the process. Shapes
// beyond the first so many are not kept, and left to our own code.
enum { MOST_ENTRIES = 256 };

typedef struct entry {
  tn_onednn_pass pass;
  tn_cpu_conv2d conv;
  bool usable;
  void *primitive, *reorder;            // reorder: of the filter; NULL if it is used as it is
  memory_desc images, filter, outputs;  // as they are
  const void *inner_filter, *scratchpad;
  size_t filter_bytes, scratchpad_bytes;
} entry;

static bool describe_conv(const entry* entry, int pass, conv_desc* out) {
  const tn_cpu_conv2d* c = &entry->conv;
  memory_desc any;
  const int64_t filter[] = {c->out_depth, c->in_depth, c->filter_height, c->filter_width};
  if (dnnl.memory_desc_init_by_tag(&any, 4, filter, F32, TAG_ANY)) return false;
  const int64_t strides[] = {c->stride_height, c->stride_width};
  const int64_t dilations[] = {c->dilation_height - 1, c->dilation_width - 1};
  const int64_t before[] = {c->pad_top, c->pad_left};
  int64_t after[] = {(c->out_height - 1) * c->stride_height +
                         (c->filter_height - 1) * c->dilation_height + 1 - c->in_height -
                         c->pad_top,
                     (c->out_width - 1) * c->stride_width +
                         (c->filter_width - 1) * c->dilation_width + 1 - c->in_width - c->pad_left};
  for (int i = 0; i < 2; ++i)
    if (after[i] < 0) after[i] = 0;
  switch (pass) {
    case TN_ONEDNN_FORWARD:
      return !dnnl.dilated_convolution_forward_desc_init(out, TRAINING, DIRECT, &entry->images,
                                                         &any, NULL, &entry->outputs, strides,
                                                         dilations, before, after);
    case TN_ONEDNN_INPUT_GRADIENT:
      return !dnnl.dilated_convolution_backward_data_desc_init(
          out, DIRECT, &entry->images, &any, &entry->outputs, strides, dilations, before, after);
    default:
      return !dnnl.dilated_convolution_backward_weights_desc_init(out, DIRECT, &entry->images, &any,
                                                                  NULL, &entry->outputs, strides,
                                                                  dilations, before, after);
  }
}

// The primitive's descriptor; only of code made for this processor, not of fallbacks.
static void* primitive_desc(entry* entry) {
  conv_desc desc;
  void *forward = NULL, *result = NULL;
  if (!describe_conv(entry, TN_ONEDNN_FORWARD, &desc) ||
      dnnl.primitive_desc_create(&forward, &desc, dnnl.attr, dnnl.engine, NULL))
    return NULL;
  if (entry->pass == TN_ONEDNN_FORWARD) {
    result = forward;
  } else {
    if (!describe_conv(entry, entry->pass, &desc) ||
        dnnl.primitive_desc_create(&result, &desc, dnnl.attr, dnnl.engine, forward))
      result = NULL;
    dnnl.primitive_desc_destroy(forward);
  }
  const char* name = "";
  if (result && (dnnl.primitive_desc_query(result, QUERY_NAME, 0, &name) ||
                 (strncmp(name, "jit", 3) != 0 && strncmp(name, "brg", 3) != 0))) {
    dnnl.primitive_desc_destroy(result);
    result = NULL;
  }
  return result;
}

// Between the filter's layout and the library's, in the direction that the pass needs.
static bool make_reorder(entry* entry) {
  if (dnnl.memory_desc_equal(entry->inner_filter, &entry->filter)) return true;
  const bool back = entry->pass == TN_ONEDNN_FILTER_GRADIENT;
  const void *outer = &entry->filter, *inner = entry->inner_filter;
  void* desc = NULL;
  if (dnnl.reorder_primitive_desc_create(&desc, back ? inner : outer, dnnl.engine,
                                         back ? outer : inner, dnnl.engine, NULL))
    return false;
  const bool made = !dnnl.primitive_create(&entry->reorder, desc);
  dnnl.primitive_desc_destroy(desc);
  return made;
}

static bool make_entry(entry* entry) {
  const tn_cpu_conv2d* c = &entry->conv;
  const int64_t images[] = {c->batch, c->in_depth, c->in_height, c->in_width};
  const int64_t outputs[] = {c->batch, c->out_depth, c->out_height, c->out_width};
  const int64_t filter[] = {c->out_depth, c->in_depth, c->filter_height, c->filter_width};
  if (dnnl.memory_desc_init_by_tag(&entry->images, 4, images, F32, TAG_NHWC) ||
      dnnl.memory_desc_init_by_tag(&entry->outputs, 4, outputs, F32, TAG_NHWC) ||
      dnnl.memory_desc_init_by_tag(&entry->filter, 4, filter, F32, TAG_HWIO))
    return false;
  void* desc = primitive_desc(entry);
  if (!desc) return false;
  // The descriptor stays: what it answers points into it.
  entry->inner_filter = dnnl.primitive_desc_query_md(
      desc, entry->pass == TN_ONEDNN_FILTER_GRADIENT ? QUERY_DIFF_WEIGHTS : QUERY_WEIGHTS, 0);
  entry->scratchpad = dnnl.primitive_desc_query_md(desc, QUERY_SCRATCHPAD, 0);
  entry->filter_bytes = dnnl.memory_desc_get_size(entry->inner_filter);
  entry->scratchpad_bytes = dnnl.memory_desc_get_size(entry->scratchpad);
  return !dnnl.primitive_create(&entry->primitive, desc) && make_reorder(entry);
}

static const entry* find_entry(tn_onednn_pass pass, const tn_cpu_conv2d* conv, int64_t images) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static entry* entries[MOST_ENTRIES];
  static int count;
  tn_cpu_conv2d wanted = *conv;
  wanted.batch = images;
  pthread_mutex_lock(&lock);
  entry* found = NULL;
  for (int i = 0; i < count && !found; ++i)
    if (entries[i]->pass == pass && memcmp(&entries[i]->conv, &wanted, sizeof wanted) == 0)
      found = entries[i];
  if (!found && count < MOST_ENTRIES && (found = tn_alloc_zeroed(1, sizeof *found))) {
    found->pass = pass;
    found->conv = wanted;
    const int threads = tn_onednn_enter();
    found->usable = make_entry(found);
    tn_onednn_leave(threads);
    entries[count++] = found;
  }
  pthread_mutex_unlock(&lock);
  return found && found->usable ? found : NULL;
}

// Runs with up to 4 arguments, whose memory is described and given.
typedef struct argument {
  int arg;
  const void* desc;
  void* data;
} argument;

static bool execute(void* primitive, const argument* arguments, int count) {
  exec_arg args[4] = {{0}};
  void* stream = NULL;
  const int threads = tn_onednn_enter();
  bool good = !dnnl.stream_create(&stream, dnnl.engine, STREAM_DEFAULT);
  int made = 0;
  for (; good && made < count; ++made) {
    args[made].arg = arguments[made].arg;
    good = !dnnl.memory_create(&args[made].memory, arguments[made].desc, dnnl.engine,
                               arguments[made].data);
    if (!good) break;
  }
  good = good && !dnnl.primitive_execute(primitive, stream, count, args);
  for (int i = 0; i < made; ++i) dnnl.memory_destroy(args[i].memory);
  if (stream) dnnl.stream_destroy(stream);
  tn_onednn_leave(threads);
  return good;
}

// One call: images are shared out in pieces, each with a scratchpad and, for the filter's gradient,
// a filter of its own; these are summed at the end.
typedef struct conv_job {
  tn_onednn_pass pass;
  const tn_cpu_conv2d* conv;
  const entry *whole, *last;  // of a piece, and of the last one
  int64_t pieces, images;
  float *input, *output;
  char *filters, *scratchpads;
  size_t filter_step, scratchpad_step;
  bool failed;
} conv_job;

static void run_pieces(void* arg, int64_t begin, int64_t end) {
  conv_job* job = arg;
  const tn_cpu_conv2d* c = job->conv;
  static const int images_arg[] = {ARG_SRC, ARG_DIFF_SRC, ARG_SRC};
  static const int filter_arg[] = {ARG_WEIGHTS, ARG_WEIGHTS, ARG_DIFF_WEIGHTS};
  static const int output_arg[] = {ARG_DST, ARG_DIFF_DST, ARG_DIFF_DST};
  for (int64_t i = begin; i < end; ++i) {
    const entry* entry = i + 1 == job->pieces ? job->last : job->whole;
    const int64_t first = i * job->images;
    const argument arguments[] = {
        {images_arg[job->pass], &entry->images,
         job->input + first * c->in_height * c->in_width * c->in_depth},
        {filter_arg[job->pass], entry->inner_filter, job->filters + (size_t)i * job->filter_step},
        {output_arg[job->pass], &entry->outputs,
         job->output + first * c->out_height * c->out_width * c->out_depth},
        {ARG_SCRATCHPAD, entry->scratchpad, job->scratchpads + (size_t)i * job->scratchpad_step}};
    if (!execute(entry->primitive, arguments, 4))
      __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
  }
}

static void add_filters(void* arg, int64_t begin, int64_t end) {
  const conv_job* job = arg;
  float* sum = (float*)(void*)job->filters;
  for (int64_t piece = 1; piece < job->pieces; ++piece) {
    const float* more =
        (const float*)(const void*)(job->filters + (size_t)piece * job->filter_step);
    for (int64_t i = begin; i < end; ++i) sum[i] += more[i];
  }
}

static bool run_job(conv_job* job, float* filter, const tn_cpu_parallel* parallel) {
  const entry* entry = job->whole;
  const bool back = job->pass == TN_ONEDNN_FILTER_GRADIENT;
  if (!back) {
    if (entry->reorder) {
      const argument arguments[] = {{ARG_FROM, &entry->filter, filter},
                                    {ARG_TO, entry->inner_filter, job->filters}};
      if (!execute(entry->reorder, arguments, 2)) return false;
    } else {
      job->filters = (char*)filter;
    }
    job->filter_step = 0;  // all read the same one
  }
  tn_cpu_run(parallel, job->pieces, 1000000, run_pieces, job);
  if (job->failed || !back) return !job->failed;
  if (job->pieces > 1)
    tn_cpu_run(parallel, (int64_t)(entry->filter_bytes / sizeof(float)), 1, add_filters, job);
  if (!entry->reorder) {
    memcpy(filter, job->filters, entry->filter_bytes);
    return true;
  }
  const argument arguments[] = {{ARG_FROM, entry->inner_filter, job->filters},
                                {ARG_TO, &entry->filter, filter}};
  return execute(entry->reorder, arguments, 2);
}

// Few channels, or fewer images than threads, are better off with our own code.
static bool suits(const tn_cpu_conv2d* c, int threads) {
  return c->groups == 1 && c->in_depth >= 16 && c->out_depth >= 16 && c->batch >= threads &&
         c->in_height > 0 && c->in_width > 0 && c->out_height > 0 && c->out_width > 0;
}

bool tn_onednn_conv2d(tn_onednn_pass pass, const tn_cpu_conv2d* conv, float* input, float* filter,
                      float* output, const tn_cpu_parallel* parallel) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const int threads = tn_cpu_thread_count(parallel);
  if (!suits(conv, threads)) return false;
  pthread_once(&once, find_functions);
  if (!dnnl.there) return false;
  conv_job job = {.pass = pass, .conv = conv, .input = input, .output = output};
  job.images = tn_pieces(conv->batch, threads);
  job.pieces = tn_pieces(conv->batch, job.images);
  job.whole = find_entry(pass, conv, job.images);
  job.last = find_entry(pass, conv, conv->batch - (job.pieces - 1) * job.images);
  // Sums and layouts are those of one kind of filter.
  if (!job.whole || !job.last || job.whole->filter_bytes != job.last->filter_bytes ||
      !dnnl.memory_desc_equal(job.whole->inner_filter, job.last->inner_filter))
    return false;
  const size_t filters = pass == TN_ONEDNN_FILTER_GRADIENT ? (size_t)job.pieces : 1;
  const size_t scratchpad = job.whole->scratchpad_bytes > job.last->scratchpad_bytes
                                ? job.whole->scratchpad_bytes
                                : job.last->scratchpad_bytes;
  job.filter_step = (job.whole->filter_bytes + 63) / 64 * 64;
  job.scratchpad_step = (scratchpad + 63) / 64 * 64;
  char* memory =
      tn_alloc(filters * job.filter_step + (size_t)job.pieces * job.scratchpad_step + 64);
  if (!memory) return false;
  job.filters = memory + (64 - (uintptr_t)memory % 64) % 64;
  job.scratchpads = job.filters + filters * job.filter_step;
  const bool good = run_job(&job, filter, parallel);
  tn_free(memory);
  return good;
}
