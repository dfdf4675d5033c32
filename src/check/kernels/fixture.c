// The plugin loaded, its kernels one by one, tensors compared.
#include "check/kernels/fixture.h"

#include <fnmatch.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check/kernels/contain.h"
#include "host/plugin.h"
#include "op/op_registry.h"
#include "tensor/tstring.h"

tk_state tk;

static tn_device* device_of_type(const char* type) {
  if (strcmp(type, "DEFAULT") == 0) return tn_device_cpu();
  for (size_t i = 0; i < tn_device_count(); ++i)
    if (strcmp(tn_device_type(tn_device_at(i)), type) == 0) return tn_device_at(i);
  return NULL;
}

// Whether any pattern of the options `key`=PATTERN fits; `otherwise` when there is none.
static bool fits_option(const char* key, const char* op, bool otherwise) {
  const size_t length = strlen(key);
  for (size_t i = 0; i < tk.subject->option_count; ++i) {
    const char* text = tk.subject->options[i];
    if (strncmp(text, key, length) != 0 || text[length] != '=') continue;
    if (fnmatch(text + length + 1, op, 0) == 0) return true;
    otherwise = false;
  }
  return otherwise;
}

bool tk_is_chosen(const char* op) {
  return fits_option("ops", op, true) && !fits_option("not-ops", op, false);
}

static bool add_kernel(const tn_kernel* kernel, void* arg) {
  size_t* capacity = arg;
  if (kernel->origin != tn_plugin_origin(tk.plugin) || !tk_is_chosen(kernel->def.op)) return true;
  if (!tn_grow(&tk.kernels, capacity, tk.count + 1, sizeof *tk.kernels))
    tn_case_error("out of memory");
  uint64_t seed = tk.subject->seed + tk.count;
  tk.kernels[tk.count++] = (tk_kernel){.kernel = kernel,
                                       .op = tn_op_registry_find(kernel->def.op),
                                       .device = device_of_type(kernel->def.device_type),
                                       .seed = tn_case_random(&seed)};
  return true;
}

// A plugin whose device is not here may have kernels all the same.
static tn_plugin* load(const char* path, tn_status* status) {
  tn_plugin* plugin =
      TN_CASE_CALL("dlopen, SE_InitPlugin or TF_InitKernel", tn_plugin_load(path, NULL, status));
  if (plugin) return plugin;
  const tn_load_options kernels = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                                   .entry_points = TN_ENTRY_KERNEL};
  return TN_CASE_CALL("dlopen or TF_InitKernel", tn_plugin_load(path, &kernels, NULL));
}

void tk_load(const tn_subject* subject) {
  tk.subject = subject;
  tn_status status = {0};
  tk.plugin = load(subject->path, &status);
  TN_NEED(tk.plugin, "a plugin that loads", "%s", tn_status_message(&status));
  tn_status_deinit(&status);
  size_t capacity = 0;
  tn_kernel_registry_each(add_kernel, &capacity);
}

// Ops that begin with '_' are internal: only the plugin's own graph pass makes nodes of them, with
// inputs that nobody else knows.
static bool is_internal(const tk_kernel* kernel) {
  return kernel->kernel->def.op[0] == '_' && !fits_option("internal", "true", false);
}

static bool can_run(const tk_kernel* kernel) {
  return kernel->op && kernel->device && !is_internal(kernel);
}

// Sanitizers map their shadows far beyond any limit.
static void limit_memory(void) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  mallopt(M_ARENA_MAX, 1);  // each takes far more addresses than bytes
  unsigned long long pages = 0;
  FILE* file = fopen("/proc/self/statm", "re");
  if (file && fscanf(file, "%llu", &pages) == 1) {
    const rlim_t limit = pages * (unsigned long long)sysconf(_SC_PAGESIZE) + (512ull << 20);
    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
  }
  if (file) fclose(file);
#endif
}

void tk_start(const tn_subject* subject) {
  tk_contain();
  tk_load(subject);
  size_t count = 0;
  for (size_t i = 0; i < tk.count; ++i) count += can_run(&tk.kernels[i]);
  if (tk.count == 0) tn_case_skip("it has no kernel, or none that --op and --not-op leave");
  if (count == 0)
    tn_case_skip(
        "none of its %zu kernels can run here: their ops are not known, or there is no "
        "device of their types",
        tk.count);
  limit_memory();
  // Kernels that write files are given names at random: nobody can make a file here.
  if (chdir("/proc/self") != 0) tn_case_error("there is no /proc/self");
}

