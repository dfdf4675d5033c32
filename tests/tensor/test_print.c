// Printing from C. What it looks like is compared with numpy in test_print.py.

#include "tensor/print.h"

#include <locale.h>

#include "base/status.h"
#include "harness.h"
#include "tensor/element.h"

static char* printed(const tn_tensor* tensor) {
  tn_text text = {0};
  tn_status status = {0};
  tn_tensor_print(tensor, &text, NULL, &status);
  CHECK_OK(&status);
  return tn_text_take(&text, NULL);
}

static tn_tensor* sample(void) {
  double values[] = {0.1, -2.5, 1000, 3};
  return tn_tensor_create_from(TN_DOUBLE, (int64_t[]){2, 2}, 2, values, sizeof values, NULL);
}

TEST(test_numbers_line_up) {
  tn_tensor* tensor = sample();
  char* text = printed(tensor);
  CHECK_TEXT(text, "[[ 1.0e-01 -2.5e+00]\n [ 1.0e+03  3.0e+00]]");
  free(text);
  tn_tensor_destroy(tensor);
}

TEST(test_a_locale_with_a_decimal_comma_changes_nothing) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    char command[512];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             test_folder());
    setenv("LOCPATH", test_folder(), 1);
    if (system(command) != 0 || !setlocale(LC_ALL, "de_DE.UTF-8"))
      test_skip("no locale with a decimal comma, and no sources to make one");
  }
  char comma[8];
  snprintf(comma, sizeof comma, "%.1f", 0.5);
  CHECK_TEXT(comma, "0,5");
  test_numbers_line_up();
  tn_tensor* tensor = tn_tensor_create_from(TN_BFLOAT16, NULL, 0, (uint16_t[]){0x3fc0}, 2, NULL);
  char* text = printed(tensor);
  CHECK_TEXT(text, "1.5");
  free(text);
  tn_tensor_destroy(tensor);
}

TEST(test_resources_print_what_they_refer_to) {
  static const tn_object_type type = {"variable", NULL};
  tn_object object = {5, &type};
  tn_tensor* tensor = tn_tensor_create(TN_RESOURCE, (int64_t[]){2}, 1, NULL);
  ((tn_object**)tn_tensor_data(tensor))[0] = tn_object_ref(&object);
  char* text = printed(tensor);
  CHECK_TEXT(text, "[<resource variable> <resource none>]");
  free(text);
  tn_tensor_destroy(tensor);
}

TEST(test_streams_get_text_and_json) {
  tn_status status = {0};
  tn_tensor* tensor = sample();
  char* out = NULL;
  size_t size = 0;
  FILE* stream = open_memstream(&out, &size);
  CHECK(tn_tensor_write_text(tensor, stream, &status));
  fputc('|', stream);
  CHECK(tn_tensor_write_json(tensor, stream, &status));
  fclose(stream);
  CHECK_OK(&status);
  CHECK_TEXT(out, "[[ 1.0e-01 -2.5e+00]\n [ 1.0e+03  3.0e+00]]|[[0.1, -2.5], [1000, 3]]");
  free(out);
  CHECK(!tn_tensor_write_text(tensor, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_tensor_write_json(NULL, stdout, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  FILE* full = fopen("/dev/full", "w");
  setvbuf(full, NULL, _IONBF, 0);
  CHECK(!tn_tensor_write_text(tensor, full, &status));
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  fclose(full);
  tn_tensor_destroy(tensor);
}

static bool write_both(void* arg, tn_status* status) {
  FILE* nowhere = fopen("/dev/null", "w");
  bool written =
      tn_tensor_write_text(arg, nowhere, status) && tn_tensor_write_json(arg, nowhere, status);
  fclose(nowhere);
  return written;
}

TEST(test_printing_without_memory) {
  tn_tensor* tensor = sample();
  CHECK(test_sweep_allocations(write_both, tensor) > 5);
  tn_tensor_destroy(tensor);
  const char* const texts[] = {"a\n", "it's", "a text that is longer than 22 bytes"};
  tensor = tn_tensor_create_strings((int64_t[]){3}, 1, texts, NULL, NULL);
  CHECK(test_sweep_allocations(write_both, tensor) > 5);
  tn_tensor_destroy(tensor);
}
