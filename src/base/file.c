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

static int write_all(int descriptor, tn_view bytes) {
  while (bytes.size) {
    ssize_t size = write(descriptor, bytes.data, bytes.size);
    if (size < 0 && errno != EINTR) return errno;
    if (size < 0) continue;
    bytes.data += size;
    bytes.size -= (size_t)size;
  }
  return 0;
}

static int write_in_place(const char* path, tn_view bytes) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, bytes);
  return close(descriptor) && !error ? errno : error;
}

// `old` is the file that is replaced, NULL when there is none.
static int write_and_rename(const char* path, const struct stat* old, tn_view bytes) {
  static _Atomic unsigned made;
  char neighbour[PATH_MAX + 64];
  int size = snprintf(neighbour, sizeof neighbour, "%s.%ld-%u.tmp", path, (long)getpid(),
                      atomic_fetch_add(&made, 1));
  if (size < 0 || (size_t)size >= sizeof neighbour) return ENAMETOOLONG;
  int descriptor = open(neighbour, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, bytes);
  if (!error && old && fchmod(descriptor, old->st_mode & 07777)) error = errno;
  if (close(descriptor) && !error) error = errno;
  if (!error && rename(neighbour, path)) error = errno;
  if (error) unlink(neighbour);
  return error;
}

bool tn_file_write(const char* path, tn_view bytes, tn_status* status) {
  struct stat old;
  int error;
  if (stat(path, &old) != 0) {
    error = errno == ENOENT ? write_and_rename(path, NULL, bytes) : errno;
  } else if (!S_ISREG(old.st_mode)) {
    error = write_in_place(path, bytes);
  } else {
    char target[PATH_MAX];  // what a symbolic link leads to
    error = realpath(path, target) ? write_and_rename(target, &old, bytes) : errno;
  }
  return error ? fail(status, error, "write", path) : true;
}
