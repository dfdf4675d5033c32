#include "doctor/families.h"

#include <ctype.h>
#include <string.h>

// Far enough for what a mangled name may begin with: "_ZTIZN" of a class in a function of a
// namespace, and two letters more that the names of compilers need.
enum { ANYWHERE = 0, AT_THE_HEAD = 6, NEAR_THE_HEAD = 8 };

typedef struct description {
  const char *name, *hits;
  const char *within, *within_also;  // namespaces as mangled names spell them
  // The last place at which the namespace makes the symbol its own. Code that instantiates
  // templates of compilers mentions them everywhere.
  int reach;
  bool named;  // what has a name there: operators are not counted
} description;

#define BOTH "TensorFlow and jaxlib"
static const description families[TN_FAMILIES] = {
    [TN_FAMILY_TENSORFLOW] = {.name = "tensorflow", .hits = "TensorFlow", .within = "10tensorflow"},
    [TN_FAMILY_TSL] = {.name = "tsl", .hits = BOTH, .within = "3tsl", .reach = AT_THE_HEAD},
    [TN_FAMILY_XLA] =
        {.name = "xla", .hits = BOTH, .within = "3xla", .reach = AT_THE_HEAD, .named = true},
    [TN_FAMILY_STREAM_EXECUTOR] = {.name = "stream_executor",
                                   .hits = BOTH,
                                   .within = "15stream_executor"},
    [TN_FAMILY_MLIR] = {.name = "mlir", .hits = BOTH, .within = "4mlir", .reach = NEAR_THE_HEAD},
    [TN_FAMILY_LLVM] = {.name = "llvm", .hits = BOTH, .within = "4llvm", .reach = NEAR_THE_HEAD},
    [TN_FAMILY_LLVM_C] = {.name = "LLVM_C", .hits = BOTH},
    [TN_FAMILY_MLIR_C] = {.name = "mlir_C", .hits = BOTH},
    [TN_FAMILY_ABSL] = {.name = "absl", .hits = BOTH, .within = "4absl"},
    [TN_FAMILY_PROTOBUF] = {.name = "protobuf", .hits = BOTH, .within = "6google8protobuf"},
    [TN_FAMILY_GRPC] = {.name = "grpc",
                        .hits = BOTH,
                        .within = "4grpc",
                        .within_also = "9grpc_core"},
    [TN_FAMILY_ZLIB] = {.name = "zlib", .hits = "whoever uses zlib"},
    [TN_FAMILY_DNNL] = {.name = "dnnl", .hits = "TensorFlow", .within = "4dnnl"},
    [TN_FAMILY_OPERATOR_NEW] = {.name = "operator_new", .hits = "the whole process"},
    [TN_FAMILY_STD_INLINE] = {.name = "std_inline"},
};

const char* tn_family_name(tn_family family) { return families[family].name; }
const char* tn_family_hits(tn_family family) { return families[family].hits; }

static bool begins_with_any(const char* symbol, const char* const* heads) {
  for (; *heads; ++heads)
    if (strncmp(symbol, *heads, strlen(*heads)) == 0) return true;
  return false;
}

// _ZSt..., _ZNSt..., _ZNKSt... and the same of __gnu_cxx.
static bool is_of_libstdcxx(const char* symbol) {
  if (strncmp(symbol, "_Z", 2) != 0) return false;
  symbol += 2;
  if (*symbol == 'N') ++symbol;
  if (*symbol == 'K') ++symbol;
  static const char* const heads[] = {"St", "9__gnu_cxx", NULL};
  return begins_with_any(symbol, heads);
}

static bool is_c_function_of(const char* symbol, const char* prefix) {
  const size_t length = strlen(prefix);
  return strncmp(symbol, prefix, length) == 0 && isupper((unsigned char)symbol[length]);
}

static bool mentions(const char* symbol, const char* space, const description* family) {
  const char* at = space ? strstr(symbol, space) : NULL;
  return at && (family->reach == ANYWHERE || at - symbol <= family->reach) &&
         (!family->named || isdigit((unsigned char)at[strlen(space)]));
}

bool tn_family_has(tn_family family, const char* symbol) {
  static const char* const zlib[] = {"deflate", "inflate", "crc32", "adler32", NULL};
  static const char* const operators[] = {"_Znw", "_Zna", "_Zdl", "_Zda", NULL};
  switch (family) {
    case TN_FAMILY_LLVM_C: return is_c_function_of(symbol, "LLVM");
    case TN_FAMILY_MLIR_C: return is_c_function_of(symbol, "mlir");
    case TN_FAMILY_ZLIB: return begins_with_any(symbol, zlib);
    case TN_FAMILY_OPERATOR_NEW: return begins_with_any(symbol, operators);
    case TN_FAMILY_STD_INLINE: return is_of_libstdcxx(symbol);
    case TN_FAMILY_DNNL:
      if (strncmp(symbol, "dnnl_", 5) == 0) return true;
      break;
    default: break;
  }
  const description* own = &families[family];
  return strncmp(symbol, "_Z", 2) == 0 &&
         (mentions(symbol, own->within, own) || mentions(symbol, own->within_also, own));
}
