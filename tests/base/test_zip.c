// Archives from C: what is left on disk, and memory that runs out. What they hold is compared with
// other readers and writers in tests/tensor/test_npz.py and tests/cli/test_inspect.py.
#include "base/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"

#define CORPUS TENON_SOURCE_DIR "/tests/fuzz/corpus/zip/"

static const char* path_of(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  return path;
}

static bool extract_first(void* archive, tn_status* status) {
  tn_zip zip;
  const bool good = tn_zip_open(&zip, archive, status) &&
                    tn_zip_extract(&zip, &zip.entries[0], path_of("out"), status);
  tn_zip_close(&zip);
  return good;
}

TEST(test_entries_are_unpacked) {
  const char* const archives[] = {CORPUS "stored", CORPUS "deflated", CORPUS "zip64"};
  tn_status status = {0};
  for (size_t i = 0; i < sizeof archives / sizeof archives[0]; ++i) {
    CHECK(extract_first((void*)archives[i], &status));
    tn_text text = {0};
    CHECK(tn_file_read(path_of("out"), 1000, &text, &status));
    CHECK_TEXT(tn_text_view(&text).data, "the same text, the same text, the same text\n");
    tn_text_deinit(&text);
  }
  tn_status_deinit(&status);
}

TEST(test_a_failed_unpacking_leaves_what_was_there) {
  tn_status status = {0};
  CHECK(tn_file_write(path_of("out"), tn_view_of("before"), &status));
  CHECK(!extract_first((void*)CORPUS "wrong_checksum", &status));
  CHECK_INT(tn_status_code(&status), TN_INVALID_ARGUMENT);
  CHECK_CONTAINS(tn_status_message(&status), "'a.txt' of '" CORPUS "wrong_checksum'");
  tn_status_clear(&status);
  tn_text text = {0};
  CHECK(tn_file_read(path_of("out"), 1000, &text, &status));
  CHECK_TEXT(tn_text_view(&text).data, "before");
  tn_text_deinit(&text);
  tn_status_deinit(&status);
}

TEST(test_unpacking_without_memory) {
  CHECK(test_sweep_allocations(extract_first, (void*)CORPUS "deflated") > 5);
}
