// Where the hostile plugin's numbers, names, specs and bytes come from: ordinary ones, and every
// kind that is not. The includer brings next_random.
#ifndef TENON_TESTS_TF_HOSTILE_ARGUMENTS_H_
#define TENON_TESTS_TF_HOSTILE_ARGUMENTS_H_

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "tensorflow/c/tf_datatype.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { most_dims = 1000, tensor_memory = 4096 };

static int64_t dims_of[9][most_dims];
static char long_name[3000];
static const char* own_path;

static uint64_t next_random(void);
static int below(int count) { return (int)(next_random() % (uint64_t)count); }
#define BELOW(count) below(count)
#define CHANCE(one_in) (below(one_in) == 0)
#define ONE_OF(array) ((array)[below(COUNT_OF(array))])

static void make_constants(void) {
  static const int64_t fronts[][3] = {{0, 0, 0},
                                      {1, 1, 1},
                                      {2, 3, 1},
                                      {-1, 2, 1},
                                      {1ll << 50, 1, 1},
                                      {INT64_MAX, 2, 1},
                                      {1ll << 50, 1ll << 50, 4},
                                      {0, 1ll << 62, 9},
                                      {64, 16, INT64_MIN}};
  for (size_t i = 0; i < COUNT_OF(dims_of); ++i)
    for (int k = 0; k < most_dims; ++k) dims_of[i][k] = k < 3 ? fronts[i][k] : i ? 1 : 0;
  memset(long_name, 'x', sizeof long_name - 1);
  Dl_info file;
  if (dladdr(long_name, &file)) own_path = file.dli_fname;
}

static int any_index(void) {
  static const int odd[] = {-1, 8, 99, INT_MIN, INT_MAX};
  return CHANCE(4) ? ONE_OF(odd) : below(8);
}

static int64_t any_wide(void) {
  static const int64_t odd[] = {-1, -2, 99, 254, 255, 1ll << 40, INT64_MIN, INT64_MAX};
  return CHANCE(3) ? ONE_OF(odd) : below(5);
}

static size_t any_size(void) {
  static const size_t sizes[] = {0, 1, 2, 8, 64, tensor_memory, SIZE_MAX};
  return ONE_OF(sizes);
}

static int any_rank(void) {
  static const int odd[] = {-5, -1, 9, 254, 255, most_dims};
  return CHANCE(3) ? ONE_OF(odd) : below(4);
}

static const int64_t* any_dims(void) { return CHANCE(8) ? NULL : ONE_OF(dims_of); }

static TF_DataType any_type(void) {
  static const int types[] = {1,   1,   1,   3,   3,   7,   7,  9,       10,     20, 21,
                              8,   2,   0,   4,   14,  24,  29, 33,      34,     99, 101,
                              107, 120, 121, 200, 202, 203, -1, INT_MIN, INT_MAX};
  return (TF_DataType)ONE_OF(types);
}

static const char* any_name(void) {
  static const char* const names[] = {NULL,          "",
                                      "a",           "b",
                                      "s",           "v",
                                      "w",           "r",
                                      "l",           "x",
                                      "y",           "z",
                                      "N",           "T",
                                      "Tl",          "i",
                                      "fl",          "bo",
                                      "st",          "ty",
                                      "sh",          "te",
                                      "fu",          "li",
                                      "lf",          "lb",
                                      "ls",          "lt",
                                      "lsh",         "lte",
                                      "lfu",         "dtype",
                                      "shape",       "shared_name",
                                      "_kernel",     "_output_hostmem",
                                      "Hostile",     "HostileSmall",
                                      "Hostile0",    "Hostile1",
                                      "VarHandleOp", "NoSuchOp",
                                      "%s%n%d",      "\xff\xfe{\n",
                                      long_name};
  return ONE_OF(names);
}

static const char* any_op_name(void) {
  static const char* const names[] = {"Hostile0", "Hostile0", "Hostile1", "Hostile2",
                                      NULL,       "",         "hostile",  "%s"};
  return ONE_OF(names);
}

static const char* any_device(void) {
  static const char* const names[] = {"CPU", "CPU", "/device:CPU:0", "GPU", "",
                                      NULL,  "%s",  long_name};
  return ONE_OF(names);
}

static const char* any_attr_spec(void) {
  static const char* const specs[] = {"T: type",
                                      "T: {float, int32} = DT_FLOAT",
                                      "N: int >= 1 = 2",
                                      "x: shape = { unknown_rank: true }",
                                      "l: list(int) >= 1 = [1, 2]",
                                      "s: {'a', 'b'} = 'a'",
                                      "t: tensor",
                                      "f: func",
                                      "i: int",
                                      "T: type = DT_NONE",
                                      "N: int = 99999999999999999999",
                                      ":",
                                      "T",
                                      "",
                                      NULL,
                                      "%s: %n",
                                      long_name};
  return ONE_OF(specs);
}

static const char* any_argument_spec(void) {
  static const char* const specs[] = {
      "x: T",         "y: float", "z: N * T", "l: l", "r: Ref(float)", "v: resource", "s: string",
      "x: 3 * float", "",         NULL,       ": :",  "%s: %n",        long_name};
  return ONE_OF(specs);
}

// Serialized messages without a zero byte, whole and broken: KernelDef, TensorProto, neither.
static const char* any_proto(void) {
  static const char* const protos[] = {
      "\x0a\x08Hostile0\x12\x03"
      "CPU",
      "\x0a\x08Hostile1\x12\x03"
      "CPU\x1a\x09\x0a\x01T\x12\x04\x0a\x02\x30\x01\x2a\x01"
      "L\x30\x05",
      "\x0a\x08Hostile0\x12\x03"
      "CPU\x22\x01x\x22\x01q",
      "\x08\x01\x12\x04\x12\x02\x08\x02\x2a\x04\x01\x02\x03\x04",
      "\x08\x07\x12\x04\x12\x02\x08\x02\x42\x01"
      "a\x42\x02"
      "bc",
      "\x08\x03\x12\x0c\x12\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
      "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
      "\xff\xff\xff\xff",
      "\x0a",
      "",
      NULL};
  return ONE_OF(protos);
}

static const char* any_path(void) {
  static const char* const paths[] = {NULL, "",       "/", "/dev/null", "/no/such/file.so",
                                      "%s", long_name};
  return CHANCE(8) ? own_path : ONE_OF(paths);
}

// Ops that run, or nearly.
static const char* any_runnable(void) {
  static const char* const names[] = {"HostileSmall",     "HostileSmallAsync", "HostileLists",
                                      "Hostile0",         "Hostile1",          "Hostile2",
                                      "VarHandleOp",      "ReadVariableOp",    "AssignVariableOp",
                                      "DestroyResourceOp"};
  return ONE_OF(names);
}

static const char* any_format(void) {
  static const char* const formats[] = {NULL, "", "no argument", "%s", "%s%%"};
  return ONE_OF(formats);
}

// Mostly the truth. A size that nobody has must be refused before the first byte is read.
static size_t claimed_size(const char* text) {
  if (!text) return any_size();
  return CHANCE(8) ? SIZE_MAX - (size_t)below(2) : strlen(text);
}

#endif  // TENON_TESTS_TF_HOSTILE_ARGUMENTS_H_
