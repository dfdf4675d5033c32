// Reads the files of TensorFlow's answers. Their form: tests/cpu/answers.py.
#ifndef TENON_TESTS_CPU_REPLAY_ANSWERS_H_
#define TENON_TESTS_CPU_REPLAY_ANSWERS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/tensor.h"

// Bytes not read yet. Reading beyond the end gives zeros and sets `bad`.
typedef struct reader {
  const uint8_t *at, *end;
  bool bad;
} reader;

// One case: calls, and what they must give.
typedef struct answer_case {
  const char* file;  // its name without the folder: <op>.<type>
  uint32_t number;
  double bar;
  uint32_t code, call_count;
  reader rest;  // from the first call on
} answer_case;

typedef struct answer_cases {
  answer_case* items;
  size_t count, capacity;
} answer_cases;

// An array as it lies in the file.
enum { MAX_RANK = 32 };
typedef struct answer_array {
  tn_dtype dtype;
  int rank;
  int64_t dims[MAX_RANK];
  size_t count, bytes;
  const uint8_t* elements;
} answer_array;

uint32_t read_number(reader* in);
uint8_t read_byte(reader* in);
// A view; not NUL-terminated.
const char* read_text(reader* in, size_t* out_size);
// A copy that the caller frees.
char* read_name(reader* in);
const uint8_t* read_bytes(reader* in, size_t size);
bool read_array(reader* in, answer_array* out);

// Adds the cases of the file, or of all files in the folder, in the order of their names. Their
// memory stays mapped until the process ends. False, with a line on standard error, when it is no
// such file.
bool load_answers(const char* path, answer_cases* out);

// What is wrong with `found` as output `i`, into `text`; true when nothing is. Reads one answer.
bool check_answer(reader* in, const tn_tensor* found, size_t i, double bar, char* text,
                  size_t text_size);

#endif  // TENON_TESTS_CPU_REPLAY_ANSWERS_H_
