#include "wheel.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/unpack.h"
#include "base/zip.h"

static bool ends_with(const char* text, const char* end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool is_folder(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool wheel_is(const char* path) { return ends_with(path, ".whl") || is_folder(path); }

// What an import reads: names, libraries, and the headers that the C ones may include.
static bool wanted(const char* name) {
  static const char* const headers[] = {"tensorflow/include/tensorflow/", "tensorflow/include/tsl/",
                                        "tensorflow/include/xla/"};
  static const char* const files[] = {
      ".dist-info/METADATA", ".dist-info/WHEEL", "tensorflow/libtensorflow_framework.so.2",
      "tensorflow/libtensorflow_cc.so.2", "tensorflow/python/_pywrap_tensorflow_internal.so"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    if (ends_with(name, files[i])) return true;
  for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i)
    if (strncmp(name, headers[i], strlen(headers[i])) == 0 && ends_with(name, ".h")) return true;
  return false;
}

static bool find_newest(wheel* wheel, const char* path, tn_status* status) {
  tn_zip zip;
  unsigned newest = 0;
  const bool good = tn_zip_open(&zip, path, status);
  for (size_t i = 0; good && i < zip.count; ++i)
    if (zip.entries[i].date > newest) newest = zip.entries[i].date;
  tn_zip_close(&zip);
  if (newest)
    snprintf(wheel->date, sizeof wheel->date, "%04u-%02u-%02u", 1980 + (newest >> 9),
             newest >> 5 & 15, newest & 31);
  return good;
}

static bool is_known(const char* info) {
  return strncmp(info, "tensorflow", 10) == 0 || strncmp(info, "jaxlib-", 7) == 0;
}

// The .dist-info in the folder `root`; the status tells of none and of several.
static bool find_info(const char* root, char out[4096], tn_status* status) {
  int found = 0;
  DIR* folder = opendir(root);
  for (struct dirent* entry; folder && (entry = readdir(folder));)
    if (ends_with(entry->d_name, ".dist-info") && is_known(entry->d_name)) {
      snprintf(out, 4096, "%.3800s/%.255s", root, entry->d_name);
      ++found;
    }
  if (folder) closedir(folder);
  if (found == 1) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                found ? "%s holds several wheels unpacked; name the .dist-info folder of one"
                      : "%s is no wheel of TensorFlow or jaxlib: there is no .dist-info of theirs",
                root);
  return false;
}

// Copies what follows `key` on the first line that begins with it, and gives the lines behind it;
// NULL when there is none.
static const char* next_value(const char* text, const char* key, char* out, size_t size) {
  const size_t length = strlen(key);
  while (text && *text) {
    const char* end = strchr(text, '\n');
    const char* begin = text;
    text = end ? end + 1 : NULL;
    if (strncmp(begin, key, length) != 0) continue;
    snprintf(out, size, "%.*s", (int)strcspn(begin + length, "\r\n"), begin + length);
    return text ? text : "";
  }
  return NULL;
}

static TN_PRINTF(4, 5) void append(char* to, size_t size, const char* separator, const char* format,
                                   ...) {
  size_t length = strlen(to);
  if (length) length += (size_t)snprintf(to + length, size - length, "%s", separator);
  va_list args;
  va_start(args, format);
  if (length < size) vsnprintf(to + length, size - length, format, args);
  va_end(args);
}

static void read_names(wheel* wheel, const char* metadata, const char* tags) {
  char value[160];
  next_value(metadata, "Name: ", wheel->name, sizeof wheel->name);
  next_value(metadata, "Version: ", wheel->version, sizeof wheel->version);
  for (char* c = wheel->name; *c; ++c)
    if (*c == '_') *c = '-';
  static const char python[] = "Classifier: Programming Language :: Python :: 3.";
  unsigned long long minors = 0;  // a bit for each 3.N, so that they come in order
  for (const char* at = metadata; (at = next_value(at, python, value, sizeof value));) {
    const int minor = atoi(value);
    if (minor >= 0 && minor < 64) minors |= 1ull << minor;
  }
  for (int minor = 0; minor < 64; ++minor)
    if (minors >> minor & 1) append(wheel->pythons, sizeof wheel->pythons, ",", "3.%d", minor);
  // A wheel may fit several platforms, each on a line of its own.
  for (const char* at = tags; (at = next_value(at, "Tag: ", value, sizeof value));) {
    const char* dash = strrchr(value, '-');
    if (dash && !strstr(wheel->platform, dash + 1))
      append(wheel->platform, sizeof wheel->platform, ".", "%s", dash + 1);
  }
}

// "2.21.0", "2.22.0rc1", "0.6.1.dev20250601".
static bool is_version(const char* text) {
  const size_t digits = strspn(text, "0123456789");
  return digits && text[digits] == '.' && strlen(text) <= 32 &&
         strspn(text, "0123456789.abcdefghijklmnopqrstuvwxyz+") == strlen(text) &&
         !strstr(text, "..");
}

static bool open_wheel(wheel* wheel, const char* path, tn_status* status) {
  char info[4096], file[4200];
  tn_text metadata = {0}, tags = {0};
  memset(wheel, 0, sizeof *wheel);
  wheel->source = path;
  if (ends_with(path, ".whl")) {
    wheel->unpacked = tn_unpack(path, wanted, status);
    if (!wheel->unpacked || !find_newest(wheel, path, status)) return false;
    snprintf(wheel->root, sizeof wheel->root, "%s", wheel->unpacked);
  } else {
    snprintf(wheel->root, sizeof wheel->root, "%.4000s", path);
    for (size_t end = strlen(wheel->root); end > 1 && wheel->root[end - 1] == '/';)
      wheel->root[--end] = '\0';
  }
  if (ends_with(wheel->root, ".dist-info")) {
    snprintf(info, sizeof info, "%s", wheel->root);
    char* slash = strrchr(wheel->root, '/');
    snprintf(slash ? slash : wheel->root, 2, "%s", slash ? "" : ".");
  } else if (!find_info(wheel->root, info, status)) {
    if (wheel->unpacked)
      tn_status_set(status, TN_INVALID_ARGUMENT, "%s: no wheel of TensorFlow or jaxlib", path);
    return false;
  }
  snprintf(file, sizeof file, "%s/METADATA", info);
  bool good = tn_file_read(file, 16 << 20, &metadata, status);
  snprintf(file, sizeof file, "%s/WHEEL", info);
  good = good && tn_file_read(file, 1 << 20, &tags, status);
  if (good) read_names(wheel, metadata.data, tags.data);
  if (good && (!*wheel->name || !*wheel->version)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s: its METADATA has no name or no version", path);
    good = false;
  } else if (good && !is_version(wheel->version)) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "%s: '%s' in its METADATA is no version such as 2.21.0", path, wheel->version);
    good = false;
  }
  tn_text_deinit(&metadata);
  tn_text_deinit(&tags);
  return good;
}

bool wheel_open(wheel* wheel, const char* path, tn_status* status) {
  const bool opened = open_wheel(wheel, path, status);
  if (!opened && wheel->unpacked) wheel_rename(status, wheel->unpacked, path);
  return opened;
}

void wheel_rename(tn_status* status, const char* from, const char* to) {
  tn_text text = {0};
  const size_t length = strlen(from);
  for (const char* at = tn_status_message(status); *at;) {
    const char* found = strstr(at, from);
    tn_text_append(&text, at, found ? (size_t)(found - at) : strlen(at));
    if (!found) break;
    tn_text_puts(&text, to);
    at = found + length;
  }
  if (text.data && !text.failed) tn_status_set(status, tn_status_code(status), "%s", text.data);
  tn_text_deinit(&text);
}

void wheel_close(wheel* wheel) {
  tn_temporary_remove(wheel->unpacked);
  wheel->unpacked = NULL;
}
