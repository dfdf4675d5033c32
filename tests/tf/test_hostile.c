// A plugin that makes every mistake it can survives, and so does the host: see hostile_plugin.c.
//
// Sequences are numbered by their seeds. TN_TEST_SEED=n replays from that one on; when the process
// dies, the seed and the last call are told. TN_TEST_SOAK_SECONDS makes each test run that long;
// TN_HOSTILE_TRACE=1 names each call.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "elf/look.h"
#include "harness.h"
#include "hostile.h"
#include "kernel/resource.h"
#include "kernel/tensor_list.h"
#include "kernel/variable.h"
#include "op/op_registry.h"
#include "op/shape_inference.h"
#include "tenon/tenon.h"
#include "tensorflow/c/logging.h"

#define PLUGIN TENON_BUILD_DIR "/tests/plugins/hostile.so"
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const hostile_interface* hostile;
static uint64_t current_seed;

// Where it was when it died, by a signal or a sanitizer. An alarm tells of a deadlock.
static void tell_where(void) {
  char text[256];
  int size = snprintf(text, sizeof text, "died in the sequence TN_TEST_SEED=%llu, last call %s\n",
                      (unsigned long long)current_seed, hostile ? hostile->last() : "(loading)");
  if (write(STDERR_FILENO, text, (size_t)size) < 0) return;
}

static void tell_and_die(int signal_number) {
  tell_where();
  signal(signal_number, SIG_DFL);
  raise(signal_number == SIGALRM ? SIGABRT : signal_number);
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static int soak_seconds(void) {
  const char* given = getenv("TN_TEST_SOAK_SECONDS");
  return given ? atoi(given) : 0;
}

static void watch_out(void) {
  tn_log_set_level(TN_LOG_OFF);
  if (__sanitizer_set_death_callback) {
    __sanitizer_set_death_callback(tell_where);
  } else {
    signal(SIGSEGV, tell_and_die);
    signal(SIGBUS, tell_and_die);
    signal(SIGFPE, tell_and_die);
    signal(SIGABRT, tell_and_die);
  }
  signal(SIGALRM, tell_and_die);
  alarm(50 + (unsigned)soak_seconds());
}

static void load(void) {
  watch_out();
  tn_status status = {0};
  CHECK(tn_plugin_load(PLUGIN, NULL, &status));
  CHECK_OK(&status);
  void* file = dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD);
  CHECK(file);
  hostile = dlsym(file, "hostile");
  CHECK(hostile);
}

// The inputs of the op Hostile: a number of each sort, a variable by handle and by reference, a
// variant, and a list.
enum { input_count = 8, output_count = 6 };

typedef struct inputs {
  tn_tensor* tensors[input_count];
} inputs;

static void make_inputs(inputs* in, const char* variable_name) {
  tn_status status = {0};
  int64_t two = 2;
  tn_tensor* list_tensor = NULL;
  tn_tensor_list* list = tn_tensor_list_create(TN_FLOAT, NULL, 3, &status);
  if (list) {
    list->tensors[0] = tn_tensor_create_from(TN_FLOAT, &two, 1, (float[]){1, 2}, 8, &status);
    list_tensor = tn_tensor_of_object(TN_VARIANT, &list->object, &status);
  }
  tn_variable* variable = tn_variable_create(TN_FLOAT, &status);
  *in = (inputs){{
      tn_tensor_create_from(TN_FLOAT, &two, 1, (float[]){1, 2}, 8, &status),
      tn_tensor_create_from(TN_INT32, &two, 1, (int[]){3, -1}, 8, &status),
      tn_tensor_create_strings(&two, 1, (const char*[]){"a", "a text of more than 22 bytes"}, NULL,
                               &status),
      tn_resource_handle_tensor("CPU", TN_DEFAULT_CONTAINER, variable_name, &tn_variable_type, NULL,
                                TN_FLOAT, NULL, &status),
      list_tensor,
      tn_variable_reference(variable, &status),
      tn_tensor_create_from(TN_INT64, NULL, 0, (int64_t[]){5}, 8, &status),
      tn_tensor_create_from(TN_FLOAT, NULL, 0, (float[]){5}, 4, &status),
  }};
  tn_variable_unref(variable);
  CHECK_OK(&status);
}

