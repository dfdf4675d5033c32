// Our strings and the inlines that plugins compile in must agree byte for byte.

#include "base/memory.h"
#include "harness.h"
#include "tensor/tstring.h"
#include "tensorflow/core/platform/ctstring_internal.h"

_Static_assert(sizeof(tn_tstring) == sizeof(TF_TString), "one object, two names");

static TF_TString* as_tf(tn_tstring* string) { return (TF_TString*)string; }

static void fill_bytes(tn_tstring* string, int byte) { memset(string, byte, sizeof *string); }

TEST(test_small_strings_lie_in_their_24_bytes) {
  tn_tstring string;
  fill_bytes(&string, 0xee);
  tn_tstring_init(&string);
  CHECK(tn_tstring_copy(&string, "abc", 3));
  const uint8_t expected[8] = {3 << 2, 'a', 'b', 'c', 0, 0, 0, 0};
  CHECK(memcmp(&string, expected, sizeof expected) == 0);
  char longest[23] = "0123456789012345678901";
  CHECK(tn_tstring_copy(&string, longest, 22));
  CHECK_INT(((uint8_t*)&string)[0], 22 << 2);
  CHECK(memcmp((char*)&string + 1, longest, 23) == 0);
  CHECK_INT(tn_tstring_capacity(&string), 22);
  tn_tstring_deinit(&string);
  CHECK_INT(tn_tstring_size(&string), 0);
}

TEST(test_large_strings_are_size_capacity_pointer) {
  tn_tstring string = {0};
  char text[100];
  memset(text, 'x', sizeof text);
  CHECK(tn_tstring_copy(&string, text, 23));
  size_t words[3];
  memcpy(words, &string, sizeof words);
  CHECK_INT(words[0], 23 << 2 | 1);
  CHECK_INT(words[1], 31);  // room for a NUL in a multiple of 16
  CHECK(memcmp((char*)words[2], text, 23) == 0 && ((char*)words[2])[23] == 0);
  CHECK(tn_tstring_copy(&string, text, 100));
  CHECK_INT(tn_tstring_capacity(&string), 111);
  // Less than half in use: half the capacity stays.
  CHECK(tn_tstring_resize(&string, 50));
  CHECK_INT(tn_tstring_capacity(&string), 63);
  CHECK(tn_tstring_resize(&string, 22));
  CHECK_INT(tn_tstring_get_form(&string), TN_TSTRING_SMALL);
  CHECK(memcmp(tn_tstring_data(&string), text, 22) == 0);
  tn_tstring_deinit(&string);
}

TEST(test_views_refer_and_clear_the_word_that_later_code_takes_for_an_owner) {
  tn_tstring view;
  fill_bytes(&view, 0xee);
  tn_tstring_init(&view);
  const char* text = "somebody else's";
  tn_tstring_assign_view(&view, text, 8);
  size_t words[3];
  memcpy(words, &view, sizeof words);
  CHECK_INT(words[0], 8 << 2 | 3);
  CHECK(words[1] == (size_t)text);
  CHECK_INT(words[2], 0);
  CHECK_INT(tn_tstring_capacity(&view), 0);
  tn_tstring_deinit(&view);
}

TEST(test_a_view_of_old_code_with_anything_in_its_last_word_is_safe) {
  // TensorFlow up to 2.20 wrote 16 of the 24 bytes.
  const char* text = "a text of somebody else, longer than 22 bytes";
  size_t size = strlen(text);
  for (int round = 0; round < 6; ++round) {
    tn_tstring old, other = {0};
    fill_bytes(&old, 0xee);
    size_t word = size << 2 | 3;
    memcpy(&old, &word, 8);
    memcpy((char*)&old + 8, &text, 8);
    CHECK_INT(tn_tstring_size(&old), size);
    CHECK(tn_tstring_data(&old) == text);
    switch (round) {
      case 0: break;
      case 1: CHECK(tn_tstring_assign(&other, &old)); break;
      case 2: tn_tstring_move(&other, &old); break;
      case 3: CHECK(tn_tstring_append(&old, "!", 1)); break;
      case 4: CHECK(tn_tstring_resize(&old, 5)); break;
      case 5: CHECK(tn_tstring_copy(&old, "new", 3)); break;
    }
    if (round == 1 || round == 2) {
      size_t last;
      memcpy(&last, (char*)&other + 16, 8);
      CHECK_INT(last, 0);
      CHECK(tn_tstring_data(&other) == text);
    }
    if (round == 3) CHECK(memcmp(tn_tstring_data(&old), text, size) == 0);
    tn_tstring_deinit(&old);
    tn_tstring_deinit(&other);
  }
}

TEST(test_offset_strings_are_read_where_they_lie) {
  struct {
    tn_tstring string;
    char text[40];
  } record = {0};
  strcpy(record.text, "text right behind the string itself");
  uint32_t words[3] = {35 << 2 | 2, sizeof record.string, 1};
  memcpy(&record.string, words, sizeof words);
  CHECK_INT(tn_tstring_get_form(&record.string), TN_TSTRING_OFFSET);
  CHECK_INT(tn_tstring_size(&record.string), 35);
  CHECK(tn_tstring_data(&record.string) == record.text);
  tn_tstring other = {0};
  CHECK(tn_tstring_assign(&other, &record.string));
  CHECK_INT(tn_tstring_get_form(&other), TN_TSTRING_VIEW);
  CHECK(tn_tstring_data(&other) == record.text);
  tn_tstring_move(&other, &record.string);
  CHECK_INT(tn_tstring_get_form(&record.string), TN_TSTRING_OFFSET);
  // Writing makes a private copy.
  CHECK(tn_tstring_append(&record.string, "!", 1));
  CHECK_INT(tn_tstring_get_form(&record.string), TN_TSTRING_LARGE);
  CHECK_TEXT(tn_tstring_data(&record.string), "text right behind the string itself!");
  tn_tstring_deinit(&record.string);
}

