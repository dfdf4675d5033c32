#include "abi/type_text.h"

#include "harness.h"

TEST(one_type_has_one_spelling_whoever_told_it) {
  static const char* const spelled[][2] = {
      {"long unsigned int", "unsigned long"},
      {"long long unsigned int", "unsigned long long"},
      {"short int", "short"},
      {"unsigned", "unsigned int"},
      {"signed char", "signed char"},
      {"__int128 unsigned", "unsigned __int128"},
      {"struct Ctx*", "Ctx *"},
      {"enum Mode", "Mode"},
      {"_Bool", "bool"},
      {"uint8_t [3]", "uint8_t[3]"},
      {"int(void)", "int ()"},
      {"int (* )(struct Ctx *,long int)", "int (*)(Ctx *, long)"},
      {"char*const*", "char *const *"},
      {"char * restrict", "char *"},
      {"struct (unnamed at old/a.h:3:1) *", "?*"},
  };
  for (size_t i = 0; i < sizeof spelled / sizeof spelled[0]; ++i) {
    tn_text text = {0};
    tn_abi_type_spell(&text, spelled[i][0]);
    CHECK_TEXT(text.data, spelled[i][1]);
    CHECK(tn_abi_type_same(spelled[i][0], spelled[i][1]));
    tn_text_deinit(&text);
  }
}

TEST(other_types_stay_other_types) {
  static const char* const other[][2] = {
      {"signed char", "char"},     {"long", "int"},
      {"unsigned long", "long"},   {"char *const", "const char *"},
      {"double", "long double"},   {"int (*)(int)", "int (*)(int, ...)"},
      {"uint8_t[3]", "uint8_t[2]"}};
  for (size_t i = 0; i < sizeof other / sizeof other[0]; ++i)
    CHECK(!tn_abi_type_same(other[i][0], other[i][1]));
}