static void destroy_inputs(inputs* in) {
  for (int i = 0; i < input_count; ++i) tn_tensor_destroy(in->tensors[i]);
}

// The plugin behaves again, and the host still works.
static void check_health(void) {
  tn_status status = {0};
  tn_call* call = tn_call_create("HostileSmall", NULL, &status);
  tn_tensor *input = tn_tensor_create(TN_INT32, NULL, 0, &status), *output = NULL;
  CHECK(tn_call_run(call, &input, 1, &output, 1, &status));
  CHECK_OK(&status);
  CHECK_INT(tn_tensor_dtype(output), TN_FLOAT);
  CHECK_INT(tn_tensor_elements(output), 6);
  tn_tensor_destroy(output);
  tn_tensor_destroy(input);
  tn_call_destroy(call);
}

// Runs sequences with rising seeds: `count` of them, or for as long as the soak lasts.
static void repeat(int count, void (*sequence)(const inputs* in)) {
  load();
  inputs in;
  make_inputs(&in, "hostile");
  uint64_t first = test_seed();
  time_t end = time(NULL) + soak_seconds();
  for (int i = 0; i < count || time(NULL) < end; ++i) {
    current_seed = first + (uint64_t)i;
    hostile->begin(current_seed);
    sequence(&in);
    hostile->end();
    if (i % 16 == 0) check_health();
  }
  destroy_inputs(&in);
}

void _ZN10tensorflow8internal15LogMessageFatalC1EPKci(void* self, const char* file, int line);
void _ZN10tensorflow8internal15LogMessageFatalD1Ev(void* self);

// What ends the process when it is called, because that is what it is for.
static const char* const left_out[] = {
    "_ZN10tensorflow8internal15LogMessageFatalC1EPKci",
    "_ZN10tensorflow8internal15LogMessageFatalD1Ev",
};

static void end_by(int way) {
  if (way == 0) _ZN10tensorflow8internal15LogMessageFatalC1EPKci(NULL, NULL, -1);
  if (way == 1) _ZN10tensorflow8internal15LogMessageFatalD1Ev(NULL);
  if (way == 2) TF_Log(TF_FATAL, "the plugin gives up");
}

