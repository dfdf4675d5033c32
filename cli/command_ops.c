// tenon ops: what ops there are, and one of them in full.

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "command.h"

static void print_list(const char* title, const char* const* items, size_t count) {
  for (size_t i = 0; i < count; ++i) cli_say("  %-9s %s\n", i ? "" : title, items[i]);
}

static void print_op(const tn_op_info* op, size_t kernels) {
  cli_say_bold(op->name);
  cli_say("  of %s\n", cli_base_name(op->origin));
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
  if (kernels)
    cli_say("  %-9s %zu (tenon kernels --op %s)\n", "kernels", kernels, op->name);
  else
    cli_say("  %-9s none; a plugin can bring one\n", "kernels");
  if (op->deprecated_at)
    cli_say("  %-9s at graph version %d: %s\n", "deprecated", op->deprecated_at, op->deprecation);
}

static void json_list(tn_json* json, const char* key, const char* const* items, size_t count) {
  tn_json_begin_array(json, key);
  for (size_t i = 0; i < count; ++i) tn_json_string(json, NULL, items[i]);
  tn_json_end_array(json);
}

static void json_op(tn_json* json, const tn_op_info* op, size_t kernels) {
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "name", op->name);
  tn_json_string(json, "origin", op->origin);
  json_list(json, "inputs", op->inputs, op->input_count);
  json_list(json, "outputs", op->outputs, op->output_count);
  json_list(json, "attrs", op->attrs, op->attr_count);
  tn_json_uint(json, "kernels", kernels);
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

typedef struct op_row {
  const char* name;
  const char* origin;
  size_t kernels;
} op_row;

typedef struct op_table {
  op_row* rows;
  size_t count, capacity;
  bool failed;
} op_table;

static bool add_row(const char* name, const char* origin, void* arg) {
  op_table* table = arg;
  table->failed = !tn_grow(&table->rows, &table->capacity, table->count + 1, sizeof *table->rows);
  if (!table->failed) table->rows[table->count++] = (op_row){name, origin, 0};
  return !table->failed;
}

static int by_name(const void* a, const void* b) {
  return strcmp(((const op_row*)a)->name, ((const op_row*)b)->name);
}

static bool count_kernel(const tn_kernel_info* kernel, void* arg) {
  op_table* table = arg;
  op_row* row = bsearch(&(op_row){.name = kernel->op}, table->rows, table->count,
                        sizeof *table->rows, by_name);
  if (row) ++row->kernels;
  return true;
}

// All ops by name, with the number of kernels that compute each.
static bool collect(op_table* table, tn_status* status) {
  tn_ops_each(add_row, table);
  if (table->failed) {
    tn_status_set_no_memory(status, "listing ops");
    return false;
  }
  if (table->count) qsort(table->rows, table->count, sizeof *table->rows, by_name);
  return tn_kernels_each(NULL, count_kernel, table, status);
}

static void print_table(const op_table* table) {
  size_t computed = 0;
  for (size_t i = 0; i < table->count; ++i) {
    const op_row* row = &table->rows[i];
    computed += row->kernels > 0;
    cli_say("%-40s %-24s %s\n", row->name, cli_base_name(row->origin),
            row->kernels ? "has kernels" : "-");
  }
  cli_say("%zu ops, %zu of them with kernels\n", table->count, computed);
}

static void json_table(tn_json* json, const op_table* table, tn_status* status) {
  for (size_t i = 0; i < table->count && tn_ok(status); ++i) {
    tn_op_info* op = tn_op_info_create(table->rows[i].name, status);
    if (op) json_op(json, op, table->rows[i].kernels);
    tn_op_info_destroy(op);
  }
}

static void show_one(const char* name, tn_json* json, tn_status* status) {
  tn_op_info* op = tn_op_info_create(name, status);
  if (!op) return;
  op_row row = {.name = op->name};
  op_table one = {.rows = &row, .count = 1};
  if (tn_kernels_each(name, count_kernel, &one, status))
    json ? json_op(json, op, row.kernels) : print_op(op, row.kernels);
  tn_op_info_destroy(op);
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
    op_table table = {0};
    if (args->word_count == 1) {
      show_one(args->words[0], as_json ? &json : NULL, status);
    } else if (collect(&table, status)) {
      as_json ? json_table(&json, &table, status) : print_table(&table);
    }
    tn_free(table.rows);
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

static const cli_option options[] = {CLI_PLUGIN_OPTIONS, {NULL, NULL, NULL, 0}};

const cli_command cli_ops = {
    "ops",
    "list the ops that are known, or describe one",
    "[NAME] [--plugin FILE]...",
    options,
    "  tenon ops                              all of them, and which have kernels\n"
    "  tenon ops Conv2D                       its inputs, outputs and attributes\n"
    "  tenon ops MyOp --plugin ./libmyop.so   an op that a plugin brings\n",
    run,
};
