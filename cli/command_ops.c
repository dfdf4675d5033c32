// tenon ops: what ops there are, and one of them in full.

#include <string.h>

#include "base/json.h"
#include "command.h"

static void print_list(const char* title, const char* const* items, size_t count) {
  for (size_t i = 0; i < count; ++i) printf("  %-9s %s\n", i ? "" : title, items[i]);
}

static void print_op(const tn_op_info* op) {
  printf("%s%s%s  of %s\n", cli_bold(), op->name, cli_plain(), cli_base_name(op->origin));
  print_list("inputs", op->inputs, op->input_count);
  print_list("outputs", op->outputs, op->output_count);
  print_list("attrs", op->attrs, op->attr_count);
  const char* flags[5];
  size_t count = 0;
  if (op->is_stateful) flags[count++] = "stateful";
  if (op->is_commutative) flags[count++] = "commutative";
  if (op->is_aggregate) flags[count++] = "aggregate";
  if (op->allows_uninitialized_input) flags[count++] = "allows uninitialized input";
  if (!op->infers_shapes) flags[count++] = "output shapes are not inferred";
  print_list("flags", flags, count);
  if (op->deprecated_at)
    printf("  %-9s at graph version %d: %s\n", "deprecated", op->deprecated_at, op->deprecation);
}

static void json_list(tn_json* json, const char* key, const char* const* items, size_t count) {
  tn_json_begin_array(json, key);
  for (size_t i = 0; i < count; ++i) tn_json_string(json, NULL, items[i]);
  tn_json_end_array(json);
}

static void json_op(tn_json* json, const tn_op_info* op) {
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "name", op->name);
  tn_json_string(json, "origin", op->origin);
  json_list(json, "inputs", op->inputs, op->input_count);
  json_list(json, "outputs", op->outputs, op->output_count);
  json_list(json, "attrs", op->attrs, op->attr_count);
  tn_json_bool(json, "stateful", op->is_stateful);
  tn_json_bool(json, "commutative", op->is_commutative);
  tn_json_bool(json, "aggregate", op->is_aggregate);
  tn_json_bool(json, "allows_uninitialized_input", op->allows_uninitialized_input);
  tn_json_bool(json, "infers_shapes", op->infers_shapes);
  if (op->deprecated_at) {
    tn_json_int(json, "deprecated_at", op->deprecated_at);
    tn_json_string(json, "deprecation", op->deprecation);
  }
  tn_json_end_object(json);
}

typedef struct listing {
  const cli_args* args;
  tn_json* json;
  tn_status* status;
  size_t shown;
} listing;

static bool show_op(const char* name, const char* origin, void* arg) {
  listing* list = arg;
  ++list->shown;
  if (!list->json) {
    printf("%-40s %s\n", name, cli_base_name(origin));
    return true;
  }
  tn_op_info* op = tn_op_info_create(name, list->status);
  if (op) json_op(list->json, op);
  tn_op_info_destroy(op);
  return op != NULL;
}

static int run(cli_args* args) {
  if (args->word_count > 1)
    return cli_misused(args, "one op at a time, found %zu", args->word_count);
  tn_status* status = tn_status_create();
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  bool as_json = cli_has(args, "json");
  int result = CLI_OK;
  if (cli_load_plugins(args, status)) {
    if (as_json) {
      tn_json_begin_object(&json, NULL);
      tn_json_string(&json, "schema", "tenon/ops/1");
      tn_json_begin_array(&json, "ops");
    }
    if (args->word_count == 1) {
      tn_op_info* op = tn_op_info_create(args->words[0], status);
      if (op) as_json ? json_op(&json, op) : print_op(op);
      tn_op_info_destroy(op);
    } else {
      listing list = {args, as_json ? &json : NULL, status, 0};
      tn_ops_each(show_op, &list);
      if (!as_json) printf("%zu ops\n", list.shown);
    }
    if (as_json) {
      tn_json_end_array(&json);
      tn_json_end_object(&json);
    }
  }
  if (!tn_ok(status)) {
    result = cli_failed(args, status);
  } else if (as_json) {
    puts(text.data);
  }
  tn_text_deinit(&text);
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {CLI_PLUGIN_OPTIONS, {NULL, NULL, NULL}};

const cli_command cli_ops = {
    "ops",
    "list the ops that are known, or describe one",
    "[NAME] [--plugin FILE]...",
    options,
    "  tenon ops                              all of them, with where each comes from\n"
    "  tenon ops Conv2D                       its inputs, outputs and attributes\n"
    "  tenon ops MyOp --plugin ./libmyop.so   an op that a plugin brings\n",
    run,
};
