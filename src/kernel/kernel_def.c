// KernelDef: as a struct, as protobuf bytes, as a line for people.
#include "base/memory.h"
#include "base/wire.h"
#include "kernel/kernel.h"

void tn_kernel_def_deinit(tn_kernel_def* def) {
  tn_free(def->op);
  tn_free(def->device_type);
  tn_free(def->label);
  for (size_t i = 0; i < def->constraint_count; ++i) {
    tn_free(def->constraints[i].attr);
    tn_attr_value_deinit(&def->constraints[i].allowed);
  }
  tn_free(def->constraints);
  for (size_t i = 0; i < def->host_memory_count; ++i) tn_free(def->host_memory_args[i]);
  tn_free(def->host_memory_args);
  *def = (tn_kernel_def){0};
}

bool tn_kernel_def_set(char** field, tn_view text) {
  char* copy = tn_strndup(text.data, text.size);
  if (!copy) return false;
  tn_free(*field);
  *field = copy;
  return true;
}

tn_constraint* tn_kernel_def_add_constraint(tn_kernel_def* def, tn_view attr) {
  if (!tn_grow(&def->constraints, &def->constraint_capacity, def->constraint_count + 1,
               sizeof *def->constraints))
    return NULL;
  tn_constraint* constraint = &def->constraints[def->constraint_count];
  *constraint = (tn_constraint){.allowed = TN_ATTR_VALUE_NONE};
  if (!tn_kernel_def_set(&constraint->attr, attr)) return NULL;
  ++def->constraint_count;
  return constraint;
}

bool tn_kernel_def_add_host_memory(tn_kernel_def* def, tn_view arg) {
  if (!tn_grow(&def->host_memory_args, &def->host_memory_capacity, def->host_memory_count + 1,
               sizeof *def->host_memory_args))
    return false;
  char** entry = &def->host_memory_args[def->host_memory_count];
  *entry = NULL;
  if (!tn_kernel_def_set(entry, arg)) return false;
  ++def->host_memory_count;
  return true;
}

static bool copy_into(tn_kernel_def* target, const tn_kernel_def* source, tn_status* status) {
  if (!tn_kernel_def_set(&target->op, tn_view_of(source->op)) ||
      !tn_kernel_def_set(&target->device_type, tn_view_of(source->device_type)) ||
      !tn_kernel_def_set(&target->label, tn_view_of(source->label)))
    return false;
  target->priority = source->priority;
  for (size_t i = 0; i < source->constraint_count; ++i) {
    tn_constraint* added =
        tn_kernel_def_add_constraint(target, tn_view_of(source->constraints[i].attr));
    if (!added || !tn_attr_value_copy(&added->allowed, &source->constraints[i].allowed, status))
      return false;
  }
  for (size_t i = 0; i < source->host_memory_count; ++i)
    if (!tn_kernel_def_add_host_memory(target, tn_view_of(source->host_memory_args[i])))
      return false;
  return true;
}

bool tn_kernel_def_copy(tn_kernel_def* target, const tn_kernel_def* source, tn_status* status) {
  *target = (tn_kernel_def){0};
  if (copy_into(target, source, status)) return true;
  tn_kernel_def_deinit(target);
  tn_status_set_no_memory(status, "copying a kernel definition");
  return false;
}

static void put_text(tn_text* out, uint32_t number, const char* text) {
  if (text && *text) tn_wire_put_bytes(out, number, tn_view_of(text));
}

void tn_kernel_def_encode(const tn_kernel_def* def, tn_text* out) {
  put_text(out, 1, def->op);
  put_text(out, 2, def->device_type);
  for (size_t i = 0; i < def->constraint_count; ++i) {
    size_t constraint = tn_wire_begin(out, 3);
    put_text(out, 1, def->constraints[i].attr);
    size_t allowed = tn_wire_begin(out, 2);
    if (!tn_attr_value_encode(&def->constraints[i].allowed, out, NULL)) out->failed = true;
    tn_wire_end(out, allowed);
    tn_wire_end(out, constraint);
  }
  for (size_t i = 0; i < def->host_memory_count; ++i)
    tn_wire_put_bytes(out, 4, tn_view_of(def->host_memory_args[i]));
  put_text(out, 5, def->label);
  if (def->priority) tn_wire_put_varint(out, 6, (uint64_t)(int64_t)def->priority);
}

// Names end at a zero byte where C sees them, so one inside is no name.
static bool is_name(tn_view text, tn_status* status) {
  if (!memchr(text.data, 0, text.size)) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "a name in it holds a zero byte");
  return false;
}

static bool decode_constraint(tn_kernel_def* def, tn_view bytes, tn_status* status) {
  tn_view attr = {"", 0}, allowed = {"", 0};
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    if (field.type != TN_WIRE_BYTES) continue;
    if (field.number == 1) attr = field.bytes;
    if (field.number == 2) allowed = field.bytes;
  }
  if (reader.bad) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "a constraint in it is no protobuf message");
    return false;
  }
  if (!is_name(attr, status)) return false;
  tn_constraint* constraint = tn_kernel_def_add_constraint(def, attr);
  if (!constraint) {
    tn_status_set_no_memory(status, "reading a kernel definition");
    return false;
  }
  return tn_attr_value_decode(&constraint->allowed, allowed, status);
}

static bool decode_field(tn_kernel_def* def, const tn_wire_field* field, tn_status* status) {
  if (field->number == 6 && field->type == TN_WIRE_VARINT) def->priority = (int32_t)field->value;
  if (field->type != TN_WIRE_BYTES) return true;
  if (field->number == 3) return decode_constraint(def, field->bytes, status);
  char** targets[] = {NULL, &def->op, &def->device_type, NULL, NULL, &def->label};
  if (field->number == 0 || field->number > 5) return true;
  if (!is_name(field->bytes, status)) return false;
  if (field->number == 4 ? tn_kernel_def_add_host_memory(def, field->bytes)
                         : tn_kernel_def_set(targets[field->number], field->bytes))
    return true;
  tn_status_set_no_memory(status, "reading a kernel definition");
  return false;
}

// Fields that are absent are empty.
static bool fill_in(tn_kernel_def* def, tn_status* status) {
  char** texts[] = {&def->op, &def->device_type, &def->label};
  for (int i = 0; i < 3; ++i) {
    if (*texts[i] || tn_kernel_def_set(texts[i], (tn_view){"", 0})) continue;
    tn_status_set_no_memory(status, "reading a kernel definition");
    return false;
  }
  return true;
}

bool tn_kernel_def_decode(tn_kernel_def* def, tn_view bytes, tn_status* status) {
  *def = (tn_kernel_def){0};
  bool decoded = true;
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; decoded && tn_wire_next(&reader, &field);)
    decoded = decode_field(def, &field, status);
  if (decoded && reader.bad) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "the %zu bytes are no protobuf message", bytes.size);
    decoded = false;
  }
  decoded = decoded && fill_in(def, status);
  if (!decoded) tn_kernel_def_deinit(def);
  return decoded;
}

void tn_kernel_def_print(const tn_kernel_def* def, tn_text* out) {
  tn_text_printf(out, "device='%s'", def->device_type);
  if (*def->label) tn_text_printf(out, "; label='%s'", def->label);
  for (size_t i = 0; i < def->constraint_count; ++i) {
    tn_text_printf(out, "; %s in ", def->constraints[i].attr);
    tn_attr_value_print(&def->constraints[i].allowed, out);
  }
}
