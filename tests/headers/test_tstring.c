// The promises of our ctstring.h that a comparison with TensorFlow's cannot show.

#include "harness.h"
#include "tensorflow/core/platform/ctstring.h"

static const char long_text[] = "a text of more than twenty-two characters";

static uint64_t owner_bytes(const TF_TString* str) {
  uint64_t word;
  memcpy(&word, str->u.raw.raw + 16, sizeof word);
  return word;
}

TEST(test_a_small_string_that_becomes_a_view_leaves_no_text_where_the_owner_stands) {
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, "twenty-two characters.", 22);
  CHECK_INT(TF_TString_GetType(&str), TF_TSTR_SMALL);
  CHECK(owner_bytes(&str) != 0);
  TF_TString_AssignView(&str, long_text, sizeof long_text - 1);
  CHECK_INT(owner_bytes(&str), 0);
  TF_TString_Dealloc(&str);
}

TEST(test_an_offset_string_that_is_assigned_becomes_a_view_without_owner) {
  struct {
    TF_TString str;
    char text[8];
  } from = {.text = "offset"};
  TF_TString_Init(&from.str);
  from.str.u.offset.size = 6 << 2 | TF_TSTR_OFFSET;
  from.str.u.offset.offset = sizeof from.str;
  TF_TString to;
  memset(&to, 0x54, sizeof to);
  to.u.smll.size = 0;
  TF_TString_Assign(&to, &from.str);
  CHECK_INT(TF_TString_GetType(&to), TF_TSTR_VIEW);
  CHECK_INT(owner_bytes(&to), 0);
  CHECK(TF_TString_GetSize(&to) == 6 && memcmp(TF_TString_GetDataPointer(&to), "offset", 6) == 0);
}

// More than any machine has, more than the stored size can say, and the sums that wrap around.
static const size_t too_many[] = {(size_t)1 << 60, (size_t)1 << 62, SIZE_MAX - 15, SIZE_MAX};

TEST(test_a_size_beyond_memory_is_refused_and_the_string_stays) {
  for (int large = 0; large < 2; ++large) {
    const char* text = large ? long_text : "small";
    TF_TString str;
    TF_TString_Init(&str);
    TF_TString_Copy(&str, text, strlen(text));
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; ++i) {
      CHECK(!TF_TString_ResizeUninitialized(&str, too_many[i]));
      CHECK(!TF_TString_Resize(&str, too_many[i], 'x'));
      TF_TString_Reserve(&str, too_many[i]);
      TF_TString_ReserveAmortized(&str, too_many[i]);
      CHECK_TEXT(TF_TString_GetDataPointer(&str), text);
      CHECK_INT(TF_TString_GetSize(&str), strlen(text));
    }
    TF_TString_Dealloc(&str);
  }
}

TEST(test_a_view_can_be_written_to_without_changing_what_it_looked_at) {
  char text[] = "somebody else's characters, not ours";
  const size_t size = sizeof text - 1;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_AssignView(&str, text, size);
  TF_TString_GetMutableDataPointer(&str)[0] = 'S';
  CHECK_INT(text[0], 's');
  CHECK_INT(TF_TString_GetDataPointer(&str)[0], 'S');
  CHECK_INT(TF_TString_GetSize(&str), size);
  CHECK(memcmp(TF_TString_GetDataPointer(&str) + 1, text + 1, size - 1) == 0);
  TF_TString_Dealloc(&str);
}
