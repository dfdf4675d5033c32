#include "abi/type_text.h"

#include <ctype.h>
#include <string.h>

// The words of an arithmetic type, which C takes in any order.
typedef struct words {
  bool any, is_unsigned, is_signed;
  int longs;
  const char* base;  // char, short, double, __int128; NULL for int
} words;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '$';
}

static bool is(const char* word, size_t length, const char* text) {
  return strlen(text) == length && memcmp(word, text, length) == 0;
}

// True when the word is a part of an arithmetic type, which `w` then knows.
static bool take(words* w, const char* word, size_t length) {
  static const char* const bases[] = {"char", "short", "double", "__int128"};
  if (is(word, length, "unsigned")) return w->any = w->is_unsigned = true;
  if (is(word, length, "signed")) return w->any = w->is_signed = true;
  if (is(word, length, "int")) return w->any = true;
  if (is(word, length, "long")) return w->any = ++w->longs > 0;
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; ++i)
    if (is(word, length, bases[i])) {
      w->base = bases[i];
      return w->any = true;
    }
  return false;
}

static bool is_left_out(const char* word, size_t length) {
  static const char* const names[] = {"struct",   "union",      "enum",         "class",
                                      "restrict", "__restrict", "__restrict__", "__extension__"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (is(word, length, names[i])) return true;
  return false;
}

// Text being made, with a blank where C's customs have one.
typedef struct speller {
  tn_text* out;
  char last;  // 0 at the beginning
} speller;

static void put(speller* s, const char* text, size_t length) {
  const bool after_word = s->last && is_word(s->last);
  if (s->last == ',' || (after_word && (is_word(*text) || strchr("*&(", *text))))
    tn_text_putc(s->out, ' ');
  tn_text_printf(s->out, "%.*s", (int)length, text);
  s->last = text[length - 1];
}

static void put_word(speller* s, const char* word) { put(s, word, strlen(word)); }

static void put_arithmetic(speller* s, words* w) {
  if (!w->any) return;
  const bool is_char = w->base && strcmp(w->base, "char") == 0;
  if (w->is_unsigned) put_word(s, "unsigned");
  if (w->is_signed && is_char) put_word(s, "signed");
  for (int i = 0; i < w->longs && i < 2; ++i) put_word(s, "long");
  if (w->base || !w->longs) put_word(s, w->base ? w->base : "int");
  *w = (words){0};
}

// The length of "(unnamed struct at file:line)" and its like; 0 when it is none.
static size_t unnamed_length(const char* at) {
  if (strncmp(at, "(unnamed", 8) != 0 && strncmp(at, "(anonymous", 10) != 0) return 0;
  const char* end = strchr(at, ')');
  return end ? (size_t)(end - at) + 1 : strlen(at);
}

void tn_abi_type_spell(tn_text* out, const char* type) {
  speller s = {.out = out};
  words w = {0};
  for (const char* at = type; *at;) {
    size_t length = 1;
    if (isspace((unsigned char)*at)) {
      ++at;
      continue;
    }
    if (is_word(*at)) {
      while (is_word(at[length])) ++length;
      if (!take(&w, at, length) && !is_left_out(at, length)) {
        // "char const" and "const char" meet here: the qualifier may end a run of words.
        put_arithmetic(&s, &w);
        is(at, length, "_Bool") ? put_word(&s, "bool") : put(&s, at, length);
      }
    } else {
      put_arithmetic(&s, &w);
      if (unnamed_length(at)) {
        length = unnamed_length(at);
        put_word(&s, "?");
      } else if (strncmp(at, "(void)", 6) == 0) {
        length = 6;
        put_word(&s, "()");
      } else {
        put(&s, at, 1);
      }
    }
    at += length;
  }
  put_arithmetic(&s, &w);
}

bool tn_abi_type_same(const char* a, const char* b) {
  if (strcmp(a, b) == 0) return true;
  tn_text texts[2] = {{0}, {0}};
  tn_abi_type_spell(&texts[0], a);
  tn_abi_type_spell(&texts[1], b);
  const bool same = texts[0].data && texts[1].data && strcmp(texts[0].data, texts[1].data) == 0;
  tn_text_deinit(&texts[0]);
  tn_text_deinit(&texts[1]);
  return same;
}
