#include "elf/debug_layout.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { MAX_DEPTH = 32 };  // of types in types, which a damaged file may make circular

// One file being read. A damaged one may lead in circles: a sound one has fewer entries than bytes,
// and the types that many members share are walked through again for each.
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

static int64_t number_of(Dwarf_Die* die, unsigned name, int64_t otherwise) {
  Dwarf_Attribute attribute;
  Dwarf_Sword value;
  Dwarf_Word word;
  if (!dwarf_attr_integrate(die, name, &attribute)) return otherwise;
  // The forms of a plain size carry no sign: an offset of 128 in one byte is not -128.
  const unsigned form = dwarf_whatform(&attribute);
  if (form == DW_FORM_sdata || form == DW_FORM_implicit_const)
    return dwarf_formsdata(&attribute, &value) == 0 ? value : otherwise;
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

// A type being spelled as C does it: around `declarator`, which grows at both ends on the way to
// the type's name.
typedef struct spelling {
  walk* walk;
  bool resolve;  // typedefs to what they stand for
  int depth;
} spelling;

enum { IS_CONST = 1, IS_VOLATILE = 2 };

static void spell(spelling s, tn_text* out, Dwarf_Die* type, int qualifiers,
                  const char* declarator);

static const char* words_of(int qualifiers) {
  static const char* const words[] = {"", "const ", "volatile ", "const volatile "};
  return words[qualifiers];
}

// "name declarator", the way every spelling ends.
static void spell_name(tn_text* out, int qualifiers, const char* name, const char* declarator) {
  tn_text_printf(out, "%s%s", words_of(qualifiers), name);
  if (*declarator) tn_text_printf(out, "%s%s", *declarator == '[' ? "" : " ", declarator);
}

// What `function` takes; qualifiers of a parameter itself are no part of a function's type.
static void spell_parameters(spelling s, tn_text* out, Dwarf_Die* function) {
  Dwarf_Die child, type;
  bool any = false;
  tn_text_putc(out, '(');
  if (dwarf_child(function, &child) == 0) {
    do {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_unspecified_parameters && tag != DW_TAG_formal_parameter) continue;
      if (any) tn_text_puts(out, ", ");
      any = true;
      if (tag == DW_TAG_unspecified_parameters) {
        tn_text_puts(out, "...");
      } else if (type_of(&child, &type)) {
        Dwarf_Die next = type;
        for (int i = 0; i < MAX_DEPTH && (dwarf_tag(&next) == DW_TAG_const_type ||
                                          dwarf_tag(&next) == DW_TAG_volatile_type ||
                                          dwarf_tag(&next) == DW_TAG_restrict_type);
             ++i, type = next)
          if (!type_of(&type, &next)) break;
        spell(s, out, &type, 0, "");
      }
    } while (next_sibling(s.walk, &child));
  }
  tn_text_puts(out, any ? ")" : "void)");
}

static void spell_target(spelling s, tn_text* out, Dwarf_Die* die, int qualifiers,
                         const char* declarator) {
  Dwarf_Die target;
  if (type_of(die, &target)) {
    spell(s, out, &target, qualifiers, declarator);
  } else {
    spell_name(out, qualifiers, "void", declarator);
  }
}

static void spell_function(spelling s, tn_text* out, Dwarf_Die* function, const char* declarator) {
  tn_text text = {0};
  tn_text_puts(&text, declarator);
  spell_parameters(s, &text, function);
  spell_target(s, out, function, 0, text.data ? text.data : "");
  out->failed |= text.failed;
  tn_text_deinit(&text);
}

// "*" before the declarator, in brackets where what it points to grows behind it.
static void spell_pointer(spelling s, tn_text* out, Dwarf_Die* type, int qualifiers,
                          const char* declarator) {
  Dwarf_Die target;
  const int tag = type_of(type, &target) ? dwarf_tag(&target) : 0;
  Dwarf_Die bare = target;
  const int bare_tag = tag && s.resolve && bare_type(&target, &bare) ? dwarf_tag(&bare) : tag;
  const bool behind = bare_tag == DW_TAG_subroutine_type || bare_tag == DW_TAG_array_type;
  tn_text text = {0};
  tn_text_printf(&text, "%s*%s%s%s", behind ? "(" : "", words_of(qualifiers), declarator,
                 behind ? ")" : "");
  // "*const" needs no blank at its end.
  spell_target(s, out, type, 0, text.data ? text.data : "");
  out->failed |= text.failed;
  tn_text_deinit(&text);
}

