// StringLower and StringUpper: of ASCII, or of all of Unicode in UTF-8.

#include <stdlib.h>
#include <string.h>

#include "strings_case_data.h"
#include "strings_utf.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

typedef struct case_state {
  bool upper, unicode;
} case_state;

// Rows begin with their first character, in ascending order: the last that begins at or before `c`.
static const void* find_row(const void* table, size_t count, size_t size, uint32_t c) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    uint32_t first;
    memcpy(&first, (const char*)table + middle * size, sizeof first);
    if (first <= c) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low ? (const char*)table + (low - 1) * size : NULL;
}

static bool is_in(const character_range* table, size_t count, uint32_t c) {
  const character_range* row = find_row(table, count, sizeof *row, c);
  return row && c <= row->last;
}

static uint32_t move(const case_run* table, size_t count, uint32_t c) {
  const case_run* row = find_row(table, count, sizeof *row, c);
  return row && c <= row->last && (c - row->first) % row->step == 0 ? c + (uint32_t)row->by : c;
}

// Up to three characters; returns how many.
static int to_upper(uint32_t c, uint32_t out[3]) {
  const case_text* text = find_row(upper_texts, COUNT(upper_texts), sizeof *text, c);
  int count = 0;
  if (text && text->from == c) {
    while (count < 3 && text->to[count]) {
      out[count] = text->to[count];
      ++count;
    }
    return count;
  }
  out[0] = c < 0x80 ? (c >= 'a' && c <= 'z' ? c - 32 : c) : move(upper_runs, COUNT(upper_runs), c);
  return 1;
}

// A word goes on after this: the first character that counts has a case.
static bool case_follows(chars rest) {
  bool broken;
  while (rest.size) {
    const uint32_t c = take_utf8(&rest, &broken);
    if (!is_in(ignorable, COUNT(ignorable), c)) return is_in(cased, COUNT(cased), c);
  }
  return false;
}

// `in_word`: the last character that counts before this one has a case.
static int to_lower(uint32_t c, bool in_word, chars rest, uint32_t out[3]) {
  enum { SIGMA = 0x3a3, FINAL_SIGMA = 0x3c2, DOTTED_I = 0x130, DOT = 0x307 };
  if (c == SIGMA && in_word && !case_follows(rest)) {
    out[0] = FINAL_SIGMA;
    return 1;
  }
  out[0] = c < 0x80 ? (c >= 'A' && c <= 'Z' ? c + 32 : c) : move(lower_runs, COUNT(lower_runs), c);
  if (c != DOTTED_I) return 1;
  out[0] = 'i';
  out[1] = DOT;
  return 2;
}

// Writes the text in the other case to `out`, unless that is NULL; returns its size.
static size_t change(chars text, bool upper, char* out) {
  size_t size = 0;
  bool in_word = false, broken;
  // As in TensorFlow, a zero ends the string.
  if (text.size) text.size = strnlen(text.data, text.size);
  while (text.size) {
    uint32_t made[3];
    const uint32_t c = take_utf8(&text, &broken);
    const int count = upper ? to_upper(c, made) : to_lower(c, in_word, text, made);
    if (!upper && !is_in(ignorable, COUNT(ignorable), c)) in_word = is_in(cased, COUNT(cased), c);
    for (int i = 0; i < count; ++i) {
      char bytes[4];
      const int length = put_utf8(made[i], bytes);
      if (out) memcpy(out + size, bytes, (size_t)length);
      size += (size_t)length;
    }
  }
  return size;
}

static bool change_one(void* arg, int64_t i) {
  const string_job* job = arg;
  const case_state* state = job->state;
  const chars text = element(&job->in, i);
  TF_TString* to = (TF_TString*)job->out.data + i;
  char* out =
      resize_string(job->run, to, state->unicode ? change(text, state->upper, NULL) : text.size);
  if (!out) return false;
  if (state->unicode) {
    change(text, state->upper, out);
    return true;
  }
  const char first = state->upper ? 'a' : 'A';
  for (size_t j = 0; j < text.size; ++j) {
    const char c = text.data[j];
    out[j] = (char)(c >= first && c < first + 26 ? c ^ 0x20 : c);
  }
  return true;
}

static void* create(TF_OpKernelConstruction* construction, const char* op, bool upper) {
  static const char* const encodings[] = {"", "utf-8", NULL};
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  case_state state = {upper, attr_choice(&attrs, "encoding", encodings) == 1};
  return attrs_end(&attrs, &state, sizeof state);
}

static void* lower_create(TF_OpKernelConstruction* construction) {
  return create(construction, "StringLower", false);
}
static void* upper_create(TF_OpKernelConstruction* construction) {
  return create(construction, "StringUpper", true);
}
static void lower(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "StringLower", 40, change_one);
}
static void upper(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "StringUpper", 40, change_one);
}

void register_string_cases(void) {
  const kernel kernels[] = {
      {.op = "StringLower", .create = lower_create, .compute = lower, .destroy = free},
      {.op = "StringUpper", .create = upper_create, .compute = upper, .destroy = free},
  };
  register_kernels(kernels, 2);
}
