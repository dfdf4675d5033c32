#include "doctor/families.h"

#include <ctype.h>
#include <string.h>

typedef struct description {
  const char *name, *within, *hits;  // `within`: the namespace as mangled names spell it
} description;

#define BOTH "TensorFlow and jaxlib"
static const description families[TN_FAMILIES] = {
    [TN_FAMILY_TENSORFLOW] = {"tensorflow", "10tensorflow", "TensorFlow"},
    [TN_FAMILY_TSL] = {"tsl", "3tsl", BOTH},
    [TN_FAMILY_XLA] = {"xla", "3xla", BOTH},
    [TN_FAMILY_MLIR] = {"mlir", "4mlir", BOTH},
    [TN_FAMILY_LLVM] = {"llvm", "4llvm", BOTH},
    [TN_FAMILY_LLVM_C] = {"LLVM_C", NULL, BOTH},
    [TN_FAMILY_ABSL] = {"absl", "4absl", BOTH},
    [TN_FAMILY_PROTOBUF] = {"protobuf", "6google8protobuf", BOTH},
    [TN_FAMILY_GRPC] = {"grpc", "4grpc", BOTH},
    [TN_FAMILY_ZLIB] = {"zlib", NULL, "whoever uses zlib"},
    [TN_FAMILY_DNNL] = {"dnnl", "4dnnl", "TensorFlow"},
    [TN_FAMILY_OPERATOR_NEW] = {"operator_new", NULL, "the whole process"},
    [TN_FAMILY_STD_INLINE] = {"std_inline", NULL, NULL},
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

bool tn_family_has(tn_family family, const char* symbol) {
  static const char* const zlib[] = {"deflate", "inflate", "crc32", "adler32", NULL};
  static const char* const operators[] = {"_Znw", "_Zna", "_Zdl", "_Zda", NULL};
  switch (family) {
    case TN_FAMILY_LLVM_C:
      return strncmp(symbol, "LLVM", 4) == 0 && isupper((unsigned char)symbol[4]);
    case TN_FAMILY_ZLIB: return begins_with_any(symbol, zlib);
    case TN_FAMILY_OPERATOR_NEW: return begins_with_any(symbol, operators);
    case TN_FAMILY_STD_INLINE: return is_of_libstdcxx(symbol);
    case TN_FAMILY_DNNL:
      if (strncmp(symbol, "dnnl_", 5) == 0) return true;
      break;
    default: break;
  }
  const char* at = strncmp(symbol, "_Z", 2) == 0 ? strstr(symbol, families[family].within) : NULL;
  // Code that instantiates templates of the compilers' libraries mentions them everywhere: what is
  // theirs begins with them.
  const bool begins = family == TN_FAMILY_TSL || family == TN_FAMILY_XLA ||
                      family == TN_FAMILY_MLIR || family == TN_FAMILY_LLVM;
  enum { LONGEST_HEAD = 8 };  // "_ZTIZNK"
  return at && (!begins || at - symbol <= LONGEST_HEAD);
}