static void spell_array(spelling s, tn_text* out, Dwarf_Die* type, int qualifiers,
                        const char* declarator) {
  tn_text text = {0};
  Dwarf_Die child;
  tn_text_puts(&text, declarator);
  bool any = false;
  if (dwarf_child(type, &child) == 0) {
    do {
      if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
      const int64_t last = number_of(&child, DW_AT_upper_bound, -1);
      const int64_t count = number_of(&child, DW_AT_count, sum(last, 1));
      any = true;
      if (count > 0) {
        tn_text_printf(&text, "[%" PRId64 "]", count);
      } else {
        tn_text_puts(&text, "[]");
      }
    } while (next_sibling(s.walk, &child));
  }
  if (!any) tn_text_puts(&text, "[]");
  spell_target(s, out, type, qualifiers, text.data ? text.data : "");
  out->failed |= text.failed;
  tn_text_deinit(&text);
}

// A typedef by its name, or, when these are resolved, by what it names; a type that has no other
// name keeps this one.
static void spell_typedef(spelling s, tn_text* out, Dwarf_Die* type, int qualifiers,
                          const char* declarator) {
  Dwarf_Die target;
  const char* name = dwarf_diename(type);
  const int tag = type_of(type, &target) ? dwarf_tag(&target) : 0;
  const bool nameless = (tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
                         tag == DW_TAG_enumeration_type) &&
                        !dwarf_diename(&target);
  if (name && (!s.resolve || nameless)) {
    spell_name(out, qualifiers, name, declarator);
  } else {
    spell_target(s, out, type, qualifiers, declarator);
  }
}

static void spell(spelling s, tn_text* out, Dwarf_Die* type, int qualifiers,
                  const char* declarator) {
  const char* name = dwarf_diename(type);
  if (++s.depth > MAX_DEPTH) {
    tn_text_puts(out, "...");
    return;
  }
  switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type: spell_pointer(s, out, type, qualifiers, declarator); break;
    case DW_TAG_const_type: spell_target(s, out, type, qualifiers | IS_CONST, declarator); break;
    case DW_TAG_volatile_type:
      spell_target(s, out, type, qualifiers | IS_VOLATILE, declarator);
      break;
    case DW_TAG_restrict_type: spell_target(s, out, type, qualifiers, declarator); break;
    case DW_TAG_array_type: spell_array(s, out, type, qualifiers, declarator); break;
    case DW_TAG_subroutine_type: spell_function(s, out, type, declarator); break;
    case DW_TAG_typedef: spell_typedef(s, out, type, qualifiers, declarator); break;
    default: spell_name(out, qualifiers, name ? name : "?", declarator);
  }
}

// The text of a field's type or, for a function, of its own.
static const char* type_text(walk* w, Dwarf_Die* type, bool resolve) {
  tn_text text = {0};
  const spelling s = {w, resolve, 0};
  if (dwarf_tag(type) == DW_TAG_subprogram) {
    spell_function(s, &text, type, "");
  } else {
    spell(s, &text, type, 0, "");
  }
  // Spelled anew for its blanks alone where typedefs stay.
  const char* kept = tn_abi_model_type(w->model, text.data);
  if (text.failed) w->model->failed = true;
  tn_text_deinit(&text);
  return kept;
}

// Whose members are added. Those of a type without a name stand in the struct that has a field of
// it: behind the field's name and a dot, or by themselves where the field has no name either.
typedef struct owner {
  tn_abi_struct* made;
  int64_t base;
  bool in_union;
  const char* prefix;
  int depth;
} owner;

static const char* prefixed(walk* w, const owner* o, const char* name) {
  char text[256];
  if (!*o->prefix) return name;
  snprintf(text, sizeof text, "%s.%s", o->prefix, name);
  return tn_abi_model_text(w->model, text);
}

