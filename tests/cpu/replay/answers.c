#include "answers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const uint8_t* read_bytes(reader* in, size_t size) {
  if (in->bad || (size_t)(in->end - in->at) < size) {
    in->bad = true;
    return NULL;
  }
  const uint8_t* bytes = in->at;
  in->at += size;
  return bytes;
}

static void read_into(reader* in, void* out, size_t size) {
  const uint8_t* bytes = read_bytes(in, size);
  if (bytes)
    memcpy(out, bytes, size);
  else
    memset(out, 0, size);
}

uint32_t read_number(reader* in) {
  uint32_t value;
  read_into(in, &value, sizeof value);
  return value;
}

uint8_t read_byte(reader* in) {
  uint8_t value;
  read_into(in, &value, sizeof value);
  return value;
}

const char* read_text(reader* in, size_t* out_size) {
  *out_size = read_number(in);
  return (const char*)read_bytes(in, *out_size);
}

char* read_name(reader* in) {
  size_t size;
  const char* text = read_text(in, &size);
  return text ? strndup(text, size) : NULL;
}

bool read_array(reader* in, answer_array* out) {
  out->dtype = (tn_dtype)read_number(in);
  uint32_t rank = read_number(in);
  if (rank > MAX_RANK) in->bad = true;
  if (in->bad) return false;
  out->rank = (int)rank;
  read_into(in, out->dims, rank * sizeof *out->dims);
  out->count = 1;
  for (uint32_t i = 0; i < rank; ++i) out->count *= (size_t)out->dims[i];
  out->elements = in->at;
  if (out->dtype == TN_STRING) {
    size_t size;
    for (size_t i = 0; i < out->count; ++i) read_text(in, &size);
    out->bytes = (size_t)(in->at - out->elements);
  } else {
    out->bytes = out->count * tn_dtype_size(out->dtype);
    read_bytes(in, out->bytes);
  }
  return !in->bad;
}

static bool add_cases(reader in, const char* file, answer_cases* out) {
  const uint8_t* magic = read_bytes(&in, 8);
  if (!magic || memcmp(magic, "TENONAN1", 8) != 0) return false;
  while (in.at < in.end && !in.bad) {
    size_t size = read_number(&in);
    const uint8_t* bytes = read_bytes(&in, size);
    if (!bytes) break;
    if (out->count == out->capacity) {
      out->capacity = out->capacity ? 2 * out->capacity : 1024;
      out->items = realloc(out->items, out->capacity * sizeof *out->items);
    }
    answer_case* item = &out->items[out->count++];
    *item = (answer_case){.file = file, .rest = {bytes, bytes + size, false}};
    item->number = read_number(&item->rest);
    read_into(&item->rest, &item->bar, sizeof item->bar);
    item->code = read_number(&item->rest);
    item->call_count = read_number(&item->rest);
    in.bad |= item->rest.bad;
  }
  return !in.bad;
}

static bool load_file(const char* path, answer_cases* out) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat about;
  const uint8_t* data = MAP_FAILED;
  if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0)
    data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (file >= 0) close(file);
  const char* slash = strrchr(path, '/');
  if (data != MAP_FAILED &&
      add_cases((reader){data, data + about.st_size, false}, strdup(slash ? slash + 1 : path), out))
    return true;
  fprintf(stderr, "%s: cannot be read, or holds no answers\n", path);
  return false;
}

static int finished(const struct dirent* entry) {
  size_t size = strlen(entry->d_name);
  return entry->d_name[0] != '.' && entry->d_name[size - 1] != '~';
}

bool load_answers(const char* path, answer_cases* out) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return load_file(path, out);
  struct dirent** names;
  int count = scandir(path, &names, finished, alphasort);
  bool good = true;
  for (int i = 0; i < count; ++i) {
    char file[4096];
    snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
    good = load_file(file, out) && good;
    free(names[i]);
  }
  if (count >= 0) free(names);
  return good;
}
