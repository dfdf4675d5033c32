// Attribute values: what op definitions give as defaults, nodes carry and kernels read.
#ifndef TENON_OP_ATTR_VALUE_H_
#define TENON_OP_ATTR_VALUE_H_

#include "base/text.h"
#include "base/view.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

// TF_AttrType's numbers.
typedef enum tn_attr_kind {
  TN_ATTR_NONE = -1,
  TN_ATTR_STRING = 0,
  TN_ATTR_INT = 1,
  TN_ATTR_FLOAT = 2,
  TN_ATTR_BOOL = 3,
  TN_ATTR_TYPE = 4,
  TN_ATTR_SHAPE = 5,
  TN_ATTR_TENSOR = 6,
  TN_ATTR_PLACEHOLDER = 7,
  TN_ATTR_FUNC = 8,
} tn_attr_kind;

typedef struct tn_func tn_func;

// One value or a list of values of one kind; owns everything it points to. Zero the memory and set
// kind to TN_ATTR_NONE (TN_ATTR_VALUE_NONE) for "not set".
typedef struct tn_attr_value {
  tn_attr_kind kind;  // TN_ATTR_NONE with is_list: an empty list that fits every list type
  bool is_list;
  size_t count;  // 1 unless it is a list
  union {
    void* items;
    tn_view* strings;  // bytes are NUL-terminated behind their size
    int64_t* ints;
    float* floats;
    bool* bools;
    tn_dtype* types;
    tn_shape* shapes;
    tn_tensor** tensors;
    tn_func* funcs;
  };
} tn_attr_value;
#define TN_ATTR_VALUE_NONE ((tn_attr_value){.kind = TN_ATTR_NONE})

typedef struct tn_attr {
  char* name;
  tn_attr_value value;
} tn_attr;

// Named values, in the order they were set. Zero bytes are an empty set.
typedef struct tn_attrs {
  tn_attr* items;
  size_t count, capacity;
} tn_attrs;

struct tn_func {
  char* name;
  tn_attrs attrs;
};

// Bytes of one element of `kind`; 0 for TN_ATTR_NONE.
size_t tn_attr_item_size(tn_attr_kind kind);
// Fills `value`, which held nothing, with `count` zeroed elements to be written by the caller, and
// `text_bytes` of room behind them (strings keep their bytes there).
bool tn_attr_value_alloc(tn_attr_value* value, tn_attr_kind kind, bool is_list, size_t count,
                         size_t text_bytes, tn_status* status);
// Fills `value`, which held nothing, with copies of `count` elements of the C type that `kind`
// names above (tensors: handles are shared). False and RESOURCE_EXHAUSTED without memory.
bool tn_attr_value_init(tn_attr_value* value, tn_attr_kind kind, bool is_list, const void* items,
                        size_t count, tn_status* status);
void tn_func_deinit(tn_func* func);
bool tn_attr_value_copy(tn_attr_value* target, const tn_attr_value* source, tn_status* status);
void tn_attr_value_deinit(tn_attr_value* value);
bool tn_attr_value_equal(const tn_attr_value* a, const tn_attr_value* b);
uint64_t tn_attr_value_hash(const tn_attr_value* value, uint64_t seed);
// For messages: 3, 1.5, "text", DT_FLOAT, [1, 2], shapes as [2,?], tensors shortened.
void tn_attr_value_print(const tn_attr_value* value, tn_text* out);
// "int", "list(type)".
const char* tn_attr_type_name(tn_attr_kind kind, bool is_list);

// AttrValue, NameAttrList, and the entries of a map from names to AttrValue (as field `number`).
bool tn_func_encode(const tn_func* func, tn_text* out, tn_status* status);
bool tn_func_decode(tn_func* func, tn_view bytes, tn_status* status);
bool tn_attrs_encode(const tn_attrs* attrs, uint32_t number, tn_text* out, tn_status* status);
bool tn_attrs_decode_entry(tn_attrs* attrs, tn_view bytes, tn_status* status);
bool tn_attr_value_encode(const tn_attr_value* value, tn_text* out, tn_status* status);
// Safe on any bytes. A few of them may stand for a large tensor: up to `limit` bytes in all, 2 GiB
// for the others that decode.
bool tn_attr_value_decode_within(tn_attr_value* value, tn_view bytes, size_t limit,
                                 tn_status* status);
bool tn_attr_value_decode(tn_attr_value* value, tn_view bytes, tn_status* status);

// A default as op specs write it (protobuf text format of the value; tf_c_api 2.4). The whole text
// must be used up; as in TensorFlow, words in a message that name no field are passed over, which
// the strict form does not.
bool tn_attr_value_parse(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text,
                         tn_status* status);
bool tn_attr_value_parse_strict(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text,
                                tn_status* status);
// A value as people type it after --attr NAME=: like the above, and also a bare word for a string,
// `float32` for a type, `[2,?,3]` for a shape, `1,2,3` for a list.
bool tn_attr_value_parse_typed(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text,
                               tn_status* status);

// Appends `text` with its C escapes undone; NULL, or where the escape that is none begins.
const char* tn_unescape(tn_view text, tn_text* out);

const tn_attr_value* tn_attrs_find(const tn_attrs* attrs, const char* name);
// Sets or replaces; copies name and value.
bool tn_attrs_set(tn_attrs* attrs, const char* name, const tn_attr_value* value, tn_status* status);
// The same, moving `value` (empty afterwards, also when it fails).
bool tn_attrs_take(tn_attrs* attrs, const char* name, tn_attr_value* value, tn_status* status);
bool tn_attrs_copy(tn_attrs* target, const tn_attrs* source, tn_status* status);
// Drops all but the first `count`.
void tn_attrs_truncate(tn_attrs* attrs, size_t count);
void tn_attrs_deinit(tn_attrs* attrs);

#endif  // TENON_OP_ATTR_VALUE_H_
