#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

static bool fail(tn_status* status, int error, const char* doing, const char* path) {
  char context[PATH_MAX + 32];
  snprintf(context, sizeof context, "cannot %s '%s'", doing, path);
  tn_status_set_errno(status, error, context);
  return false;
}

// Reads until the end or one byte more than `limit`. Zero or an errno.
static int read_all(int descriptor, size_t limit, tn_text* out) {
  struct stat info;
  size_t begun = out->size, piece = 64 * 1024;
  // One read for a regular file, and one that finds its end.
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    piece = (size_t)info.st_size + 1;
  for (;;) {
    size_t left = limit - (out->size - begun);
    size_t room = piece < left ? piece : left == SIZE_MAX ? left : left + 1;
    if (!tn_grow(&out->data, &out->capacity, out->size + room + 1, 1)) return ENOMEM;
    ssize_t size = read(descriptor, out->data + out->size, room);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    out->size += (size_t)size;
    out->data[out->size] = 0;
    if (size == 0) return 0;
    if (out->size - begun > limit) return EFBIG;
    piece = 64 * 1024;
  }
}

bool tn_file_read(const char* path, size_t limit, tn_text* out, tn_status* status) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(status, errno, "open", path);
  size_t begun = out->size;
  int error = read_all(descriptor, limit, out);
  close(descriptor);
  if (!error) return true;
  out->size = begun;
  if (out->data) out->data[begun] = 0;
  if (error == ENOMEM) {
    tn_status_set_no_memory(status, "reading a file");
  } else if (error == EFBIG) {
    tn_status_set(status, TN_OUT_OF_RANGE, "'%s' holds more than %zu bytes, the most that is read",
                  path, limit);
  } else {
    fail(status, error, "read", path);
  }
  return false;
}

struct tn_file_writer {
  char target[PATH_MAX];     // what a symbolic link leads to
  char neighbour[PATH_MAX];  // what is written; empty when that is the target itself
  int descriptor;
  int error;
  size_t buffered;
  char buffer[64 * 1024];  // small pieces meet here
  char path[];             // as the caller named it
};

