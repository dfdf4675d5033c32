// Extensions that frameworks lean on where they are there: layouts and descriptions of memories.
#include <string.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"

// The plugin's node, when it reaches to the end of `field`; else the case is skipped.
#define NEED_NODE(TYPE, number, field) \
  ((const TYPE*)need_node(number, PJRT_STRUCT_SIZE(TYPE, field), #field))

static const void* need_node(int type, size_t size, const char* function) {
  const void* node = tn_pjrt_extension(pj.plugin, type, size);
  if (!node) tn_case_skip("the plugin has no extension %d with %s", type, function);
  return node;
}

static void must(const char* name, PJRT_Error* error) {
  if (!error) return;
  const pj_error taken = pj_take(error);
  if (taken.code == PJRT_Error_Code_UNIMPLEMENTED)
    tn_case_skip("%s is UNIMPLEMENTED: %s", name, taken.text);
  TN_NEED(false, "success", "%s: %s: %s", name, pj_code_name(taken.code), taken.text);
}
// Calls a function of a node, which must succeed; a NULL one is skipped.
#define CALL(node, ENTRY, args)                              \
  do {                                                       \
    if (!(node)->ENTRY) tn_case_skip(#ENTRY " is NULL");     \
    must(#ENTRY, TN_CASE_CALL(#ENTRY, (node)->ENTRY(args))); \
  } while (0)
#define ARGS(TYPE, name, ...) TYPE name = {.struct_size = TYPE##_STRUCT_SIZE, __VA_ARGS__}

// Reads a layout's text, "{1,0}" and perhaps tiles, and compares the order of its dimensions.
static void check_layout(PJRT_Layouts_MemoryLayout* layout, const char* order) {
  TN_NEED(layout, "a layout", "NULL");
  const PJRT_Layouts_Extension* node = NEED_NODE(
      PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts, PJRT_Layouts_MemoryLayout_Serialize);
  ARGS(PJRT_Layouts_MemoryLayout_Serialize_Args, args, .layout = layout);
  CALL(node, PJRT_Layouts_MemoryLayout_Serialize, &args);
  pj_check_text("the layout", args.serialized_bytes, args.serialized_bytes_size);
  const size_t size = strlen(order);
  TN_EXPECT(args.serialized_bytes_size > size && args.serialized_bytes[0] == '{' &&
                memcmp(args.serialized_bytes + 1, order, size) == 0,
            order, "%.*s", (int)args.serialized_bytes_size, args.serialized_bytes);
  TN_NEED(args.serialized_layout_deleter, "a deleter: jaxlib calls it unseen", "NULL");
  tn_case_enter("serialized_layout_deleter");
  args.serialized_layout_deleter(args.serialized_layout);
  tn_case_leave();
}

static void destroy_layout(PJRT_Layouts_MemoryLayout* layout) {
  const PJRT_Layouts_Extension* node = NEED_NODE(
      PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts, PJRT_Layouts_MemoryLayout_Destroy);
  ARGS(PJRT_Layouts_MemoryLayout_Destroy_Args, args, .layout = layout);
  CALL(node, PJRT_Layouts_MemoryLayout_Destroy, &args);
}

static void buffer_layout(const tn_subject* subject) {
  pj_start(subject);
  const PJRT_Layouts_Extension* node = NEED_NODE(
      PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts, PJRT_Layouts_PJRT_Buffer_MemoryLayout);
  const float numbers[6] = {1, 2, 3, 4, 5, 6};
  const int64_t dims[] = {2, 3};
  PJRT_Buffer_MemoryLayout rows = pj_usual_layout(2);
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, put, .data = numbers, .type = PJRT_Buffer_Type_F32,
          .dims = dims, .num_dims = 2, .device = pj.device, .device_layout = &rows);
  PJRT_Buffer* buffer = pj_put_args(put);
  ARGS(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, args, .buffer = buffer);
  CALL(node, PJRT_Layouts_PJRT_Buffer_MemoryLayout, &args);
  check_layout(args.layout, "1,0");
  pj_destroy(buffer);  // the layout is the caller's
  check_layout(args.layout, "1,0");
  destroy_layout(args.layout);
}

static void default_layout(const tn_subject* subject) {
  pj_start(subject);
  const int64_t dims[] = {2, 3, 4};
  PJRT_Layouts_MemoryLayout* layout;
  if (subject->arg) {
    const PJRT_Layouts_Extension* node =
        NEED_NODE(PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts,
                  PJRT_Layouts_PJRT_Topology_GetDefaultLayout);
    PJ_ARGS(PJRT_Client_TopologyDescription, topology, .client = pj.client);
    PJ_OK(PJRT_Client_TopologyDescription, topology);
    ARGS(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, args,
         .topology_description = topology->topology, .type = PJRT_Buffer_Type_F32, .dims = dims,
         .num_dims = 3);
    CALL(node, PJRT_Layouts_PJRT_Topology_GetDefaultLayout, &args);
    layout = args.layout;
  } else {
    const PJRT_Layouts_Extension* node =
        NEED_NODE(PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts,
                  PJRT_Layouts_PJRT_Client_GetDefaultLayout);
    ARGS(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, args, .client = pj.client,
         .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 3);
    CALL(node, PJRT_Layouts_PJRT_Client_GetDefaultLayout, &args);
    layout = args.layout;
  }
  check_layout(layout, "");  // which one is the platform's affair
  destroy_layout(layout);
}

static void executable_layouts(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Executable* executable = pj_executable(pj_compile(pj_add_one_twice));
  PJRT_Layouts_MemoryLayout** layouts;
  size_t count;
  if (subject->arg) {
    const PJRT_Layouts_Extension* node =
        NEED_NODE(PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts,
                  PJRT_Layouts_PJRT_Executable_GetParameterLayouts);
    ARGS(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, args, .executable = executable);
    CALL(node, PJRT_Layouts_PJRT_Executable_GetParameterLayouts, &args);
    layouts = args.layouts;
    count = args.num_parameters;
  } else {
    const PJRT_Layouts_Extension* node =
        NEED_NODE(PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts,
                  PJRT_Layouts_PJRT_Executable_GetOutputLayouts);
    ARGS(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, args, .executable = executable);
    CALL(node, PJRT_Layouts_PJRT_Executable_GetOutputLayouts, &args);
    layouts = args.layouts;
    count = args.num_outputs;
  }
  TN_NEED(count == 2 && layouts, "2 layouts", "%zu", count);
  for (size_t i = 0; i < count; ++i) check_layout(layouts[i], "");
}

static void null_layout(const tn_subject* subject) {
  pj_open(subject);
  destroy_layout(NULL);
}

static void memory_descriptions(const tn_subject* subject) {
  pj_start(subject);
  const PJRT_MemoryDescriptions_Extension* node =
      NEED_NODE(PJRT_MemoryDescriptions_Extension, PJRT_Extension_Type_MemoryDescriptions,
                PJRT_MemoryDescription_Kind);
  PJ_ARGS(PJRT_Device_GetDescription, get, .device = pj.device);
  PJ_OK(PJRT_Device_GetDescription, get);
  ARGS(PJRT_DeviceDescription_MemoryDescriptions_Args, args,
       .device_description = get->device_description, .default_memory_index = 0);
  CALL(node, PJRT_DeviceDescription_MemoryDescriptions, &args);
  TN_NEED(args.num_memory_descriptions < 1000 &&
              (!args.num_memory_descriptions || args.memory_descriptions),
          "a list", "%zu at %p", args.num_memory_descriptions,
          (const void*)args.memory_descriptions);
  TN_EXPECT(args.default_memory_index == (size_t)-1 ||
                args.default_memory_index < args.num_memory_descriptions,
            "an index of the list, or -1", "%zu of %zu", args.default_memory_index,
            args.num_memory_descriptions);
  for (size_t i = 0; i < args.num_memory_descriptions; ++i) {
    ARGS(PJRT_MemoryDescription_Kind_Args, kind, .memory_description = args.memory_descriptions[i]);
    CALL(node, PJRT_MemoryDescription_Kind, &kind);
    pj_check_text("the memory's kind", kind.kind, kind.kind_size);
    TN_EXPECT(kind.kind_id != 0, "a number for the kind", "0");
  }
}

static const tn_check_case cases[] = {
    {"extensions.buffer_layout", "a buffer's layout is a text like {1,0}, and the caller's own",
     buffer_layout, 0},
    {"extensions.default_layout", "a client has a layout for each array", default_layout, 0},
    {"extensions.topology_layout", "a topology has a layout for each array", default_layout, 1},
    {"extensions.output_layouts", "there is a layout for each output", executable_layouts, 0},
    {"extensions.parameter_layouts", "there is a layout for each argument", executable_layouts, 1},
    {"extensions.null_layout", "PJRT_Layouts_MemoryLayout_Destroy takes NULL", null_layout, 0},
    {"extensions.memory_descriptions", "memories of a description have kinds and a default",
     memory_descriptions, 0},
};
const tn_check_group tn_check_pjrt_extensions = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
