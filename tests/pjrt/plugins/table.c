// The table that the plugin hands out, its extension chain, and the ways to get both wrong.

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

// ------------------------------ Extensions ------------------------------

#if HAS(31)
#if HAS(68)
#define BASE(node) (node).base
#else
#define BASE(node) (node)
#endif

// Only a handler's name is looked at: the plugin calls nobody.
static PJRT_Error* register_custom_call(PJRT_Gpu_Register_Custom_Call_Args* args) {
  PJRT_Error* error = check_size("PJRT_Gpu_Register_Custom_Call_Args", args->struct_size,
                                 PJRT_Gpu_Register_Custom_Call_Args_STRUCT_SIZE);
  if (!error && !args->function_name_size) error = INVALID("a custom call without a name");
  return error;
}

static PJRT_Gpu_Custom_Call custom_call_node;
#if HAS(34)
static PJRT_Profiler_Extension profiler_node;
#endif
#if HAS(51)
static PJRT_Layouts_Extension layouts_node;
#endif
#if HAS(59)
static PJRT_MemoryDescriptions_Extension descriptions_node;
#endif
#if HAS(130)
static struct {
  PJRT_Extension_Base base;
  void* words[4];
} unknown_node;
#endif

#if HAS(51)
// A layout is what minor_to_major is, in the words of XLA: "{1,0}".
typedef struct {
  char text[4 * MOST_DIMS];
} layout;

static layout* layout_of(const int64_t* minor_to_major, size_t rank) {
  layout* made = calloc(1, sizeof *made);
  char* at = made->text;
  *at++ = '{';
  for (size_t i = 0; i < rank; ++i) {
    if (i) *at++ = ',';
    *at++ = (char)('0' + (minor_to_major ? minor_to_major[i] : (int64_t)(rank - 1 - i)));
  }
  *at = '}';
  return made;
}

static PJRT_Error* layout_destroy(PJRT_Layouts_MemoryLayout_Destroy_Args* args) {
  free(args->layout);
  return NULL;
}

static void free_nothing(void* text) {}

static PJRT_Error* layout_serialize(PJRT_Layouts_MemoryLayout_Serialize_Args* args) {
  char* text = ((layout*)(void*)args->layout)->text;
  memcpy((void*)&args->serialized_bytes, &text, sizeof text);
  args->serialized_bytes_size = strlen(text);
  memcpy((void*)&args->serialized_layout, &text, sizeof text);
  void (*deleter)(void*) = free_nothing;
  memcpy((void*)&args->serialized_layout_deleter, &deleter, sizeof deleter);
  return NULL;
}

static PJRT_Error* layout_of_buffer(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args) {
  const PJRT_Buffer* buffer = (const void*)args->buffer;
  args->layout = (void*)layout_of(buffer->minor_to_major, buffer->rank);
  return NULL;
}

static PJRT_Error* default_layout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args) {
  if (args->num_dims > MOST_DIMS) return UNIMPLEMENTED("rank %zu", args->num_dims);
  args->layout = (void*)layout_of(NULL, args->num_dims);
  return NULL;
}
#endif

#if HAS(59)
static PJRT_Error* memory_descriptions(PJRT_DeviceDescription_MemoryDescriptions_Args* args) {
  static const char* const kinds[] = {"device", "pinned_host"};
  static const void* list[NUM_KINDS];
  list[0] = &kinds[0];
  list[1] = &kinds[1];
  const void* const* first = list;
  memcpy((void*)&args->memory_descriptions, &first, sizeof first);
  args->num_memory_descriptions = NUM_KINDS;
#if HAS(61)
  args->default_memory_index = 0;
#endif
  return NULL;
}

static PJRT_Error* description_kind(PJRT_MemoryDescription_Kind_Args* args) {
  const char* const* kind = (const void*)args->memory_description;
  memcpy((void*)&args->kind, kind, sizeof *kind);
  args->kind_size = strlen(*kind);
  args->kind_id = !strcmp(*kind, "device") ? 1 : 2;
  return NULL;
}
#endif

static void* chain;

static void link_node(void* node, size_t size, int type) {
  PJRT_EXTENSION_NODE* base = node;
#if HAS(45)
  base->struct_size = size;
#endif
  base->type = type;
  base->next = chain;
  chain = node;
}

#define LINK(node, struct_size, type) link_node(&(node), struct_size, type)
// A function of this plugin in a node's slot, whatever the headers call its type.
#define PUT(slot, function) memcpy((void*)&(slot), (void*[]){(void*)(function)}, sizeof(void*))

static void make_chain(void) {
#if HAS(59)
  PUT(descriptions_node.PJRT_DeviceDescription_MemoryDescriptions, memory_descriptions);
  PUT(descriptions_node.PJRT_MemoryDescription_Kind, description_kind);
  LINK(descriptions_node, PJRT_MemoryDescriptions_Extension_STRUCT_SIZE, 6);
#endif
#if HAS(51)
  PUT(layouts_node.PJRT_Layouts_MemoryLayout_Destroy, layout_destroy);
  PUT(layouts_node.PJRT_Layouts_MemoryLayout_Serialize, layout_serialize);
  PUT(layouts_node.PJRT_Layouts_PJRT_Client_GetDefaultLayout, default_layout);
  PUT(layouts_node.PJRT_Layouts_PJRT_Buffer_MemoryLayout, layout_of_buffer);
  LINK(layouts_node, PJRT_Layouts_Extension_STRUCT_SIZE, 4);
#endif
#if HAS(34)
#if HAS(45)
  LINK(profiler_node, PJRT_Profiler_Extension_STRUCT_SIZE, 1);
#else
  LINK(profiler_node, 0, 1);
#endif
#endif
  PUT(custom_call_node.custom_call, register_custom_call);
#if HAS(45)
  LINK(custom_call_node, PJRT_Gpu_Custom_Call_STRUCT_SIZE, 0);
#else
  LINK(custom_call_node, 0, 0);
#endif
#if HAS(130)
  LINK(unknown_node, sizeof unknown_node, 9999);
#endif
  PJRT_EXTENSION_NODE* last = chain;
  while (last->next) last = (void*)last->next;
  if (BAD(circular_extensions)) last->next = chain;
#if HAS(45)
  if (BAD(extension_of_size_zero)) last->struct_size = 0;
#endif
}
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
  make_chain();
  api.extension_start = chain;
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
