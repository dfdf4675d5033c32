// The table that the plugin hands out, and the ways to get it wrong.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plugin.h"

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void);

#if HAS(130)
#define FUTURE(name) \
  FUNCTION(name) { return UNIMPLEMENTED(#name); }
PJRT_FUTURE_FUNCTIONS(FUTURE)
#endif

// ------------------------------ The table ------------------------------

static PJRT_Api api = {.struct_size = PJRT_Api_STRUCT_SIZE,
                       .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                                            .major_version = PLUGIN_MAJOR,
                                            .minor_version = PJRT_API_MINOR},
#define SLOT(name) .name = do_##name,
                       PJRT_API_FUNCTIONS(SLOT)
#undef SLOT
};

// The table so placed that what follows it cannot be read.
static PJRT_Api* at_the_edge(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (sizeof api + page - 1) / page * page;
  char* pages = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + room, page, PROT_NONE);
  PJRT_Api* edge = (void*)(pages + room - sizeof api);
  *edge = api;
  edge->struct_size += 400;
  edge->pjrt_api_version.minor_version = 130;
  return edge;
}

static void prepare(void) {
  Dl_info info;
  misdeeds_choose(dladdr((void*)GetPjrtApi, &info) ? info.dli_fname : NULL);
#if HAS(31)
  api.extension_start = extensions_make();
#endif
#define SLOT(name) \
  if (misdeed_is_null_slot(#name)) memset((void*)&api.name, 0, sizeof api.name);
  PJRT_API_FUNCTIONS(SLOT)
#undef SLOT
  void** slots = (void**)(void*)&api;
  size_t first = offsetof(PJRT_Api, PJRT_Error_Destroy) / sizeof *slots;
  for (size_t i = first + 9; BAD(empty_slots) && i < sizeof api / sizeof *slots; i += 10)
    slots[i] = NULL;
  if (BAD(zero_struct_size)) api.struct_size = 0;
  if (BAD(huge_struct_size)) api.struct_size = (size_t)1 << 40;
  if (BAD(odd_struct_size)) api.struct_size -= 3;
  if (BAD(short_struct_size)) api.struct_size = offsetof(PJRT_Api, PJRT_Client_Create);
  if (BAD(negative_number)) api.pjrt_api_version.minor_version = -1;
}

const PJRT_Api* GetPjrtApi(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
  if (BAD(null_table)) return NULL;
  if (BAD(more_than_there_is)) return at_the_edge();
  if (BAD(other_table_each_time)) {
    PJRT_Api* another = malloc(sizeof *another);
    *another = api;
    return another;
  }
  return &api;
}
