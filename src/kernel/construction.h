// What a kernel asks while it is made: its attributes. Behind TF_OpKernelConstruction_*.
//
// A missing attr is INVALID_ARGUMENT, one of another type too. Lists are written as far as there is
// room; the rest is left out. NULL arguments are INVALID_ARGUMENT.
#ifndef TENON_KERNEL_CONSTRUCTION_H_
#define TENON_KERNEL_CONSTRUCTION_H_

#include "kernel/instance.h"

tn_view tn_construction_name(const tn_construction* construction);
bool tn_construction_has_attr(const tn_construction* construction, const char* attr);
// list_size: the length of a list, -1 for one value. total_size: bytes of a string or of all
// strings of a list, rank of a shape (-1 unknown), dimensions of all shapes of a list, else -1.
// Both -1 on failure.
bool tn_construction_attr_size(const tn_construction* construction, const char* attr,
                               int32_t* out_list_size, int32_t* out_total_size, tn_status* status);

bool tn_construction_type(const tn_construction* construction, const char* attr,
                          tn_dtype* out_value, tn_status* status);
bool tn_construction_int32(const tn_construction* construction, const char* attr,
                           int32_t* out_value, tn_status* status);
bool tn_construction_int64(const tn_construction* construction, const char* attr,
                           int64_t* out_value, tn_status* status);
bool tn_construction_float(const tn_construction* construction, const char* attr, float* out_value,
                           tn_status* status);
bool tn_construction_bool(const tn_construction* construction, const char* attr,
                          unsigned char* out_value, tn_status* status);
// Copies at most `room` bytes and adds no NUL.
bool tn_construction_string(const tn_construction* construction, const char* attr, char* out_value,
                            size_t room, tn_status* status);
// A new handle that the kernel destroys; NULL on failure.
tn_tensor* tn_construction_tensor(const tn_construction* construction, const char* attr,
                                  tn_status* status);
// A full shape of exactly `rank` dimensions.
bool tn_construction_shape(const tn_construction* construction, const char* attr, int64_t* out_dims,
                           size_t rank, tn_status* status);
// NameAttrList, appended to `out`.
bool tn_construction_function(const tn_construction* construction, const char* attr, tn_text* out,
                              tn_status* status);
// NodeDef, appended to `out`.
bool tn_construction_node_def(const tn_construction* construction, tn_text* out, tn_status* status);

bool tn_construction_type_list(const tn_construction* construction, const char* attr,
                               tn_dtype* out_values, int room, tn_status* status);
bool tn_construction_int32_list(const tn_construction* construction, const char* attr,
                                int32_t* out_values, int room, tn_status* status);
bool tn_construction_int64_list(const tn_construction* construction, const char* attr,
                                int64_t* out_values, int room, tn_status* status);
bool tn_construction_float_list(const tn_construction* construction, const char* attr,
                                float* out_values, int room, tn_status* status);
bool tn_construction_bool_list(const tn_construction* construction, const char* attr,
                               unsigned char* out_values, int room, tn_status* status);
// The bytes lie in `storage` one after another, without NULs; out_values and out_sizes say where.
bool tn_construction_string_list(const tn_construction* construction, const char* attr,
                                 char** out_values, size_t* out_sizes, int room, void* storage,
                                 size_t storage_size, tn_status* status);
// New handles that the kernel destroys; on failure none.
bool tn_construction_tensor_list(const tn_construction* construction, const char* attr,
                                 tn_tensor** out_values, int room, tn_status* status);

#endif  // TENON_KERNEL_CONSTRUCTION_H_
