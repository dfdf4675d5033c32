// The plugin's file, and loading it in all sorts of places.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"
#include "doctor/inspect.h"

// ---- The file ----

static tn_inspection* look(const tn_subject* subject) {
  tn_status status = {0};
  tn_inspection* file = tn_inspect(subject->path, &status);
  if (!file) tn_case_error("%s", tn_status_message(&status));
  return file;
}

static void exports(const tn_subject* subject) {
  const tn_inspection* file = look(subject);
  for (int family = 0; family < TN_FAMILIES; ++family)
    if (file->leaks[family] && tn_family_hits((tn_family)family))
      tn_case_broken(NULL, "entry points, and nothing that other libraries have too",
                     "%zu symbols of %s among %zu exports", file->leaks[family],
                     tn_family_name((tn_family)family), file->elf->export_count);
}

static void executable_stack(const tn_subject* subject) {
  TN_EXPECT(!look(subject)->elf->executable_stack, "a stack that is not executable",
            "the file asks for an executable one (PT_GNU_STACK)");
}

static void text_relocations(const tn_subject* subject) {
  TN_EXPECT(!look(subject)->elf->text_relocations, "code that is not written to",
            "the file has text relocations (DT_TEXTREL)");
}

static void insides(const tn_subject* subject) {
  const tn_inspection* file = look(subject);
  TN_EXPECT(file->cpp_imports == 0, "functions of the C interface",
            "%zu C++ symbols that no library of the system has", file->cpp_imports);
}

// ---- Where it is loaded ----

static void expect_registrations(void) {
  TN_EXPECT(tn_plugin_op_count(tk.plugin) + tn_plugin_kernel_count(tk.plugin) > 0,
            "an op or a kernel", "nothing was registered");
}

static void registers(const tn_subject* subject) {
  tk_load(subject);
  expect_registrations();
  const char* notes = tn_plugin_notes(tk.plugin);
  if (*notes) tn_case_note("%s", notes);
}

static void loaded_twice(const tn_subject* subject) {
  tk_load(subject);
  const size_t ops = tn_plugin_op_count(tk.plugin), kernels = tn_plugin_kernel_count(tk.plugin);
  const tn_plugin* first = tk.plugin;
  tk.count = 0;
  tk_load(subject);
  TN_EXPECT(tk.plugin == first && tn_plugin_op_count(first) == ops &&
                tn_plugin_kernel_count(first) == kernels,
            "the same plugin with the same ops and kernels",
            "%zu ops and %zu kernels, then %zu and %zu", ops, kernels,
            tn_plugin_op_count(tk.plugin), tn_plugin_kernel_count(tk.plugin));
}

// A host that loads plugins from two places calls it twice.
static void registered_twice(const tn_subject* subject) {
  tk_load(subject);
  const size_t ops = tn_plugin_op_count(tk.plugin);
  void* library = dlopen(subject->path, RTLD_LAZY | RTLD_NOLOAD);
  void (*init)(void) = library ? (void (*)(void))dlsym(library, "TF_InitKernel") : NULL;
  if (!init) tn_case_error("TF_InitKernel of the loaded file is not to be found");
  tn_case_enter("TF_InitKernel, the second time");
  init();
  tn_case_leave();
  TN_EXPECT(tn_plugin_op_count(tk.plugin) == ops, "as many ops", "%zu, then %zu", ops,
            tn_plugin_op_count(tk.plugin));
}

static void* load_there(void* arg) {
  tk_load(arg);
  expect_registrations();
  return NULL;
}

static void load_on_thread(const tn_subject* subject, size_t stack) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack) pthread_attr_setstacksize(&attributes, stack);
  if (pthread_create(&thread, &attributes, load_there, (void*)subject) != 0)
    tn_case_error("cannot start a thread");
  pthread_join(thread, NULL);
}

static void another_thread(const tn_subject* subject) { load_on_thread(subject, 0); }
static void small_stack(const tn_subject* subject) { load_on_thread(subject, 512 << 10); }

static void empty_environment(const tn_subject* subject) {
  clearenv();
  tk_load(subject);
  expect_registrations();
}

static void nowhere(const tn_subject* subject) {
  if (chdir("/proc/self") != 0) tn_case_error("there is no /proc/self");
  tk_load(subject);
  expect_registrations();
}

static void beside_ours(const tn_subject* subject) {
  tn_status status = {0};
  if (!tn_plugin_load_defaults(NULL, &status))
    tn_case_skip("Tenon's own plugins do not load: %s", tn_status_message(&status));
  tk_load(subject);
  expect_registrations();
}

// ---- Processes ----

static void expect_end(pid_t child, const char* expected) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) tn_case_error("cannot fork");
  if (WIFSIGNALED(status))
    tn_case_broken(NULL, expected, "killed by signal %d", WTERMSIG(status));
  else
    TN_EXPECT(WEXITSTATUS(status) == 0, expected, "exit code %d", WEXITSTATUS(status));
}

static void in_child(const tn_subject* subject) {
  const pid_t child = fork();
  if (child == 0) {
    tk_load(subject);
    _exit(tn_plugin_op_count(tk.plugin) + tn_plugin_kernel_count(tk.plugin) > 0 ? 0 : 9);
  }
  expect_end(child, "loaded in a child of a fork as elsewhere");
}

static void use(tk_run* run, uint64_t* random) {}

// Destructors and functions for the end of the process run, in the child of tk_start.
static void exits(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(use);
  exit(0);
}

static const tn_check_case cases[] = {
    {"file.exports", "a plugin exports its entry points, and no code that others have too", exports,
     0},
    {"file.imports", "a plugin needs the C interface only, and none of a framework's insides",
     insides, 0},
    {"file.executable_stack", "a plugin does not make the stack executable", executable_stack, 0},
    {"file.text_relocations", "a plugin's code is not written to when it is loaded",
     text_relocations, 0},
    {"load.registers", "a plugin loads, and registers an op or a kernel", registers, 0},
    {"load.twice", "a plugin that is loaded twice is loaded once", loaded_twice, 0},
    {"load.registered_twice", "TF_InitKernel may be called a second time", registered_twice, 0},
    {"load.another_thread", "a plugin loads on any thread", another_thread, 0},
    {"load.small_stack", "a plugin loads on a thread with a stack of 512 KiB", small_stack, 0},
    {"load.empty_environment", "a plugin loads without environment variables", empty_environment,
     0},
    {"load.nowhere", "a plugin loads where the working folder cannot be written to", nowhere, 0},
    {"load.beside_others", "a plugin loads beside those that come with the host", beside_ours, 0},
    {"load.in_child", "a plugin loads in the child of a fork", in_child, 0},
    {"load.exit", "a process that loaded the plugin and ran its kernels ends well", exits, 0},
};
const tn_check_group tn_check_kernels_load = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
