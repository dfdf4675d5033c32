// Elements of string tensors.
#ifndef TENON_PLUGINS_CPU_STRINGS_H_
#define TENON_PLUGINS_CPU_STRINGS_H_

#include "kernel.h"
#include "tensorflow/c/tf_tstring.h"

// Characters in somebody else's memory; any bytes, no zero behind them.
typedef struct chars {
  const char* data;
  size_t size;
} chars;

static inline chars chars_of(const TF_TString* string) {
  return (chars){TF_TString_GetDataPointer(string), TF_TString_GetSize(string)};
}

static inline chars element(const array* strings, int64_t i) {
  return chars_of((const TF_TString*)strings->data + i);
}

// Room for `size` characters in an output element, or NULL and a failed run.
char* resize_string(run* run, TF_TString* string, size_t size);
// Copies the characters, also those of a view, whose memory may go before the copy does.
bool copy_string(run* run, TF_TString* to, const TF_TString* from);
bool set_string(run* run, TF_TString* to, chars from);

// Calls `body` for every i below `count`, on the host's threads, each range until it gives false
// (then it has failed the run). `cost` is a guess at the nanoseconds of one.
void each_element(run* run, int64_t count, int64_t cost, bool (*body)(void* arg, int64_t i),
                  void* arg);

// What most bodies work on: element i of `in` goes to element i of `out`.
typedef struct string_job {
  run* run;
  const void* state;
  array in, out;
} string_job;
// Runs `body` with a string_job: input 0, and an output 0 of the same shape.
void map_strings(void* state, TF_OpKernelContext* context, const char* op, int64_t cost,
                 bool (*body)(void* job, int64_t i));

// Bytes that follow the first one of a character in UTF-8.
static inline bool is_trail_byte(char c) { return (c & 0xc0) == 0x80; }
static inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
chars strip_spaces(chars text);

// Hashes of strings, equal to those that TensorFlow's ops give.
uint64_t murmur_hash(chars in);
uint64_t farm_fingerprint(chars in);
uint64_t sip_hash(const uint64_t key[2], chars in);

#endif  // TENON_PLUGINS_CPU_STRINGS_H_
