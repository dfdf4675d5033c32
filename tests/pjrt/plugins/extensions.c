// The extensions of the number, in the chain form of its day: none before 0.31, nodes without a
// size until 0.44.

#include <stdlib.h>
#include <string.h>

#include "executable.h"

#if HAS(31)
// Only a handler's name is looked at: the plugin calls nobody.
static PJRT_Error* register_custom_call(PJRT_Gpu_Register_Custom_Call_Args* args) {
  PJRT_Error* error = check_size("PJRT_Gpu_Register_Custom_Call_Args", args->struct_size,
                                 PJRT_Gpu_Register_Custom_Call_Args_STRUCT_SIZE);
  if (!error && !args->function_name_size) error = INVALID("a custom call without a name");
  return error;
}

static PJRT_Gpu_Custom_Call custom_call_node;
// Carried while its size constant was wrong, which it was from 0.45 to 0.47; there is no profiler.
#if HAS(34) && !HAS(49)
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
#if HAS(75)
static PJRT_Error* topology_layout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args) {
  if (args->num_dims > MOST_DIMS) return UNIMPLEMENTED("rank %zu", args->num_dims);
  args->layout = (void*)layout_of(NULL, args->num_dims);
  return NULL;
}
#endif

// The list of an executable's layouts, which lives as long as its code.
#if HAS(81)
static void** layouts_of(void** list, const tensor_type* tensors, size_t count) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < count; ++i)
    if (!list[i]) list[i] = layout_of(NULL, tensors[i].rank);
  pthread_mutex_unlock(&lock);
  return list;
}

static PJRT_Error* output_layouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args) {
  code* code = args->executable->code;
  args->num_outputs = code->program.num_outputs;
  args->layouts = (void*)layouts_of(code->output_layouts, code->program.outputs, args->num_outputs);
  return NULL;
}
#endif

#if HAS(93)
static PJRT_Error* parameter_layouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args) {
  code* code = args->executable->code;
  args->num_parameters = code->program.num_inputs;
  args->layouts =
      (void*)layouts_of(code->input_layouts, code->program.inputs, args->num_parameters);
  return NULL;
}
#endif
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

void* extensions_make(void) {
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
#if HAS(75)
  PUT(layouts_node.PJRT_Layouts_PJRT_Topology_GetDefaultLayout, topology_layout);
#endif
#if HAS(81)
  PUT(layouts_node.PJRT_Layouts_PJRT_Executable_GetOutputLayouts, output_layouts);
#endif
#if HAS(93)
  PUT(layouts_node.PJRT_Layouts_PJRT_Executable_GetParameterLayouts, parameter_layouts);
#endif
  LINK(layouts_node, PJRT_Layouts_Extension_STRUCT_SIZE, 4);
#endif
#if HAS(45) && !HAS(49)
  LINK(profiler_node, PJRT_Profiler_Extension_STRUCT_SIZE, 1);
#elif HAS(34) && !HAS(49)
  LINK(profiler_node, 0, 1);
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
  return chain;
}
#endif
