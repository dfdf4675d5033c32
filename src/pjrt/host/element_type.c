#include "pjrt/host/element_type.h"

#include "base/status.h"

// In host memory; what takes less than a byte takes one there. `since` is the plugins' number.
typedef struct element_type {
  const char* name;
  size_t size;
  tn_dtype dtype;
  int since;
} element_type;

static const element_type types[] = {
    [PJRT_Buffer_Type_INVALID] = {"INVALID", 0, TN_INVALID, 0},
    [PJRT_Buffer_Type_PRED] = {"PRED", 1, TN_BOOL, 0},
    [PJRT_Buffer_Type_S8] = {"S8", 1, TN_INT8, 0},
    [PJRT_Buffer_Type_S16] = {"S16", 2, TN_INT16, 0},
    [PJRT_Buffer_Type_S32] = {"S32", 4, TN_INT32, 0},
    [PJRT_Buffer_Type_S64] = {"S64", 8, TN_INT64, 0},
    [PJRT_Buffer_Type_U8] = {"U8", 1, TN_UINT8, 0},
    [PJRT_Buffer_Type_U16] = {"U16", 2, TN_UINT16, 0},
    [PJRT_Buffer_Type_U32] = {"U32", 4, TN_UINT32, 0},
    [PJRT_Buffer_Type_U64] = {"U64", 8, TN_UINT64, 0},
    [PJRT_Buffer_Type_F16] = {"F16", 2, TN_HALF, 0},
    [PJRT_Buffer_Type_F32] = {"F32", 4, TN_FLOAT, 0},
    [PJRT_Buffer_Type_F64] = {"F64", 8, TN_DOUBLE, 0},
    [PJRT_Buffer_Type_BF16] = {"BF16", 2, TN_BFLOAT16, 0},
    [PJRT_Buffer_Type_C64] = {"C64", 8, TN_COMPLEX64, 0},
    [PJRT_Buffer_Type_C128] = {"C128", 16, TN_COMPLEX128, 0},
    [PJRT_Buffer_Type_F8E5M2] = {"F8E5M2", 1, TN_FLOAT8_E5M2, 0},
    [PJRT_Buffer_Type_F8E4M3FN] = {"F8E4M3FN", 1, TN_FLOAT8_E4M3FN, 0},
    [PJRT_Buffer_Type_F8E4M3B11FNUZ] = {"F8E4M3B11FNUZ", 1, TN_FLOAT8_E4M3B11FNUZ, 0},
    [PJRT_Buffer_Type_F8E5M2FNUZ] = {"F8E5M2FNUZ", 1, TN_FLOAT8_E5M2FNUZ, 0},
    [PJRT_Buffer_Type_F8E4M3FNUZ] = {"F8E4M3FNUZ", 1, TN_FLOAT8_E4M3FNUZ, 0},
    [PJRT_Buffer_Type_S4] = {"S4", 1, TN_INT4, 0},
    [PJRT_Buffer_Type_U4] = {"U4", 1, TN_UINT4, 0},
    [PJRT_Buffer_Type_TOKEN] = {"TOKEN", 0, TN_INVALID, 50},
    [PJRT_Buffer_Type_S2] = {"S2", 1, TN_INT2, 53},
    [PJRT_Buffer_Type_U2] = {"U2", 1, TN_UINT2, 53},
    [PJRT_Buffer_Type_F8E4M3] = {"F8E4M3", 1, TN_FLOAT8_E4M3, 55},
    [PJRT_Buffer_Type_F8E3M4] = {"F8E3M4", 1, TN_FLOAT8_E3M4, 55},
    [PJRT_Buffer_Type_F8E8M0FNU] = {"F8E8M0FNU", 1, TN_FLOAT8_E8M0FNU, 63},
    [PJRT_Buffer_Type_F4E2M1FN] = {"F4E2M1FN", 1, TN_FLOAT4_E2M1FN, 63},
    [PJRT_Buffer_Type_S1] = {"S1", 1, TN_INVALID, 94},
    [PJRT_Buffer_Type_U1] = {"U1", 1, TN_INVALID, 94},
    [PJRT_Buffer_Type_F6E2M3FN] = {"F6E2M3FN", 1, TN_INVALID, 114},
    [PJRT_Buffer_Type_F6E3M2FN] = {"F6E3M2FN", 1, TN_INVALID, 114},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

static const element_type* type_at(int32_t type) {
  return type > 0 && type < TYPE_COUNT ? &types[type] : NULL;
}

int32_t tn_pjrt_type_of(tn_dtype dtype) {
  for (int32_t i = 1; i < TYPE_COUNT; ++i)
    if (types[i].dtype == dtype && dtype != TN_INVALID) return i;
  return PJRT_Buffer_Type_INVALID;
}

tn_dtype tn_pjrt_dtype_of(int32_t type) {
  const element_type* known = type_at(type);
  return known ? known->dtype : TN_INVALID;
}

const char* tn_pjrt_type_name(int32_t type) {
  const element_type* known = type_at(type);
  return known ? known->name : "?";
}

size_t tn_pjrt_type_size(int32_t type) {
  const element_type* known = type_at(type);
  return known ? known->size : 0;
}

bool tn_pjrt_type_check(const tn_pjrt* plugin, int32_t type, tn_status* status) {
  const element_type* known = type_at(type);
  if (!known || known->size == 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "PJRT_Buffer_Type %d (%s) is no type of arrays",
                   (int)type, known ? known->name : "unknown");
  if (known->since <= plugin->minor && known->since <= plugin->host_minor) return true;
  return tn_fail(status, TN_UNIMPLEMENTED,
                 "%s: arrays of %s need PJRT 0.%d; the plugin has 0.%d and this host acts as 0.%d",
                 plugin->name, known->name, known->since, plugin->minor, plugin->host_minor);
}

bool tn_pjrt_array_bytes(int32_t type, const int64_t* dims, size_t rank, size_t* bytes,
                         tn_status* status) {
  size_t size = tn_pjrt_type_size(type);
  if (size == 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "PJRT_Buffer_Type %d has no known element size",
                   (int)type);
  if (rank > TN_PJRT_MAX_RANK)
    return tn_fail(status, TN_INVALID_ARGUMENT, "an array has rank %zu; at most %d is supported",
                   rank, (int)TN_PJRT_MAX_RANK);
  if (rank > 0 && !dims)
    return tn_fail(status, TN_INVALID_ARGUMENT, "an array of rank %zu has no dimensions", rank);
  bool empty = false, large = false;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0)
      return tn_fail(status, TN_INVALID_ARGUMENT, "dimension %zu of an array is %lld, below zero",
                     i, (long long)dims[i]);
    empty |= dims[i] == 0;
    large |= !empty && __builtin_mul_overflow(size, (size_t)dims[i], &size);
  }
  if (!empty && (large || size > PTRDIFF_MAX))
    return tn_fail(status, TN_INVALID_ARGUMENT, "an array has more bytes than memory can have");
  *bytes = empty ? 0 : size;
  return true;
}
