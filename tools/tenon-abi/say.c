#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

static tn_text said;

void say(const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = tn_vprintf(format, args);
  va_end(args);
  if (text) tn_text_puts(&said, text);
  said.failed |= !text;
  tn_free(text);
}

// The lines that begin with one of two texts, without it where it is a word.
static void list_lines(tn_json* json, const char* name, const char* begin, const char* other) {
  tn_json_begin_array(json, name);
  for (const char* line = said.data; line && *line;) {
    const size_t length = strcspn(line, "\n");
    const bool first = strncmp(line, begin, strlen(begin)) == 0;
    if (first || strncmp(line, other, strlen(other)) == 0) {
      const size_t skip = first && begin[1] != ' ' ? strlen(begin) : 0;
      char* text = tn_strndup(line + skip, length - skip);
      if (text) tn_json_string(json, NULL, text);
      said.failed |= !text;
      tn_free(text);
    }
    line += length + (line[length] == '\n');
  }
  tn_json_end_array(json);
}

bool say_flush(bool json, const char* source, const char* result) {
  tn_text text = {0};
  tn_json writer = {.out = &text, .indent = 2};
  if (json) {
    tn_json_begin_object(&writer, NULL);
    tn_json_string(&writer, "schema", "tenon/abi-import/1");
    tn_json_string(&writer, "source", source);
    tn_json_string(&writer, "result", result);
    list_lines(&writer, "changed", "changed ", "changed ");
    list_lines(&writer, "differences", "+ ", "- ");
    list_lines(&writer, "notes", "note: ", "note: ");
    tn_json_end_object(&writer);
    tn_text_putc(&text, '\n');
  }
  const tn_text* out = json ? &text : &said;
  const bool good = !said.failed && !text.failed;
  if (good && out->size) fwrite(out->data, 1, out->size, stdout);
  tn_text_deinit(&text);
  say_nothing();
  return good;
}

void say_nothing(void) { tn_text_deinit(&said); }
