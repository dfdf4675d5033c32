#include "elf/debug_layout.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { MAX_DEPTH = 32 };  // of types in types, which a damaged file may make circular

// One file being read. A damaged one may lead in circles: it has no more entries than bytes.
typedef struct walk {
  tn_abi_model* model;
  int64_t entries_left;
} walk;

static bool next_sibling(walk* w, Dwarf_Die* die) {
  return --w->entries_left > 0 && dwarf_siblingof(die, die) == 0;
}

static bool type_of(Dwarf_Die* die, Dwarf_Die* out) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, out);
}

// Through typedefs and qualifiers.
static bool bare_type(Dwarf_Die* die, Dwarf_Die* out) {
  *out = *die;
  for (int depth = 0; depth < MAX_DEPTH; ++depth) {
    switch (dwarf_tag(out)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_restrict_type:
      case DW_TAG_atomic_type: {
        Dwarf_Die next;
        if (!type_of(out, &next)) return false;
        *out = next;
        break;
      }
      default: return true;
    }
  }
  return false;
}

static const char* kind_of(Dwarf_Die* type) {
  Dwarf_Die bare, target, inner;
  if (!bare_type(type, &bare)) return "";
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  switch (dwarf_tag(&bare)) {
    case DW_TAG_pointer_type:
      return type_of(&bare, &target) && bare_type(&target, &inner) &&
                     dwarf_tag(&inner) == DW_TAG_subroutine_type
                 ? "function_pointer"
                 : "pointer";
    case DW_TAG_structure_type:
    case DW_TAG_class_type: return "struct";
    case DW_TAG_union_type: return "union";
    case DW_TAG_enumeration_type: return "enum";
    case DW_TAG_array_type: return "array";
    case DW_TAG_base_type:
      if (dwarf_attr(&bare, DW_AT_encoding, &attribute)) dwarf_formudata(&attribute, &encoding);
      return encoding == DW_ATE_boolean                                    ? "bool"
             : encoding == DW_ATE_float                                    ? "float"
             : encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? "signed_integer"
                                                                           : "unsigned_integer";
    default: return "";
  }
}

static void print_type(walk* w, tn_text* out, Dwarf_Die* type, int depth);

static void print_parameters(walk* w, tn_text* out, Dwarf_Die* function, int depth) {
  Dwarf_Die child;
  bool any = false;
  tn_text_putc(out, '(');
  if (dwarf_child(function, &child) == 0) {
    do {
      Dwarf_Die type;
      if (dwarf_tag(&child) == DW_TAG_unspecified_parameters) {
        tn_text_puts(out, any ? ", ..." : "...");
      } else if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
        if (any) tn_text_puts(out, ", ");
        if (type_of(&child, &type)) print_type(w, out, &type, depth + 1);
        any = true;
      }
    } while (next_sibling(w, &child));
  }
  tn_text_puts(out, any ? ")" : "void)");
}

static void print_return(walk* w, tn_text* out, Dwarf_Die* function, int depth) {
  Dwarf_Die type;
  if (type_of(function, &type)) {
    print_type(w, out, &type, depth + 1);
  } else {
    tn_text_puts(out, "void");
  }
}

// A type as C would spell it, near enough for two builds of one source to be compared.
static void print_type(walk* w, tn_text* out, Dwarf_Die* type, int depth) {
  Dwarf_Die target, inner;
  const char* name = dwarf_diename(type);
  if (depth > MAX_DEPTH) {
    tn_text_puts(out, "...");
    return;
  }
  switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type:
      if (!type_of(type, &target)) {
        tn_text_puts(out, "void *");
      } else if (bare_type(&target, &inner) && dwarf_tag(&inner) == DW_TAG_subroutine_type) {
        print_return(w, out, &inner, depth);
        tn_text_puts(out, " (*)");
        print_parameters(w, out, &inner, depth);
      } else {
        print_type(w, out, &target, depth + 1);
        tn_text_puts(out, " *");
      }
      break;
    case DW_TAG_const_type:
      tn_text_puts(out, "const ");
      if (type_of(type, &target)) {
        print_type(w, out, &target, depth + 1);
      } else {
        tn_text_puts(out, "void");
      }
      break;
    case DW_TAG_array_type:
      if (type_of(type, &target)) print_type(w, out, &target, depth + 1);
      tn_text_puts(out, " []");
      break;
    default:
      if (name) {
        tn_text_puts(out, name);
      } else if (type_of(type, &target)) {
        print_type(w, out, &target, depth + 1);
      } else {
        tn_text_puts(out, "?");
      }
  }
}

static const char* type_text(walk* w, Dwarf_Die* type) {
  tn_text text = {0};
  print_type(w, &text, type, 0);
  const char* kept = tn_abi_model_text(w->model, text.data);
  if (text.failed) w->model->failed = true;
  tn_text_deinit(&text);
  return kept;
}

static int64_t number_of(Dwarf_Die* die, unsigned name, int64_t otherwise) {
  Dwarf_Attribute attribute;
  Dwarf_Sword value;
  Dwarf_Word word;
  if (!dwarf_attr_integrate(die, name, &attribute)) return otherwise;
  if (dwarf_formsdata(&attribute, &value) == 0) return value;
  return dwarf_formudata(&attribute, &word) == 0 ? (int64_t)word : otherwise;
}

