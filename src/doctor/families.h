// Whose code a symbol is, by its name.
#ifndef TENON_DOCTOR_FAMILIES_H_
#define TENON_DOCTOR_FAMILIES_H_

#include <stdbool.h>
#include <stddef.h>

// The families of code that plugins carry along and frameworks have too.
typedef enum tn_family {
  TN_FAMILY_TENSORFLOW,
  TN_FAMILY_TSL,
  TN_FAMILY_XLA,
  TN_FAMILY_STREAM_EXECUTOR,
  TN_FAMILY_MLIR,
  TN_FAMILY_LLVM,
  TN_FAMILY_LLVM_C,
  TN_FAMILY_MLIR_C,
  TN_FAMILY_ABSL,
  TN_FAMILY_PROTOBUF,
  TN_FAMILY_GRPC,
  TN_FAMILY_ZLIB,
  TN_FAMILY_DNNL,
  TN_FAMILY_OPERATOR_NEW,
  TN_FAMILY_STD_INLINE,  // templates and inline functions of libstdc++: everybody has them
  TN_FAMILIES
} tn_family;

const char* tn_family_name(tn_family family);
// A name may belong to several: absl::Span<google::protobuf::Message>.
bool tn_family_has(tn_family family, const char* symbol);
// Which frameworks have the same code and meet it in one process; NULL when none is known.
const char* tn_family_hits(tn_family family);

#endif  // TENON_DOCTOR_FAMILIES_H_
