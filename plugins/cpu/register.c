#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "device_kernels.h"
#include "variables.h"

bool hosted_by_tenon(void) {
  Dl_info supplier;
  if (!dladdr((void*)TF_NewKernelBuilder, &supplier) || !supplier.dli_fname) return false;
  const char* slash = strrchr(supplier.dli_fname, '/');
  return strstr(slash ? slash : supplier.dli_fname, "libtenon_tf") != NULL;
}

// A KernelDef in protobuf's wire format. It says in one registration what would take one builder
// per combination of types. No zero byte may occur, because it travels as a C string; none does:
// lengths and type numbers are positive, and fields that are zero are left out.
typedef struct bytes {
  char data[1024];
  size_t size;
} bytes;

static void put(bytes* out, const void* data, size_t size) {
  assert(size < sizeof out->data - out->size);
  memcpy(out->data + out->size, data, size);
  out->size += size;
  out->data[out->size] = '\0';
}

// A field of wire type 2 (text, message, packed list) that is shorter than 128 bytes.
static void put_field(bytes* out, int field, const void* data, size_t size) {
  assert(size > 0 && size < 128);
  const char head[] = {(char)(field << 3 | 2), (char)size};
  put(out, head, sizeof head);
  put(out, data, size);
}

static void put_text(bytes* out, int field, const char* text) {
  put_field(out, field, text, strlen(text));
}

// Constraint{name = 1, allowed_values = 2: AttrValue{list = 1: ListValue{type = 6}}}.
static bytes constraint_bytes(const char* attr, tn_cpu_types types) {
  bytes numbers = {.size = 0}, list = {.size = 0}, value = {.size = 0}, constraint = {.size = 0};
  for (char type = 1; type < 64; ++type)
    if (types & TN_CPU_TYPE(type)) put(&numbers, &type, 1);
  put_field(&list, 6, numbers.data, numbers.size);
  put_field(&value, 1, list.data, list.size);
  put_text(&constraint, 1, attr);
  put_field(&constraint, 2, value.data, value.size);
  return constraint;
}

// KernelDef{op = 1, device_type = 2, constraint = 3, host_memory_arg = 4, label = 5, priority = 6}.
static bytes definition(const kernel* kernel, const char* device) {
  bytes def = {.size = 0};
  put_text(&def, 1, kernel->op);
  put_text(&def, 2, device);
  for (int i = 0; i < MAX_CONSTRAINTS && kernel->constraints[i].attr; ++i) {
    bytes constraint = constraint_bytes(kernel->constraints[i].attr, kernel->constraints[i].types);
    put_field(&def, 3, constraint.data, constraint.size);
  }
  for (int i = 0; i < MAX_HOST_ARGS && kernel->host_args[i]; ++i)
    put_text(&def, 4, kernel->host_args[i]);
  return def;
}

// Takes the builder.
static void add(const kernel* kernel, bytes def, TF_KernelBuilder* builder, TF_Status* status) {
  if (builder) TF_RegisterKernelBuilderWithKernelDef(def.data, kernel->op, builder, status);
  // TF_InitKernel has no status to hand this on.
  if (!builder || TF_GetCode(status) != TF_OK)
    fprintf(stderr, "libtenon_cpu: kernel %s: %s\n", kernel->op,
            builder ? TF_Message(status) : "no builder");
}

static void add_to_cpu(const kernel* kernel, bool at_home, TF_Status* status) {
  TF_KernelBuilder* builder = kernel->compute_async
                                  ? TF_NewAsyncKernelBuilder(kernel->op, "CPU", kernel->create,
                                                             kernel->compute_async, kernel->destroy)
                                  : TF_NewKernelBuilder(kernel->op, "CPU", kernel->create,
                                                        kernel->compute, kernel->destroy);
  bytes def = definition(kernel, "CPU");
  const char priority[] = {6 << 3, 1};
  // TensorFlow has kernels of its own at priority 0, and ours were asked for instead.
  if (!at_home && kernel->modest) put_text(&def, 5, "tenon");
  if (!at_home && !kernel->modest) put(&def, priority, sizeof priority);
  add(kernel, def, builder, status);
}

static bool is_set(const char* variable, bool unless_set) {
  const char* text = getenv(variable);
  return text && *text ? strcmp(text, "0") != 0 : unless_set;
}

// In another host than Tenon, kernels are on the device TENON only, unless this is set.
static bool replaces(void) { return is_set("TENON_CPU_REPLACE", false); }

// TensorFlow from 2.19 on updates variables of any device with kernels for the CPU, which read
// values that are in device memory without waiting for a stream: they must be there by then.
static bool launches(void) { return is_set("TENON_CPU_LAUNCH", has_variables()); }

void register_kernels(const kernel* kernels, int count) {
  const bool at_home = hosted_by_tenon();
  const bool on_cpu = at_home || replaces();
  TF_Status* status = TF_NewStatus();
  for (int i = 0; i < count; ++i) {
    if (on_cpu) add_to_cpu(&kernels[i], at_home, status);
    placed placed[MAX_PLACED];
    const int places = place_kernel(&kernels[i], placed);
    for (int j = 0; j < places; ++j)
      add(&placed[j].kernel, definition(&placed[j].kernel, DEVICE_TYPE), device_builder(&placed[j]),
          status);
  }
  TF_DeleteStatus(status);
}

__attribute__((visibility("default"))) void TF_InitKernel(void) {
  run_prepare(launches());
  count_calls();
  register_arithmetic();
  register_cast();
  register_math();
  register_special();
  register_conditions();
  register_likes();
  register_matmul();
  register_conv();
  register_einsum();
  register_reductions();
  register_scans();
  register_segments();
  register_bincounts();
  register_norms();
  register_topk();
  register_softmax();
  register_bias();
  register_layout();
  register_reshape();
  register_shapes();
  register_join();
  register_slice();
  register_reverse();
  register_pad();
  register_fill();
  register_gather();
  register_scatter();
  register_unique();
  register_where();
  register_partition();
  register_space();
  register_diagonal();
  register_bucketize();
  register_strings();
  register_string_joins();
  register_string_splits();
  register_string_cases();
  register_string_numbers();
  register_string_prints();
  register_string_format();
  register_string_bytes();
  register_random();
  register_random_generators();
  register_stateless();
  register_variables();
  register_files();
  register_pooling();
  register_depthwise();
  register_resize();
  register_crop();
  register_training();
  register_variable_rows();
}
