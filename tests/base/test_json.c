#include "base/json.h"

#include <locale.h>
#include <math.h>

#include "base/memory.h"
#include "harness.h"

static void write_sample(tn_json* json) {
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "name", "MatMul");
  tn_json_begin_array(json, "shape");
  tn_json_int(json, NULL, 3);
  tn_json_int(json, NULL, -4);
  tn_json_end_array(json);
  tn_json_begin_object(json, "empty");
  tn_json_end_object(json);
  tn_json_begin_array(json, "none");
  tn_json_end_array(json);
  tn_json_bool(json, "ok", true);
  tn_json_null(json, "nothing");
  tn_json_end_object(json);
}

TEST(test_json_without_indentation_is_one_line) {
  tn_text text = {0};
  tn_json json = {.out = &text};
  write_sample(&json);
  CHECK_TEXT(text.data,
             "{\"name\": \"MatMul\", \"shape\": [3, -4], \"empty\": {}, \"none\": [], "
             "\"ok\": true, \"nothing\": null}");
  tn_text_deinit(&text);
}

TEST(test_json_with_indentation_has_one_value_per_line) {
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  write_sample(&json);
  CHECK_TEXT(text.data,
             "{\n"
             "  \"name\": \"MatMul\",\n"
             "  \"shape\": [\n"
             "    3,\n"
             "    -4\n"
             "  ],\n"
             "  \"empty\": {},\n"
             "  \"none\": [],\n"
             "  \"ok\": true,\n"
             "  \"nothing\": null\n"
             "}");
  tn_text_deinit(&text);
}

static void check_quoted(const char* bytes, size_t size, const char* expected) {
  tn_text text = {0};
  tn_json json = {.out = &text};
  tn_json_view(&json, NULL, (tn_view){bytes, size});
  CHECK_TEXT(text.data, expected);
  tn_text_deinit(&text);
}
#define CHECK_QUOTED(literal, expected) check_quoted(literal, sizeof literal - 1, expected)

TEST(test_json_strings_are_escaped) {
  CHECK_QUOTED("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
  CHECK_QUOTED("\n\t\r\b\f", "\"\\n\\t\\r\\b\\f\"");
  CHECK_QUOTED("\0\x01\x1f\x7f", "\"\\u0000\\u0001\\u001f\\u007f\"");
  CHECK_QUOTED("", "\"\"");
}

TEST(test_json_strings_keep_utf_8) {
  CHECK_QUOTED("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8e\xaf",
               "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8e\xaf\"");
}

#define BAD "\xef\xbf\xbd"
TEST(test_json_bytes_that_are_no_utf_8_become_replacement_characters) {
  CHECK_QUOTED(
      "a\xff"
      "b",
      "\"a" BAD "b\"");
  CHECK_QUOTED("\x80", "\"" BAD "\"");
  CHECK_QUOTED("\xc3", "\"" BAD "\"");                          // cut short
  CHECK_QUOTED("\xe2\x82", "\"" BAD BAD "\"");                  // cut short
  CHECK_QUOTED("\xc0\xaf", "\"" BAD BAD "\"");                  // overlong
  CHECK_QUOTED("\xe0\x80\xaf", "\"" BAD BAD BAD "\"");          // overlong
  CHECK_QUOTED("\xed\xa0\x80", "\"" BAD BAD BAD "\"");          // surrogate
  CHECK_QUOTED("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"");  // past the last code point
}

TEST(test_json_text_is_valid_utf_8_for_random_bytes) {
  uint64_t random = test_seed();
  for (int round = 0; round < 2000; ++round) {
    char bytes[40];
    size_t size = (size_t)test_between(&random, 0, sizeof bytes);
    for (size_t i = 0; i < size; ++i) bytes[i] = (char)test_random(&random);
    tn_text text = {0}, again = {0};
    tn_json json = {.out = &text};
    tn_json_view(&json, NULL, (tn_view){bytes, size});
    // What is valid passes through unchanged, so writing the result once more adds escapes only.
    tn_json second = {.out = &again};
    tn_json_view(&second, NULL, tn_text_view(&text));
    size_t replaced = 0, kept = 0;
    for (char* at = text.data; (at = strstr(at, BAD)); ++at) ++replaced;
    for (char* at = again.data; (at = strstr(at, BAD)); ++at) ++kept;
    CHECK_INT(kept, replaced);
    for (size_t i = 0; i < text.size; ++i) CHECK((unsigned char)text.data[i] >= 0x20);
    tn_text_deinit(&text);
    tn_text_deinit(&again);
  }
}

static void check_number(double value, const char* expected) {
  tn_text text = {0};
  tn_json json = {.out = &text};
  tn_json_double(&json, NULL, value);
  CHECK_TEXT(text.data, expected);
  tn_text_deinit(&text);
}

static void check_float(float value, const char* expected) {
  tn_text text = {0};
  tn_json json = {.out = &text};
  tn_json_float(&json, NULL, value);
  CHECK_TEXT(text.data, expected);
  tn_text_deinit(&text);
}

TEST(test_json_numbers_are_short_and_exact) {
  check_number(0.1, "0.1");
  check_number(1.0 / 3, "0.3333333333333333");
  check_number(-0.0, "-0");
  check_number(1e300, "1e+300");
  check_float(0.1f, "0.1");
  check_float(16777216.0f, "16777216");
  check_float(1.0f / 3, "0.33333334");
}

TEST(test_json_numbers_read_back_as_the_same_value) {
  uint64_t random = test_seed();
  for (int round = 0; round < 20000; ++round) {
    uint64_t bits = test_random(&random);
    double value;
    memcpy(&value, &bits, 8);
    if (!isfinite(value)) continue;
    tn_text text = {0};
    tn_json json = {.out = &text};
    tn_json_double(&json, NULL, value);
    CHECK(strtod(text.data, NULL) == value);
    tn_text_deinit(&text);
  }
}

TEST(test_json_has_strings_for_what_is_no_number) {
  check_number(NAN, "\"NaN\"");
  check_number(INFINITY, "\"Infinity\"");
  check_float(-INFINITY, "\"-Infinity\"");
}

TEST(test_json_integers_reach_their_ends) {
  tn_text text = {0};
  tn_json json = {.out = &text};
  tn_json_begin_array(&json, NULL);
  tn_json_int(&json, NULL, INT64_MIN);
  tn_json_uint(&json, NULL, UINT64_MAX);
  tn_json_end_array(&json);
  CHECK_TEXT(text.data, "[-9223372036854775808, 18446744073709551615]");
  tn_text_deinit(&text);
}

TEST(test_json_numbers_ignore_the_locale) {
  const char* names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
  for (size_t i = 0; i < 3; ++i) {
    if (!setlocale(LC_ALL, names[i])) continue;
    check_number(1234.5, "1234.5");
    return;
  }
  test_skip("no locale with another decimal point is installed");
}

static bool write_once(void* arg, tn_status* status) {
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 1};
  write_sample(&json);
  bool failed = text.failed;
  if (failed) tn_status_set_no_memory(status, "writing JSON");
  tn_text_deinit(&text);
  return !failed;
}

TEST(test_json_reports_out_of_memory_at_the_end) {
  CHECK(test_sweep_allocations(write_once, NULL) > 2);
}
