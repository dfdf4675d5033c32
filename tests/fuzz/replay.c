// Feeds every file of a corpus folder to a fuzz target, in place of libFuzzer, and some inputs that
// need no file: nothing at all, and each file cut short.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A copy of exactly `size` bytes, so that AddressSanitizer sees a read past the end.
static void feed(const uint8_t* data, size_t size) {
  uint8_t* copy = malloc(size ? size : 1);
  if (!copy) exit(2);
  if (size) memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static void replay(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  // A crash is met without a message of ours: the last line printed names the file.
  printf("%s\n", path);
  fflush(stdout);
  static uint8_t data[4 << 20];
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  feed(data, size);
  size_t step = size / 64 + 1;
  for (size_t cut = 0; cut < size; cut += step) feed(data, cut);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
    return 2;
  }
  struct dirent** entries;
  int count = scandir(argv[1], &entries, NULL, alphasort), replayed = 0;
  if (count < 0) {
    perror(argv[1]);
    return 2;
  }
  for (int i = 0; i < count; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
    if (entries[i]->d_type == DT_REG) replay(path), ++replayed;
    free(entries[i]);
  }
  free(entries);
  feed(NULL, 0);
  if (!replayed) fprintf(stderr, "%s: an empty corpus tests nothing\n", argv[1]);
  return replayed ? 0 : 1;
}
