// Finds every difference between two models, without judging it.
#ifndef TENON_ABI_COMPARE_H_
#define TENON_ABI_COMPARE_H_

#include "abi/model.h"

// X(name, text): what can differ. In the order in which they are told.
#define TN_ABI_DIFFERENCES(X)                       \
  X(STRUCT_ADDED, "struct-added")                   \
  X(STRUCT_REMOVED, "struct-removed")               \
  X(OPAQUE_DEFINED, "opaque-type-defined")          \
  X(DEFINED_OPAQUE, "definition-removed")           \
  X(FIELD_APPENDED, "field-appended")               \
  X(FIELD_INSERTED, "field-inserted")               \
  X(FIELD_REMOVED, "field-removed")                 \
  X(FIELD_MOVED, "field-moved")                     \
  X(FIELD_RENAMED, "field-renamed")                 \
  X(FIELD_RETYPED, "field-retyped")                 \
  X(FIELD_SIGNATURE, "field-signature-changed")     \
  X(FIELD_RESPELLED, "field-type-respelled")        \
  X(FIELD_DEPRECATED, "field-deprecated")           \
  X(ENUM_RESIZED, "enum-resized")                   \
  X(EMBEDDED_GROWN, "embedded-struct-resized")      \
  X(CONSTANT_ADDED, "constant-added")               \
  X(CONSTANT_REMOVED, "constant-removed")           \
  X(CONSTANT_RENAMED, "constant-renamed")           \
  X(CONSTANT_CHANGED, "constant-value-changed")     \
  X(MACRO_CHANGED, "macro-value-changed")           \
  X(MACRO_REMOVED, "macro-removed")                 \
  X(FUNCTION_ADDED, "function-added")               \
  X(FUNCTION_REMOVED, "function-removed")           \
  X(FUNCTION_RETYPED, "function-signature-changed") \
  X(FUNCTION_DEPRECATED, "function-deprecated")     \
  X(VARIABLE_ADDED, "variable-added")               \
  X(VARIABLE_REMOVED, "variable-removed")           \
  X(VARIABLE_RETYPED, "variable-type-changed")      \
  X(SIZE_CONSTANT_WRONG, "size-constant-wrong")     \
  X(ALIGNMENT_OVER_8, "alignment-over-8")           \
  X(NUMBER_REISSUED, "number-reissued")             \
  X(NUMBER_WITHDRAWN, "number-withdrawn")           \
  X(HANDLE_WORD, "handle-word-required")

typedef enum tn_abi_difference_kind {
#define TN_ABI_ENUMERATE(name, text) TN_ABI_##name,
  TN_ABI_DIFFERENCES(TN_ABI_ENUMERATE)
#undef TN_ABI_ENUMERATE
      TN_ABI_DIFFERENCE_KINDS
} tn_abi_difference_kind;

const char* tn_abi_difference_name(tn_abi_difference_kind kind);

// How a difference is known.
typedef enum tn_abi_evidence {
  TN_ABI_FROM_LAYOUT,   // names, sizes, offsets and values of the two sides
  TN_ABI_FROM_TYPES,    // their declarations alone: no size, offset or value shows it
  TN_ABI_FROM_HISTORY,  // neither side shows it; the tables of data/abi carry it
} tn_abi_evidence;
const char* tn_abi_evidence_name(tn_abi_evidence evidence);

// `owner` is the struct's, enum's or function's name, `member` the field's or constant's ("" for
// the owner itself); `before` and `after` are texts ("" where it was not there). All live in the
// list.
typedef struct tn_abi_difference {
  tn_abi_difference_kind kind;
  const char *owner, *member, *before, *after;
  const char* where;  // in the new model, else in the old one
  tn_abi_evidence evidence;
} tn_abi_difference;

// Zero bytes are an empty list.
typedef struct tn_abi_differences {
  tn_abi_difference* items;
  size_t count, capacity;
  bool failed;  // memory ran out
  tn_arena arena;
} tn_abi_differences;

void tn_abi_compare(const tn_abi_model* before, const tn_abi_model* after, tn_abi_differences* out);
// Appends one; its texts are copied.
void tn_abi_differences_add(tn_abi_differences* differences, const tn_abi_difference* difference);
void tn_abi_differences_deinit(tn_abi_differences* differences);

#endif  // TENON_ABI_COMPARE_H_
