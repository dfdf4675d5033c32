// What the test plugin needs that no PJRT number changes: elements and copies, the programs that it
// takes, compile options, and the faults that it can be told to have.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "misdeeds.h"

#define MOST_DIMS 8
#define MOST_VALUES 16
#define MOST_DEVICES 16

// Bytes of one element in memory (one for the types below a byte); 0 for what is no type of
// numbers.
size_t element_bytes(int type);
// How many types the enum has in PJRT 0.`minor`: INVALID counts.
int element_types(int minor);
void element_add_one(int type, const void* from, void* to, size_t count);

// Copies an array element by element between two arrangements of its bytes.
void strided_copy(char* to, const int64_t* to_strides, const char* from,
                  const int64_t* from_strides, const int64_t* dims, size_t rank, size_t element);
// Byte strides of a dense array whose dimensions are laid out in this order; NULL: the last is
// minor.
void dense_strides(const int64_t* dims, size_t rank, const int64_t* minor_to_major, size_t element,
                   int64_t* strides);
size_t element_count(const int64_t* dims, size_t rank);

typedef struct {
  int type;
  size_t rank;
  int64_t dims[MOST_DIMS];  // -1: any
} tensor_type;

enum { KEPT = -1, DONOR = -2 };

// Output i is input i plus one.
typedef struct {
  size_t num_inputs, num_outputs;
  tensor_type inputs[MOST_VALUES], outputs[MOST_VALUES];
  int donated[MOST_VALUES];  // the output that an input is given up for, DONOR: any, KEPT: none
} program;

// Reads the text of a StableHLO module, or a portable artifact, that adds one. False with a reason
// for anything else.
bool program_read(const char* code, size_t size, program* out, char* why, size_t why_size);

typedef struct {
  int64_t replicas, partitions;
  int64_t devices[MOST_DEVICES];  // by replica, then partition
  size_t num_devices;             // 0: the default assignment
} compile_options;

// Reads a CompileOptionsProto; false when the bytes are none.
bool compile_options_read(const char* bytes, size_t size, compile_options* out);

// ------------------------------ Faults ------------------------------

enum misdeed {
#define MISDEED(name, does, breaks) MISDEED_##name,
  MISDEEDS(MISDEED)
#undef MISDEED
      NUM_MISDEEDS
};

extern bool misdeeds_chosen[NUM_MISDEEDS];
#define BAD(name) __builtin_expect(misdeeds_chosen[MISDEED_##name], 0)

// Reads PJRT_MISDEED and what follows a '+' in the plugin's own file name: names of misdeeds.h, or
// crash@FUNCTION, abort@, exit@, hang@, fail@ and null@, divided by commas. Ends the process on a
// word that is none, so that a test cannot pass by a slip of the pen.
void misdeeds_choose(const char* own_path);
// Does what is to happen on entry of this function; true when the function is to fail.
bool misdeed_on_entry(const char* function);
bool misdeed_is_null_slot(const char* function);