static int open_neighbour(tn_file_writer* writer) {
  static _Atomic unsigned made;
  int size = snprintf(writer->neighbour, sizeof writer->neighbour, "%s.%ld-%u.tmp", writer->target,
                      (long)getpid(), atomic_fetch_add(&made, 1));
  if (size < 0 || (size_t)size >= sizeof writer->neighbour) return ENAMETOOLONG;
  writer->descriptor = open(writer->neighbour, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return writer->descriptor < 0 ? errno : 0;
}

static int open_target(tn_file_writer* writer) {
  struct stat old;
  if (stat(writer->path, &old) != 0) {
    if (errno != ENOENT) return errno;
    int size = snprintf(writer->target, sizeof writer->target, "%s", writer->path);
    return (size_t)size < sizeof writer->target ? open_neighbour(writer) : ENAMETOOLONG;
  }
  if (!S_ISREG(old.st_mode)) {
    writer->descriptor = open(writer->path, O_WRONLY | O_CLOEXEC);
    return writer->descriptor < 0 ? errno : 0;
  }
  if (!realpath(writer->path, writer->target)) return errno;
  int error = open_neighbour(writer);
  if (!error && fchmod(writer->descriptor, old.st_mode & 07777)) error = errno;
  return error;
}

tn_file_writer* tn_file_writer_open(const char* path, tn_status* status) {
  tn_file_writer* writer = tn_alloc(sizeof *writer + strlen(path) + 1);
  if (!writer) {
    tn_status_set_no_memory(status, "opening a file for writing");
    return NULL;
  }
  strcpy(writer->path, path);
  writer->neighbour[0] = 0;
  writer->descriptor = -1;
  writer->buffered = 0;
  writer->error = open_target(writer);
  if (!writer->error) return writer;
  tn_file_writer_close(writer, true, status);
  return NULL;
}

static void write_out(tn_file_writer* writer, const char* bytes, size_t size) {
  while (size && !writer->error) {
    ssize_t written = write(writer->descriptor, bytes, size);
    if (written < 0 && errno != EINTR) writer->error = errno;
    if (written < 0) continue;
    bytes += written;
    size -= (size_t)written;
  }
}

static void flush(tn_file_writer* writer) {
  write_out(writer, writer->buffer, writer->buffered);
  writer->buffered = 0;
}

void tn_file_writer_add(tn_file_writer* writer, const void* bytes, size_t size) {
  if (size > sizeof writer->buffer - writer->buffered) flush(writer);
  if (size > sizeof writer->buffer) {
    write_out(writer, bytes, size);
  } else if (size) {
    memcpy(writer->buffer + writer->buffered, bytes, size);
    writer->buffered += size;
  }
}

bool tn_file_writer_close(tn_file_writer* writer, bool keep, tn_status* status) {
  if (!writer) return false;
  bool opened = writer->descriptor >= 0;
  if (opened && keep) flush(writer);
  int error = writer->error;
  if (opened && close(writer->descriptor) && !error) error = errno;
  if (opened && writer->neighbour[0]) {
    if (keep && !error && rename(writer->neighbour, writer->target)) error = errno;
    if (!keep || error) unlink(writer->neighbour);
  }
  if (keep && error) fail(status, error, "write", writer->path);
  tn_free(writer);
  return keep && !error;
}

bool tn_file_write(const char* path, tn_view bytes, tn_status* status) {
  tn_file_writer* writer = tn_file_writer_open(path, status);
  if (!writer) return false;
  tn_file_writer_add(writer, bytes.data, bytes.size);
  return tn_file_writer_close(writer, true, status);
}

// Reads as many bytes as `magic` has and tells whether they are it; 0 and an errno go to
// *out_error.
static bool begins_with(int descriptor, tn_view magic, tn_text* held, int* out_error) {
  char first[16];
  size_t size = 0;
  *out_error = 0;
  while (size < sizeof first) {
    ssize_t got = read(descriptor, first + size, sizeof first - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) *out_error = errno;
    if (got <= 0) break;
    size += (size_t)got;
  }
  tn_text_append(held, first, size);
  if (held->failed) *out_error = ENOMEM;
  return !*out_error && size >= magic.size && memcmp(first, magic.data, magic.size) == 0;
}

bool tn_file_reader_open(tn_file_reader* reader, const char* path, tn_view magic,
                         tn_status* status) {
  *reader = (tn_file_reader){.path = tn_strdup(path), .descriptor = -1};
  if (!reader->path) {
    tn_status_set_no_memory(status, "opening a file");
    return false;
  }
  reader->descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  bool opened = reader->descriptor >= 0 && fstat(reader->descriptor, &info) == 0;
  if (!opened) {
    fail(status, errno, "open", path);
  } else if (S_ISREG(info.st_mode)) {
    reader->size = (uint64_t)info.st_size;
    return true;
  } else {
    int error;
    if (begins_with(reader->descriptor, magic, &reader->held, &error))
      error = read_all(reader->descriptor, SIZE_MAX - 1, &reader->held);
    if (!error) {
      close(reader->descriptor);
      reader->descriptor = -1;
      reader->size = reader->held.size;
      return true;
    }
    if (error == ENOMEM)
      tn_status_set_no_memory(status, "reading a file");
    else
      fail(status, error, "read", path);
  }
  tn_file_reader_close(reader);
  return false;
}

bool tn_file_reader_get(const tn_file_reader* reader, uint64_t at, void* bytes, size_t size,
                        tn_status* status) {
  char* to = bytes;
  bool inside = at <= reader->size && size <= reader->size - at;
  if (inside && reader->descriptor < 0) {
    if (size) memcpy(to, reader->held.data + at, size);
    return true;
  }
  while (inside && size) {
    ssize_t got = pread(reader->descriptor, to, size, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(status, errno, "read", reader->path);
    if (got == 0) inside = false;  // it became shorter since it was opened
    to += got;
    at += (uint64_t)got;
    size -= (size_t)got;
  }
  if (!inside) tn_status_set(status, TN_OUT_OF_RANGE, "'%s' ends too early", reader->path);
  return inside;
}

void tn_file_reader_close(tn_file_reader* reader) {
  if (reader->descriptor >= 0) close(reader->descriptor);
  tn_text_deinit(&reader->held);
  tn_free(reader->path);
  *reader = (tn_file_reader){.descriptor = -1};
}

char* tn_absolute_path(const char* path, tn_status* status) {
  char* folder = *path == '/' ? NULL : getcwd(NULL, 0);
  char* result = *path == '/' ? tn_strdup(path) : folder ? tn_printf("%s/%s", folder, path) : NULL;
  if (*path != '/' && !folder)
    tn_status_set_errno(status, errno, path);
  else if (!result)
    tn_status_set_no_memory(status, "making a path absolute");
  free(folder);
  return result;
}