TEST(test_what_a_hostile_plugin_is_not_let_near_ends_the_process_as_it_must) {
  for (int way = 0; way < 3; ++way) {
    pid_t child = fork();
    if (child == 0) {
      end_by(way);
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  }
}

TEST(test_the_hostile_plugin_calls_every_function_the_host_exports) {
  load();
  tn_status status = {0};
  tn_elf* host = tn_elf_look(TENON_BUILD_DIR "/lib/libtenon_tf.so", &status);
  CHECK_OK(&status);
  CHECK(host->export_count > 300);
  for (size_t i = 0; i < host->export_count; ++i) {
    bool found = false;
    for (size_t k = 0; k < COUNT_OF(left_out); ++k)
      found |= strcmp(left_out[k], host->exports[i]) == 0;
    for (size_t k = 0; !found && hostile->name(k); ++k)
      found = strcmp(hostile->name(k), host->exports[i]) == 0;
    if (!found)
      test_fail(__FILE__, __LINE__, "%s is exported; add it to hostile_calls.h", host->exports[i]);
  }
  tn_elf_destroy(host);
}

static void call_outside(const inputs* in) { hostile->call(3000); }

TEST(test_hostile_calls_outside_any_callback) { repeat(30, call_outside); }

// Makes and runs the kernel of an op with all kinds of inputs, outputs and attrs.
static void run_kernel(const inputs* in, const char* op) {
  tn_status status = {0};
  tn_tensor* outputs[output_count];
  for (int i = 0; i < 8; ++i) {
    tn_call* call = tn_call_create(op, NULL, &status);
    CHECK_OK(&status);
    for (int k = 0; k < 4; ++k) {
      if (tn_call_run(call, in->tensors, input_count, outputs, output_count, &status))
        for (int n = 0; n < output_count; ++n) CHECK(outputs[n]);
      for (int n = 0; n < output_count; ++n) tn_tensor_destroy(outputs[n]);
      tn_status_clear(&status);
    }
    tn_call_destroy(call);
  }
}

static void run_sync(const inputs* in) {
  run_kernel(in, "Hostile");
  tn_tensor *variants[] = {in->tensors[4], in->tensors[4]}, *output;
  tn_call* call = tn_call_create("HostileVariants", NULL, NULL);
  for (int i = 0; i < 8; ++i)
    if (tn_call_run(call, variants, 2, &output, 1, NULL)) tn_tensor_destroy(output);
  tn_call_destroy(call);
}
static void run_async(const inputs* in) { run_kernel(in, "HostileAsync"); }

TEST(test_hostile_calls_while_kernels_are_made_and_run) { repeat(40, run_sync); }
TEST(test_hostile_calls_in_asynchronous_kernels) { repeat(40, run_async); }

static void infer_shapes(const inputs* in) {
  tn_status status = {0};
  tn_dtype types[input_count];
  tn_shape shapes[input_count];
  tn_handle_data handles[input_count] = {0};
  tn_shape_ref as_shapes[input_count] = {0};
  for (int i = 0; i < input_count; ++i) {
    types[i] = tn_value_dtype(in->tensors[i]);
    shapes[i] = in->tensors[i]->shape;
  }
  shapes[2].rank = -1;
  shapes[0].small[0] = -1;
  handles[3] = (tn_handle_data){TN_FLOAT, &shapes[0]};
  as_shapes[1] = &shapes[0];
  tn_node* node =
      tn_node_create(tn_op_registry_find("Hostile"), "n", NULL, types, input_count, &status);
  CHECK_OK(&status);
  for (int i = 0; i < 40; ++i) {
    tn_inference inference;
    CHECK(
        tn_inference_init(&inference, node, shapes, (const tn_tensor* const*)in->tensors, &status));
    inference.input_handles = handles;
    inference.values_as_shapes = as_shapes;
    tn_inference_run(&inference, &status);
    for (size_t k = 0; k < node->output_count; ++k) {
      tn_text text = {0};
      tn_shape_print(inference.outputs[k], &text);
      tn_text_deinit(&text);
    }
    tn_status_clear(&status);
    tn_inference_deinit(&inference);
  }
  tn_node_destroy(node);
}

TEST(test_hostile_calls_in_shape_functions) { repeat(40, infer_shapes); }

TEST(test_hostile_calls_while_a_plugin_is_loaded) {
  watch_out();
  uint64_t seed = current_seed = test_seed();
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
  setenv("TN_HOSTILE_INIT_SEED", text, 1);
  tn_status status = {0};
  tn_plugin* plugin = tn_plugin_load(PLUGIN, NULL, &status);
  // A registration that failed fails the load, and what was registered is gone.
  if (!plugin) CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  tn_op_info* info = tn_op_info_create("HostileSmall", NULL);
  CHECK((plugin != NULL) == (info != NULL));
  tn_op_info_destroy(info);
  tn_status_clear(&status);
  unsetenv("TN_HOSTILE_INIT_SEED");
  load();
  check_health();
}

static void* run_thread(void* number) {
  char name[32];
  snprintf(name, sizeof name, "hostile %d", *(int*)number);
  inputs in;
  make_inputs(&in, name);
  for (int i = 0; i < 10; ++i) {
    hostile->begin(current_seed + (uint64_t)(*(int*)number * 1000 + i));
    hostile->call(500);
    run_kernel(&in, "Hostile");
    hostile->end();
  }
  destroy_inputs(&in);
  return NULL;
}

TEST(test_hostile_calls_on_several_threads) {
  load();
  current_seed = test_seed();
  pthread_t threads[4];
  int numbers[4] = {0, 1, 2, 3};
  for (int i = 0; i < 4; ++i) CHECK(!pthread_create(&threads[i], NULL, run_thread, &numbers[i]));
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  check_health();
}
