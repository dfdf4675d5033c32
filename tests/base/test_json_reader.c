#include "base/json_reader.h"

#include "base/json.h"
#include "base/text.h"
#include "harness.h"

static const tn_json_value* read(tn_arena* arena, const char* text) {
  tn_status* status = tn_status_create();
  const tn_json_value* value = tn_json_read((tn_view){text, strlen(text)}, arena, status);
  if (!value) test_fail(__FILE__, __LINE__, "%s: %s", text, tn_status_message(status));
  tn_status_destroy(status);
  return value;
}

TEST(values_of_every_kind_are_read) {
  tn_arena arena = {0};
  const tn_json_value* root = read(&arena,
                                   " {\"t\": \"a\\u00e9\\ud83d\\ude00\\n\\\"\", \"n\": -12, \"f\": "
                                   "1.5e3, \"b\": true, \"z\": null,"
                                   " \"list\": [1, [], {}], \"no\": false} ");
  CHECK_TEXT(tn_json_text(root, "t", ""), "a\xc3\xa9\xf0\x9f\x98\x80\n\"");
  CHECK_INT(tn_json_integer(root, "n", 0), -12);
  CHECK_INT(tn_json_integer(root, "f", 7), 7);  // no integer
  CHECK(tn_json_truth(root, "b") && !tn_json_truth(root, "no") && !tn_json_truth(root, "n"));
  CHECK(tn_json_member(root, "z", TN_JSON_NULL) && !tn_json_member(root, "z", TN_JSON_BOOL));
  const tn_json_value* list = tn_json_member(root, "list", TN_JSON_ARRAY);
  CHECK(list && list->first->kind == TN_JSON_NUMBER && list->first->next->kind == TN_JSON_ARRAY &&
        list->first->next->next->kind == TN_JSON_OBJECT && !list->first->next->next->next);
  CHECK_TEXT(tn_json_text(root, "gone", "else"), "else");
  tn_arena_deinit(&arena);
}

TEST(what_is_no_json_is_told_with_its_place) {
  const char* bad[] = {"",     "{",         "[1,]",  "{\"a\" 1}", "{a: 1}",   "01",
                       "1.",   "1e",        "-",     "tru",       "\"abc",    "\"\\u12\"",
                       "\"\\", "\"a\tb\"",  "[1 2]", "nul",       "{\"a\":}", "{\"a\":1,}",
                       "1 2",  "\"\\x41\"", "]"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    tn_arena arena = {0};
    tn_status* status = tn_status_create();
    if (tn_json_read((tn_view){bad[i], strlen(bad[i])}, &arena, status))
      test_fail(__FILE__, __LINE__, "'%s' was read", bad[i]);
    CHECK_CONTAINS(tn_status_message(status), "line 1, column ");
    CHECK_CODE(status, TN_INVALID_ARGUMENT);
    tn_status_destroy(status);
    tn_arena_deinit(&arena);
  }
}

TEST(depth_is_bounded) {
  char text[2 * 65 + 1] = "";
  tn_arena arena = {0};
  tn_status* status = tn_status_create();
  memset(text, '[', 65);
  memset(text + 65, ']', 65);
  CHECK(tn_json_read((tn_view){text + 1, 128}, &arena, status));
  CHECK(!tn_json_read((tn_view){text, 130}, &arena, status));
  CHECK_CONTAINS(tn_status_message(status), "nested");
  tn_status_destroy(status);
  tn_arena_deinit(&arena);
}

TEST(what_the_writer_writes_the_reader_reads) {
  uint64_t state = test_seed();
  for (int round = 0; round < 200; ++round) {
    char bytes[24];
    const int size = (int)test_between(&state, 0, 23);
    for (int i = 0; i < size; ++i) bytes[i] = (char)test_between(&state, 1, 126);
    bytes[size] = '\0';
    tn_text text = {0};
    tn_json json = {.out = &text};
    const int64_t number = (int64_t)test_random(&state);
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "text", bytes);
    tn_json_int(&json, "number", number);
    tn_json_end_object(&json);
    tn_arena arena = {0};
    const tn_json_value* root = read(&arena, text.data);
    CHECK_TEXT(tn_json_text(root, "text", "?"), bytes);
    CHECK_INT(tn_json_integer(root, "number", 0), number);
    tn_arena_deinit(&arena);
    tn_text_deinit(&text);
  }
}