static void each(bool only_runnable, void (*visit)(const tk_kernel* kernel)) {
  uint64_t random = tk.subject->seed;
  for (size_t i = tk.count; i > 1; --i) {
    const size_t other = (size_t)tn_case_between(&random, 0, (int64_t)i - 1);
    const tk_kernel kept = tk.kernels[i - 1];
    tk.kernels[i - 1] = tk.kernels[other];
    tk.kernels[other] = kept;
  }
  size_t looked_at = 0, not_here = 0, internal = 0, i = 0;
  for (; i < tk.count; ++i) {
    if (only_runnable && !can_run(&tk.kernels[i])) {
      if (is_internal(&tk.kernels[i]))
        ++internal;
      else
        ++not_here;
      continue;
    }
    if (looked_at > 0 && tk_visit_is_new() && tk_time_is_up()) break;
    ++looked_at;
    if (!tk_visit_begins()) continue;
    tn_case_about(tk_name(&tk.kernels[i]));
    visit(&tk.kernels[i]);
    tn_case_about(NULL);
    tk_visit_ends();
  }
  if (i < tk.count)
    tn_case_note(
        "looked at %zu of %zu kernels; a longer --time-limit looks at more, --op PATTERN chooses",
        looked_at, tk.count);
  if (tk_lost_in_search())
    tn_case_note(
        "%llu kernels ended the process while inputs for them were looked for; see "
        "kernels.runs.random_inputs",
        (unsigned long long)tk_lost_in_search());
  if (internal)
    tn_case_note(
        "%zu kernels of internal ops (_NAME) are left out; --option internal=true runs them",
        internal);
  if (not_here) tn_case_note("%zu kernels are for devices or ops that are not here", not_here);
}

void tk_each(void (*visit)(const tk_kernel* kernel)) { each(true, visit); }
void tk_each_registered(void (*visit)(const tk_kernel* kernel)) { each(false, visit); }

const char* tk_name(const tk_kernel* kernel) {
  // Some threads use it at once; thread-local memory of this library is too scarce for it.
  static char texts[64][160];
  static _Atomic unsigned next;
  char* text = texts[next++ % 64];
  snprintf(text, sizeof texts[0], "%s (%s, %s)", kernel->kernel->def.op, kernel->kernel->name,
           kernel->kernel->def.device_type);
  return text;
}

// ---- Tensors ----

bool tk_same(const tn_tensor* a, const tn_tensor* b) {
  if (!a || !b || a->dtype != b->dtype || !tn_shape_equal(&a->shape, &b->shape)) return false;
  if (a->dtype == TN_STRING) {
    for (int64_t i = 0; i < tn_tensor_elements(a); ++i) {
      size_t size, other_size;
      const char *text = tn_tensor_string(a, i, &size),
                 *other = tn_tensor_string(b, i, &other_size);
      if (size != other_size || memcmp(text, other, size) != 0) return false;
    }
    return true;
  }
  return tn_dtype_owns(a->dtype) ||
         memcmp(tn_tensor_data(a), tn_tensor_data(b), tn_tensor_bytes(a)) == 0;
}

// Sums in another order differ a little.
static bool is_near(const void* a, const void* b, size_t count, tn_dtype dtype) {
  for (size_t i = 0; i < count; ++i) {
    double x, y, tolerance = 1e-5;
    switch (dtype) {
      case TN_FLOAT: x = ((const float*)a)[i], y = ((const float*)b)[i]; break;
      case TN_DOUBLE: x = ((const double*)a)[i], y = ((const double*)b)[i]; break;
      case TN_HALF: x = ((const _Float16*)a)[i], y = ((const _Float16*)b)[i]; break;
      default: {
        const uint32_t words[] = {(uint32_t)((const uint16_t*)a)[i] << 16,
                                  (uint32_t)((const uint16_t*)b)[i] << 16};
        float floats[2];
        memcpy(floats, words, sizeof floats);
        x = floats[0], y = floats[1];
      }
    }
    if (dtype == TN_HALF || dtype == TN_BFLOAT16) tolerance = 1e-2;
    const double most = __builtin_fmax(1, __builtin_fmax(__builtin_fabs(x), __builtin_fabs(y)));
    const bool equal = x == y || (x != x && y != y);
    if (!equal && !(__builtin_fabs(x - y) <= tolerance * most)) return false;
  }
  return true;
}

static bool near_enough(const tn_tensor* a, const tn_tensor* b) {
  if (tk_same(a, b)) return true;
  if (!a || !b || a->dtype != b->dtype || !tn_shape_equal(&a->shape, &b->shape)) return false;
  const size_t count = (size_t)tn_tensor_elements(a);
  const void *x = tn_tensor_data(a), *y = tn_tensor_data(b);
  switch (a->dtype) {
    case TN_COMPLEX64: return is_near(x, y, 2 * count, TN_FLOAT);
    case TN_COMPLEX128: return is_near(x, y, 2 * count, TN_DOUBLE);
    case TN_FLOAT:
    case TN_DOUBLE:
    case TN_HALF:
    case TN_BFLOAT16: return is_near(x, y, count, a->dtype);
    default: return false;
  }
}

void tk_keep_outputs(const tk_run* run, tn_tensor** kept) {
  for (size_t i = 0; i < run->output_count; ++i)
    if (!(kept[i] = tn_tensor_clone(run->outputs[i], NULL))) tn_case_error("out of memory");
}

void tk_drop_tensors(tn_tensor** tensors, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    tn_tensor_destroy(tensors[i]);
    tensors[i] = NULL;
  }
}

void tk_expect_outputs(const tk_run* run, tn_tensor* const* kept, const char* expected) {
  for (size_t i = 0; i < run->output_count; ++i)
    TN_EXPECT(near_enough(run->outputs[i], kept[i]), expected, "output %zu of %s differs", i,
              tk_describe(run));
}
