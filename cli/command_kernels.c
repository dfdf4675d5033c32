// tenon kernels: who computes what, on which device, for which types.

#include "base/json.h"
#include "command.h"

typedef struct listing {
  tn_json* json;
  size_t shown;
} listing;

static bool show_kernel(const tn_kernel_info* kernel, void* arg) {
  listing* list = arg;
  ++list->shown;
  if (list->json) {
    tn_json* json = list->json;
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "op", kernel->op);
    tn_json_string(json, "device", kernel->device);
    tn_json_string(json, "name", kernel->name);
    tn_json_string(json, "label", kernel->label);
    tn_json_int(json, "priority", kernel->priority);
    tn_json_string(json, "origin", kernel->origin);
    tn_json_bool(json, "async", kernel->is_async);
    tn_json_begin_array(json, "constraints");
    for (size_t i = 0; i < kernel->constraint_count; ++i)
      tn_json_string(json, NULL, kernel->constraints[i]);
    tn_json_end_array(json);
    tn_json_begin_array(json, "host_memory");
    for (size_t i = 0; i < kernel->host_memory_count; ++i)
      tn_json_string(json, NULL, kernel->host_memory[i]);
    tn_json_end_array(json);
    tn_json_end_object(json);
    return true;
  }
  cli_say("%-32s %-6s %-24s", kernel->op, kernel->device, cli_base_name(kernel->origin));
  for (size_t i = 0; i < kernel->constraint_count; ++i)
    cli_say("%s%s", i ? "; " : " ", kernel->constraints[i]);
  if (kernel->priority) cli_say(" priority %d", kernel->priority);
  if (kernel->label[0]) cli_say(" label '%s'", kernel->label);
  if (kernel->is_async) cli_say(" async");
  putchar('\n');
  return true;
}

static int run(cli_args* args) {
  if (args->word_count > 0)
    return cli_misused(args, "found '%s'; to ask for one op write --op %s", args->words[0],
                       args->words[0]);
  tn_status* status = tn_status_create();
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  bool as_json = cli_has(args, "json");
  const char* op = cli_value(args, "op");
  listing list = {as_json ? &json : NULL, 0};
  int result = CLI_OK;
  if (as_json) {
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "schema", "tenon/kernels/1");
    tn_json_begin_array(&json, "kernels");
  }
  if (cli_load_plugins(args, status) && tn_kernels_each(op, show_kernel, &list, status) && op &&
      list.shown == 0) {
    // Nothing computes it: a name that is no op at all deserves the better message.
    tn_op_info* known = tn_op_info_create(op, status);
    if (known && !as_json) cli_say("no kernel computes %s; load a plugin that does\n", op);
    tn_op_info_destroy(known);
  }
  if (!tn_ok(status)) {
    result = cli_failed(args, status);
  } else if (as_json) {
    tn_json_end_array(&json);
    tn_json_end_object(&json);
    puts(text.data);
  } else if (list.shown) {
    cli_say("%zu kernel%s\n", list.shown, list.shown == 1 ? "" : "s");
  }
  tn_text_deinit(&text);
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {
    {"op", "NAME", "only kernels of this op", 0}, CLI_PLUGIN_OPTIONS, {NULL, NULL, NULL, 0}};

const cli_command cli_kernels = {
    "kernels",
    "list the kernels that are registered",
    "[--op NAME] [--plugin FILE]...",
    options,
    "  tenon kernels --op MatMul                    who computes MatMul, for which types\n"
    "  tenon kernels --plugin ./libmyop.so --json   everything, for a script\n",
    run,
};
