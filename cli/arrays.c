#include "arrays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "interrupts.h"

bool cli_ends_with(const char* text, const char* end) {
  size_t size = strlen(text), end_size = strlen(end);
  return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

bool cli_arrays_init(cli_arrays* arrays, size_t count, tn_status* status) {
  arrays->items = tn_alloc_zeroed(count + 1, sizeof *arrays->items);
  if (!arrays->items) {
    tn_status_set_no_memory(status, "keeping the outputs");
    return false;
  }
  arrays->capacity = count + 1;
  return true;
}

void cli_arrays_deinit(cli_arrays* arrays) {
  for (size_t i = 0; i < arrays->count; ++i) {
    tn_tensor_destroy(arrays->items[i]);
    if (arrays->files) tn_free(arrays->files[i]);
  }
  tn_free(arrays->items);
  tn_free(arrays->files);
  *arrays = (cli_arrays){0};
}

// Takes `tensor`; false when it is NULL or there is no memory for it.
static bool add(cli_arrays* arrays, tn_tensor* tensor, tn_status* status) {
  if (!tensor) return false;
  if (!tn_grow(&arrays->items, &arrays->capacity, arrays->count + 1, sizeof *arrays->items)) {
    tn_tensor_destroy(tensor);
    tn_status_set_no_memory(status, "reading the inputs");
    return false;
  }
  arrays->items[arrays->count++] = tensor;
  return true;
}

bool cli_arrays_read(cli_arrays* arrays, const char* word, tn_status* status) {
  const char* member = strstr(word, ".npz:");
  if (!member && !cli_ends_with(word, ".npz"))
    return add(arrays, tn_npy_read(word, status), status);

  size_t path_size = member ? (size_t)(member - word) + 4 : strlen(word);
  char* path = tn_strndup(word, path_size);
  tn_npz* archive = path ? tn_npz_open(path, status) : NULL;
  bool ok = archive != NULL;
  if (!path) tn_status_set_no_memory(status, "reading the inputs");
  if (ok && member) {
    ok = add(arrays, tn_npz_read(archive, member + 5, status), status);
  } else if (ok) {
    for (size_t i = 0; ok && i < tn_npz_count(archive); ++i)
      ok = add(arrays, tn_npz_read(archive, tn_npz_name(archive, i), status), status);
  }
  tn_npz_close(archive);
  tn_free(path);
  return ok;
}

static bool name_files(cli_arrays* arrays, const char* target, const char* format,
                       tn_status* status) {
  arrays->files = tn_alloc_zeroed(arrays->count + 1, sizeof *arrays->files);
  bool named = arrays->files != NULL;
  for (size_t i = 0; named && i < arrays->count; ++i) {
    arrays->files[i] = format ? tn_printf(format, target, i) : tn_strdup(target);
    named = arrays->files[i] != NULL;
  }
  if (!named) tn_status_set_no_memory(status, "writing the outputs");
  return named;
}

static bool write_archive(const char* path, const cli_arrays* arrays, tn_status* status) {
  const char** names = tn_alloc_zeroed(arrays->count + 1, sizeof *names);
  if (!names) {
    tn_status_set_no_memory(status, "writing the outputs");
    return false;
  }
  for (size_t i = 0; i < arrays->count; ++i) names[i] = arrays->files[i] + strlen(path) + 1;
  bool written = tn_npz_write(path, names, arrays->items, arrays->count, status);
  tn_free(names);
  return written;
}

static bool make_folder(const char* path, bool* out_made, tn_status* status) {
  *out_made = mkdir(path, 0777) == 0;
  if (*out_made || errno == EEXIST) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "cannot make the folder '%s': %s", path,
                strerror(errno));
  return false;
}

