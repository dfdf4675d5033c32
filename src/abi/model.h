// What an interface looks like to a compiler: structs with their fields, enum constants, functions.
// Filled from the tables of data/abi, from a header, from debug information or from a layout file,
// so that all of these can be compared with each other.
#ifndef TENON_ABI_MODEL_H_
#define TENON_ABI_MODEL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

typedef struct tn_abi_field {
  const char* name;
  int64_t offset, size;
  int64_t bit, bits;  // of a bit-field: its first bit within the byte at `offset`, and how many
  const char* kind;   // pointer, function_pointer, signed_integer, ... as in data/abi/pjrt
  const char* type;   // as it was written; "" when the source does not tell
  // The type without typedefs, as tn_abi_type_spell() spells it; "" when the source does not tell.
  const char* canonical;
  bool in_union;  // a member of an unnamed union that stands before it as "<anon>"
  bool deprecated;
  const char* deprecation;  // since when and what instead; "" when the source does not tell
  const char* where;        // as a struct's
} tn_abi_field;

typedef struct tn_abi_struct {
  const char* name;
  const char* where;             // "file:line"; "" when the source does not tell
  bool opaque;                   // declared, never defined
  bool is_union;                 // only where the source tells
  int64_t size, end, alignment;  // alignment 0: the source does not tell
  int64_t size_constant;         // what the header's own constant says; -1 for none
  tn_abi_field* fields;
  size_t field_count;
} tn_abi_struct;

#define TN_ABI_MACROS "#define"  // the enumeration of macros that have a value

typedef struct tn_abi_constant {
  const char *enumeration, *name;
  int64_t value;
  int64_t size;       // of the enum's type; 0: the source does not tell
  const char* where;  // as a struct's
} tn_abi_constant;

typedef struct tn_abi_function {
  const char *name, *type, *where;
  const char* canonical;  // as a field's
  bool deprecated;
  const char* deprecation;  // as a field's
  bool variable;            // no function, but a variable that both sides share
  bool inlined, mangled;    // no C symbol; only from readers that were asked for such
} tn_abi_function;

// Zero bytes are an empty model. Texts that are added are copied.
typedef struct tn_abi_model {
  tn_abi_struct** structs;
  size_t struct_count;
  tn_abi_constant* constants;
  size_t constant_count;
  tn_abi_function* functions;
  size_t function_count;
  int64_t major, minor, patch;  // -1 where the source has none
  bool number_stands;           // and they have been the same in all releases
  bool tells_macros;            // had there been macros, they would be among the constants
  const char* unjudged;         // a C++ class with functions in it, which are not read; or NULL
  bool failed;                  // memory ran out; asked once at the end
  // The model's own:
  tn_arena arena;
  tn_map by_name;
} tn_abi_model;

// Each gives a zeroed one with its name set, or NULL when memory ran out. A struct that is there
// already is given again.
tn_abi_struct* tn_abi_model_add_struct(tn_abi_model* model, const char* name);
tn_abi_field* tn_abi_model_add_field(tn_abi_model* model, tn_abi_struct* owner, const char* name);
tn_abi_constant* tn_abi_model_add_constant(tn_abi_model* model, const char* enumeration,
                                           const char* name, int64_t value);
tn_abi_function* tn_abi_model_add_function(tn_abi_model* model, const char* name);
const char* tn_abi_model_text(tn_abi_model* model, const char* text);
// The text in the one spelling of tn_abi_type_spell().
const char* tn_abi_model_type(tn_abi_model* model, const char* type);

// NULL when there is none of that name.
const tn_abi_struct* tn_abi_model_struct(const tn_abi_model* model, const char* name);
const tn_abi_field* tn_abi_struct_field(const tn_abi_struct* owner, const char* name);
const tn_abi_function* tn_abi_model_function(const tn_abi_model* model, const char* name);
const tn_abi_constant* tn_abi_model_constant(const tn_abi_model* model, const char* enumeration,
                                             const char* name);

void tn_abi_model_deinit(tn_abi_model* model);

#endif  // TENON_ABI_MODEL_H_