static bool is_record(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

// Where a bit-field begins: counted from the struct's first bit, or as DWARF 3 did, from the
// highest bit of the unit that it lies in.
static void place_bits(Dwarf_Die* member, tn_abi_field* field, int64_t base) {
  int64_t first = number_of(member, DW_AT_data_bit_offset, -1);
  if (first < 0) {
    const int64_t unit = number_of(member, DW_AT_byte_size, field->size);
    const int64_t from_top = number_of(member, DW_AT_bit_offset, 0);
    const uint64_t start = (uint64_t)number_of(member, DW_AT_data_member_location, 0);
    first = (int64_t)(8 * (start + (uint64_t)unit) - (uint64_t)from_top - (uint64_t)field->bits);
  }
  field->offset = sum(base, first / 8);
  field->bit = first % 8;
}

static void add_members(walk* w, const owner* o, Dwarf_Die* record) {
  tn_abi_struct* made = o->made;
  Dwarf_Die child, type;
  if (o->depth > MAX_DEPTH || dwarf_child(record, &child) != 0) return;
  do {
    if (dwarf_tag(&child) != DW_TAG_member || !type_of(&child, &type)) continue;
    const char* name = dwarf_diename(&child);
    tn_abi_field* field =
        tn_abi_model_add_field(w->model, made, name ? prefixed(w, o, name) : "<anon>");
    if (!field) return;
    Dwarf_Word size = 0;
    dwarf_aggregate_size(&type, &size);
    field->offset = sum(o->base, number_of(&child, DW_AT_data_member_location, 0));
    field->size = (int64_t)size;
    field->kind = kind_of(&type);
    // A typedef is a name too, so the type is looked at as it stands.
    const bool nameless = is_record(&type) && !dwarf_diename(&type);
    field->type = !name ? "" : nameless ? field->kind : type_text(w, &type, false);
    field->canonical = !name ? "" : nameless ? field->kind : type_text(w, &type, true);
    field->in_union = o->in_union;
    field->bits = number_of(&child, DW_AT_bit_size, 0);
    if (field->bits) place_bits(&child, field, o->base);
    const int64_t last = field->bits ? sum(field->bit, sum(field->bits, 7)) / 8 : field->size;
    if (sum(field->offset, last) > made->end) made->end = sum(field->offset, last);
    if (!nameless) continue;
    const owner inner = {made, field->offset, name || dwarf_tag(&type) == DW_TAG_union_type,
                         name ? field->name : o->prefix, o->depth + 1};
    add_members(w, &inner, &type);
  } while (next_sibling(w, &child));
}

static void add_record(walk* w, Dwarf_Die* die, const char* name) {
  tn_abi_struct* made = tn_abi_model_add_struct(w->model, name);
  // The first definition stands; a declaration only where there is none.
  if (!made || made->size) return;
  made->opaque = has_flag(die, DW_AT_declaration);
  if (made->opaque) return;
  made->size = number_of(die, DW_AT_byte_size, 0);
  add_members(w, &(owner){made, 0, dwarf_tag(die) == DW_TAG_union_type, "", 0}, die);
}

static void add_enum(walk* w, Dwarf_Die* die, const char* name) {
  Dwarf_Die child;
  const int64_t size = number_of(die, DW_AT_byte_size, 0);
  if (dwarf_child(die, &child) != 0) return;
  do {
    const char* constant = dwarf_diename(&child);
    if (dwarf_tag(&child) == DW_TAG_enumerator && constant &&
        !tn_abi_model_constant(w->model, name, constant)) {
      tn_abi_constant* made = tn_abi_model_add_constant(w->model, name, constant,
                                                        number_of(&child, DW_AT_const_value, 0));
      if (made) made->size = size;
    }
  } while (next_sibling(w, &child));
}

static void add_function(walk* w, Dwarf_Die* die, const char* name) {
  if (!has_flag(die, DW_AT_external) || has_flag(die, DW_AT_declaration) ||
      tn_abi_model_function(w->model, name))
    return;
  tn_abi_function* made = tn_abi_model_add_function(w->model, name);
  if (!made) return;
  made->type = type_text(w, die, false);
  made->canonical = type_text(w, die, true);
}

static void add_variable(walk* w, Dwarf_Die* die, const char* name) {
  Dwarf_Die type;
  if (!has_flag(die, DW_AT_external) || has_flag(die, DW_AT_declaration) || !type_of(die, &type) ||
      tn_abi_model_function(w->model, name))
    return;
  tn_abi_function* made = tn_abi_model_add_function(w->model, name);
  if (!made) return;
  made->variable = true;
  made->type = type_text(w, &type, false);
  made->canonical = type_text(w, &type, true);
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
    case DW_TAG_variable: add_variable(w, die, name); break;
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
  walk w = {out, 16 * lseek(file, 0, SEEK_END)};
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