bool cli_arrays_check_target(const char* target, tn_status* status) {
  struct stat found;
  bool made;
  if (cli_ends_with(target, ".npz") || cli_ends_with(target, ".npy")) {
    // A pipe would be opened twice.
    if (stat(target, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
      return true;
    tn_file_writer* writer = tn_file_writer_open(target, status);
    tn_file_writer_close(writer, false, NULL);
    return writer != NULL;
  }
  if (!make_folder(target, &made, status)) return false;
  int error = 0;
  if (made)
    rmdir(target);
  else if (stat(target, &found) == 0 && !S_ISDIR(found.st_mode))
    error = ENOTDIR;
  else if (access(target, W_OK | X_OK) != 0)
    error = errno;
  if (error)
    tn_status_set(status, TN_INVALID_ARGUMENT, "cannot write to the folder '%s': %s", target,
                  strerror(error));
  return !error;
}

bool cli_arrays_write(cli_arrays* arrays, const char* target, tn_status* status) {
  if (cli_ends_with(target, ".npz"))
    return name_files(arrays, target, "%s:out%zu", status) && write_archive(target, arrays, status);
  if (cli_ends_with(target, ".npy")) {
    if (arrays->count == 1)
      return name_files(arrays, target, NULL, status) &&
             tn_npy_write(target, arrays->items[0], status);
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "--out %s: one file for %zu outputs; name a folder, or an archive ending in .npz",
                  target, arrays->count);
    return false;
  }
  bool made;
  if (!name_files(arrays, target, "%s/out%zu.npy", status) || !make_folder(target, &made, status))
    return false;
  for (size_t i = 0; i < arrays->count && !cli_interrupts.interrupted; ++i)
    if (!tn_npy_write(arrays->files[i], arrays->items[i], status)) return false;
  return true;
}

bool cli_arrays_print(const cli_arrays* arrays, int width, tn_status* status) {
  for (size_t i = 0; i < arrays->count; ++i) {
    const tn_tensor* tensor = arrays->items[i];
    char name[32];
    const int size = snprintf(name, sizeof name, "out%zu", i);
    printf("%s%s%s%*s%s [", cli_bold(), name, cli_plain(), width > size ? width - size : 2, "",
           cli_dtype_name(tn_tensor_dtype(tensor)));
    for (int d = 0; d < tn_tensor_rank(tensor); ++d)
      printf("%s%lld", d ? ", " : "", (long long)tn_tensor_dim(tensor, d));
    if (arrays->files) {
      printf("] -> %s\n", arrays->files[i]);
    } else {
      puts("]");
      if (!tn_tensor_write_text(tensor, stdout, status)) return false;
      putchar('\n');
    }
  }
  return true;
}

static void json_values(tn_json* json, const tn_tensor* tensor) {
  char* values = NULL;
  size_t size = 0;
  FILE* stream = open_memstream(&values, &size);
  bool written = stream && tn_tensor_write_json(tensor, stream, NULL);
  if (stream) written = fclose(stream) == 0 && written;
  if (written) {
    tn_json_raw(json, "values", (tn_view){values, size});
  } else {
    json->out->failed = true;
  }
  free(values);
}

void cli_arrays_json(const cli_arrays* arrays, tn_json* json) {
  tn_json_begin_array(json, "outputs");
  for (size_t i = 0; i < arrays->count; ++i) {
    const tn_tensor* tensor = arrays->items[i];
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "dtype", cli_dtype_name(tn_tensor_dtype(tensor)));
    tn_json_begin_array(json, "shape");
    for (int d = 0; d < tn_tensor_rank(tensor); ++d)
      tn_json_int(json, NULL, tn_tensor_dim(tensor, d));
    tn_json_end_array(json);
    if (arrays->files) {
      tn_json_string(json, "file", arrays->files[i]);
    } else {
      json_values(json, tensor);
    }
    tn_json_end_object(json);
  }
  tn_json_end_array(json);
}

bool cli_print_document(tn_json* json, tn_status* status) {
  tn_json_end_object(json);
  const bool ok = !json->out->failed;
  if (ok)
    puts(json->out->data);
  else
    tn_status_set_no_memory(status, "printing JSON");
  tn_text_deinit(json->out);
  return ok;
}
