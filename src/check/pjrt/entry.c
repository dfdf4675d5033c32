// The entry point: what it gives before anything is called.
#include <dlfcn.h>

#include "check/pjrt/groups.h"

typedef const void* (*get_api)(void);

static get_api open_plugin(const tn_subject* subject) {
  void* library = TN_CASE_CALL("dlopen", dlopen(subject->path, RTLD_LAZY | RTLD_LOCAL));
  TN_NEED(library, "a library that opens", "dlopen: %s", dlerror());
  get_api get = (get_api)dlsym(library, "GetPjrtApi");
  TN_NEED(get, "GetPjrtApi", "dlsym: %s", dlerror());
  return get;
}

static void same_table(const tn_subject* subject) {
  get_api get = open_plugin(subject);
  const void* first = TN_CASE_CALL("GetPjrtApi", get());
  TN_NEED(first, "a table", "NULL");
  const void* second = TN_CASE_CALL("GetPjrtApi", get());
  TN_EXPECT(first == second, "the same table twice", "%p, then %p", first, second);
}

static const tn_check_case cases[] = {
    {"entry.same_table", "GetPjrtApi gives one table for the life of the process", same_table},
};
const tn_check_group tn_check_pjrt_entry = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
