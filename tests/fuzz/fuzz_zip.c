// Any bytes as a zip archive: each entry unpacks to what its list says, or is a status.
#include "base/status.h"
#include "base/zip.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check_entry(const tn_zip* zip, const tn_zip_entry* entry) {
  tn_status status = {0};
  if (strlen(entry->name) == 0 || strlen(entry->name) > UINT16_MAX) abort();
  tn_zip_reader* reader = tn_zip_reader_open(zip, entry, &status);
  if (!reader == tn_ok(&status)) abort();
  if (reader) {
    char head[7];
    const size_t some = entry->size < sizeof head ? (size_t)entry->size : sizeof head;
    if (tn_zip_reader_get(reader, head, some, &status) &&
        tn_zip_reader_left(reader) != entry->size - some)
      abort();
    tn_zip_reader_close(reader);
  }
  tn_status_clear(&status);
  if (tn_zip_extract(zip, entry, "/dev/null", &status) != tn_ok(&status)) abort();
  tn_status_deinit(&status);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  tn_zip zip;
  if (tn_zip_open(&zip, memory_file(data, size), &status) != tn_ok(&status)) abort();
  for (size_t i = 0; tn_ok(&status) && i < zip.count && i < 8; ++i)
    check_entry(&zip, &zip.entries[i]);
  tn_zip_close(&zip);
  tn_status_deinit(&status);
  return 0;
}
