// tf_tstring.h, out of line. Views may come from plugins built with headers that left their third
// word unset, so it is never read here (the inline functions of ctstring_internal.h do).

#include "tensor/tstring.h"

#include "tensorflow/c/tf_tstring.h"

static tn_tstring* own(TF_TString* str) { return (tn_tstring*)str; }
static const tn_tstring* own_const(const TF_TString* str) { return (const tn_tstring*)str; }

void TF_StringInit(TF_TString* str) {
  if (str) tn_tstring_init(own(str));
}

void TF_StringDealloc(TF_TString* str) {
  if (str) tn_tstring_deinit(own(str));
}

void TF_StringCopy(TF_TString* dst, const char* src, size_t size) {
  if (dst && (src || size == 0)) tn_tstring_copy(own(dst), src, size);
}

void TF_StringAssignView(TF_TString* dst, const char* src, size_t size) {
  if (dst && (src || size == 0)) tn_tstring_assign_view(own(dst), src, size);
}

const char* TF_StringGetDataPointer(const TF_TString* str) {
  return str ? tn_tstring_data(own_const(str)) : "";
}

size_t TF_StringGetSize(const TF_TString* str) { return str ? tn_tstring_size(own_const(str)) : 0; }

size_t TF_StringGetCapacity(const TF_TString* str) {
  return str ? tn_tstring_capacity(own_const(str)) : 0;
}

TF_TString_Type TF_StringGetType(const TF_TString* str) {
  return str ? (TF_TString_Type)tn_tstring_get_form(own_const(str)) : TF_TSTR_SMALL;
}