TEST(test_moving_takes_and_empties) {
  tn_tstring from = {0}, to = {0};
  CHECK(tn_tstring_copy(&from, "a text that is longer than 22 bytes", 35));
  CHECK(tn_tstring_copy(&to, "another text, longer than 22 bytes too", 38));
  const char* text = tn_tstring_data(&from);
  tn_tstring_move(&to, &from);
  CHECK(tn_tstring_data(&to) == text);
  CHECK_INT(tn_tstring_size(&from), 0);
  tn_tstring_move(&to, &to);
  CHECK(tn_tstring_assign(&to, &to));
  CHECK_INT(tn_tstring_size(&to), 35);
  tn_tstring_deinit(&to);
}

TEST(test_random_operations_give_what_the_plugins_inlines_give) {
  uint64_t random = test_seed();
  static char noise[4096];
  for (size_t i = 0; i < sizeof noise; ++i) noise[i] = (char)test_random(&random);
  tn_tstring ours[3] = {0}, theirs[3] = {0};
  for (int round = 0; round < 20000; ++round) {
    int a = (int)test_between(&random, 0, 2), b = (int)test_between(&random, 0, 2);
    size_t size = (size_t)test_between(&random, 0, test_between(&random, 0, 9) ? 60 : 4000);
    switch (test_between(&random, 0, 6)) {
      case 0:
        CHECK(tn_tstring_copy(&ours[a], noise, size));
        TF_TString_Copy(as_tf(&theirs[a]), noise, size);
        break;
      case 1: {
        if (tn_tstring_size(&ours[a]) > 20000) break;
        CHECK(tn_tstring_append(&ours[a], noise, size));
        TF_TString_AppendN(as_tf(&theirs[a]), noise, size);
        break;
      }
      case 2: {
        size_t kept = tn_tstring_size(&ours[a]);
        char* text = tn_tstring_resize(&ours[a], size);
        if (size > kept) memset(text + kept, 'r', size - kept);
        TF_TString_Resize(as_tf(&theirs[a]), size, 'r');
        break;
      }
      case 3:
        CHECK(tn_tstring_assign(&ours[a], &ours[b]));
        TF_TString_Assign(as_tf(&theirs[a]), as_tf(&theirs[b]));
        break;
      case 4:
        if (tn_tstring_get_form(&ours[b]) == TN_TSTRING_SMALL) break;  // theirs keeps its text
        tn_tstring_move(&ours[a], &ours[b]);
        TF_TString_Move(as_tf(&theirs[a]), as_tf(&theirs[b]));
        break;
      case 5:
        tn_tstring_assign_view(&ours[a], noise, size);
        TF_TString_AssignView(as_tf(&theirs[a]), noise, size);
        break;
      case 6:
        tn_tstring_deinit(&ours[a]);
        TF_TString_Dealloc(as_tf(&theirs[a]));
        TF_TString_Init(as_tf(&theirs[a]));
        break;
    }
    for (int i = 0; i < 3; ++i) {
      CHECK_INT(tn_tstring_get_form(&ours[i]), TF_TString_GetType(as_tf(&theirs[i])));
      CHECK_INT(tn_tstring_size(&ours[i]), TF_TString_GetSize(as_tf(&theirs[i])));
      CHECK_INT(tn_tstring_capacity(&ours[i]), TF_TString_GetCapacity(as_tf(&theirs[i])));
      // Each side reads what the other wrote.
      CHECK(memcmp(TF_TString_GetDataPointer(as_tf(&ours[i])), tn_tstring_data(&theirs[i]),
                   tn_tstring_size(&ours[i])) == 0);
      if (tn_tstring_get_form(&ours[i]) < TN_TSTRING_OFFSET)
        CHECK_INT(tn_tstring_data(&ours[i])[tn_tstring_size(&ours[i])], 0);
    }
  }
  for (int i = 0; i < 3; ++i) {
    TF_TString_Dealloc(as_tf(&ours[i]));  // frees ours, as a plugin would
    tn_tstring_deinit(&theirs[i]);
  }
}

TEST(test_impossible_sizes_and_failing_allocations_change_nothing) {
  tn_tstring string = {0};
  CHECK(tn_tstring_copy(&string, "kept", 4));
  CHECK(!tn_tstring_resize(&string, SIZE_MAX));
  CHECK(!tn_tstring_resize(&string, SIZE_MAX / 8));
  CHECK(!tn_tstring_append(&string, "x", SIZE_MAX - 2));
  CHECK_TEXT(tn_tstring_data(&string), "kept");
  char text[64] = {0};
  tn_memory_fail_at(0);
  CHECK(!tn_tstring_copy(&string, text, sizeof text));
  tn_memory_fail_at(0);
  CHECK(!tn_tstring_append(&string, text, sizeof text));
  CHECK_TEXT(tn_tstring_data(&string), "kept");
  tn_memory_fail_at(-1);
  CHECK(tn_tstring_copy(&string, text, sizeof text));
  tn_tstring other = {0};
  tn_memory_fail_at(0);
  CHECK(!tn_tstring_assign(&other, &string));
  tn_memory_fail_at(-1);
  CHECK_INT(tn_tstring_size(&other), 0);
  tn_tstring_deinit(&string);
}