static bool has_flag(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  bool set = false;
  return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &set) == 0 &&
         set;
}

// Numbers of a damaged file may be anything.
static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static void add_members(walk* w, tn_abi_struct* made, Dwarf_Die* record, int64_t base,
                        bool in_union, int depth) {
  Dwarf_Die child, type, bare;
  if (depth > MAX_DEPTH || dwarf_child(record, &child) != 0) return;
  do {
    if (dwarf_tag(&child) != DW_TAG_member || !type_of(&child, &type)) continue;
    const char* name = dwarf_diename(&child);
    tn_abi_field* field = tn_abi_model_add_field(w->model, made, name ? name : "<anon>");
    if (!field) return;
    Dwarf_Word size = 0;
    dwarf_aggregate_size(&type, &size);
    field->offset = sum(base, number_of(&child, DW_AT_data_member_location, 0));
    field->size = (int64_t)size;
    field->kind = kind_of(&type);
    field->type = name ? type_text(w, &type) : "";
    field->in_union = in_union;
    if (sum(field->offset, field->size) > made->end) made->end = sum(field->offset, field->size);
    const int64_t offset = field->offset;
    if (!name && bare_type(&type, &bare))
      add_members(w, made, &bare, offset, dwarf_tag(&bare) == DW_TAG_union_type, depth + 1);
  } while (next_sibling(w, &child));
}

static void add_record(walk* w, Dwarf_Die* die, const char* name) {
  tn_abi_struct* made = tn_abi_model_add_struct(w->model, name);
  // The first definition stands; a declaration only where there is none.
  if (!made || made->size) return;
  made->opaque = has_flag(die, DW_AT_declaration);
  if (made->opaque) return;
  made->size = number_of(die, DW_AT_byte_size, 0);
  add_members(w, made, die, 0, dwarf_tag(die) == DW_TAG_union_type, 0);
}

static void add_enum(walk* w, Dwarf_Die* die, const char* name) {
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return;
  do {
    const char* constant = dwarf_diename(&child);
    if (dwarf_tag(&child) == DW_TAG_enumerator && constant &&
        !tn_abi_model_constant(w->model, name, constant))
      tn_abi_model_add_constant(w->model, name, constant, number_of(&child, DW_AT_const_value, 0));
  } while (next_sibling(w, &child));
}

static void add_function(walk* w, Dwarf_Die* die, const char* name) {
  if (!has_flag(die, DW_AT_external) || has_flag(die, DW_AT_declaration) ||
      tn_abi_model_function(w->model, name))
    return;
  tn_abi_function* made = tn_abi_model_add_function(w->model, name);
  if (!made) return;
  tn_text text = {0};
  print_return(w, &text, die, 0);
  tn_text_putc(&text, ' ');
  print_parameters(w, &text, die, 0);
  made->type = tn_abi_model_text(w->model, text.data);
  tn_text_deinit(&text);
}

static bool is_foreign(Dwarf_Die* die) {
  const char* file = dwarf_decl_file(die);
  return file && (strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0 ||
                  file[0] == '<');
}

static void add_declaration(walk* w, Dwarf_Die* die) {
  const char* name = dwarf_diename(die);
  Dwarf_Die bare;
  if (!name || is_foreign(die)) return;
  switch (dwarf_tag(die)) {
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_class_type: add_record(w, die, name); break;
    case DW_TAG_enumeration_type: add_enum(w, die, name); break;
    case DW_TAG_subprogram: add_function(w, die, name); break;
    case DW_TAG_typedef:
      // typedef struct {...} Name: the struct has no name but this.
      if (bare_type(die, &bare) && !dwarf_diename(&bare)) {
        const int tag = dwarf_tag(&bare);
        if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type) add_record(w, &bare, name);
        if (tag == DW_TAG_enumeration_type) add_enum(w, &bare, name);
      }
      break;
    default: break;
  }
}

static size_t read_units(Dwarf* dwarf, walk* w) {
  Dwarf_CU* unit = NULL;
  size_t count = 0;
  Dwarf_Die die, child;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
    ++count;
    if (dwarf_child(&die, &child) != 0) continue;
    do add_declaration(w, &child);
    while (!w->model->failed && next_sibling(w, &child));
  }
  return count;
}

bool tn_elf_read_layout(const char* path, tn_abi_model* out, tn_status* status) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    tn_status_set(status, errno == ENOENT ? TN_NOT_FOUND : TN_PERMISSION_DENIED, "%s: %s", path,
                  strerror(errno));
    return false;
  }
  Dwarf* dwarf = dwarf_begin(file, DWARF_C_READ);
  out->major = out->minor = out->patch = -1;
  walk w = {out, lseek(file, 0, SEEK_END)};
  const size_t units = dwarf ? read_units(dwarf, &w) : 0;
  if (dwarf) dwarf_end(dwarf);
  close(file);
  if (out->failed) {
    tn_abi_model_deinit(out);
    tn_status_set_no_memory(status, "reading debug information");
    return false;
  }
  if (units == 0) {
    tn_abi_model_deinit(out);
    tn_status_set(
        status, TN_FAILED_PRECONDITION,
        "%s has no debug information to read structs from; build it with -g, or give the header",
        path);
    return false;
  }
  return true;
}
