// .npy and .npz from C: arguments, memory, what is left on disk. What the files hold is compared
// with numpy in test_npy.py and test_npz.py.

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "harness.h"
#include "tensor/tensor.h"

static const char* path_of(const char* name) {
  static char path[4][512];
  static int next;
  char* result = path[next++ % 4];
  snprintf(result, 512, "%s/%s", test_folder(), name);
  return result;
}

static int files_in_folder(void) {
  int count = 0;
  DIR* folder = opendir(test_folder());
  while (folder && readdir(folder)) ++count;
  if (folder) closedir(folder);
  return count - 2;  // "." and ".."
}

static tn_tensor* sample_numbers(void) {
  float values[] = {1, 2, 3, 4, 5, 6};
  return tn_tensor_create_from(TN_FLOAT, (int64_t[]){2, 3}, 2, values, sizeof values, NULL);
}

static tn_tensor* sample_strings(void) {
  static const char* const texts[] = {"one", "", "a text that is longer than 22 bytes"};
  return tn_tensor_create_strings((int64_t[]){3}, 1, texts, NULL, NULL);
}

static bool same(const tn_tensor* a, const tn_tensor* b) {
  if (tn_tensor_dtype(a) != tn_tensor_dtype(b) || !tn_shape_equal(&a->shape, &b->shape))
    return false;
  if (tn_tensor_dtype(a) != TN_STRING)
    return memcmp(tn_tensor_data(a), tn_tensor_data(b), tn_tensor_bytes(a)) == 0;
  for (int64_t i = 0; i < tn_tensor_elements(a); ++i)
    if (strcmp(tn_tensor_string(a, i, NULL), tn_tensor_string(b, i, NULL)) != 0) return false;
  return true;
}

TEST(test_bad_arguments_are_statuses) {
  tn_status status = {0};
  tn_tensor* tensor = sample_numbers();
  const char* const names[] = {"a"};
  CHECK(!tn_npy_read(NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npy_read_as(NULL, TN_FLOAT, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npy_write(NULL, tensor, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npy_write(path_of("x.npy"), NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npz_open(NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npz_write(NULL, names, &tensor, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npz_write(path_of("x.npz"), NULL, &tensor, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npz_write(path_of("x.npz"), names, NULL, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor* none = NULL;
  CHECK(!tn_npz_write(path_of("x.npz"), names, &none, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npz_read(NULL, "a", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npz_read_as(NULL, "a", TN_FLOAT, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(tn_npz_write(path_of("x.npz"), names, &tensor, 1, &status));
  tn_npz* archive = tn_npz_open(path_of("x.npz"), &status);
  CHECK(!tn_npz_read(archive, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npz_read_as(archive, "a", (tn_dtype)-1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_npz_close(archive);
  tn_npz_close(NULL);
  CHECK_INT(tn_npz_count(NULL), 0);
  CHECK(!tn_npz_name(NULL, 0));
  tn_tensor_destroy(tensor);
}

TEST(test_a_write_that_fails_leaves_the_old_file_and_nothing_else) {
  tn_status status = {0};
  tn_tensor* numbers = sample_numbers();
  tn_tensor* resource = tn_tensor_create(TN_RESOURCE, NULL, 0, &status);
  CHECK(tn_npy_write(path_of("x.npy"), numbers, &status));
  CHECK(!tn_npy_write(path_of("x.npy"), resource, &status));
  CHECK_CONTAINS(tn_status_message(&status), "a resource tensor cannot be written");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npy_write(path_of("no/such/folder/x.npy"), numbers, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  const char* const names[] = {"a", "b"};
  tn_tensor* both[] = {numbers, resource};
  CHECK(!tn_npz_write(path_of("x.npy"), names, both, 2, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_npy_write("/dev/full", numbers, &status));
  CHECK_CONTAINS(tn_status_message(&status), "No space left");
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  CHECK_INT(files_in_folder(), 1);
  tn_tensor* again = tn_npy_read(path_of("x.npy"), &status);
  CHECK(again && same(again, numbers));
  tn_tensor_destroy(again);
  tn_tensor_destroy(numbers);
  tn_tensor_destroy(resource);
}

static void* write_to_pipe(void* path) {
  tn_tensor* tensor = sample_numbers();
  bool written = tn_npy_write(path, tensor, NULL);
  tn_tensor_destroy(tensor);
  return written ? path : NULL;
}

TEST(test_arrays_go_through_a_pipe) {
  const char* path = path_of("pipe");
  CHECK(mkfifo(path, 0600) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, write_to_pipe, (void*)path) == 0);
  tn_status status = {0};
  tn_tensor* read = tn_npy_read(path, &status);
  void* written;
  pthread_join(thread, &written);
  CHECK_OK(&status);
  CHECK(written != NULL);
  tn_tensor* expected = sample_numbers();
  CHECK(same(read, expected));
  tn_tensor_destroy(read);
  tn_tensor_destroy(expected);
}

static bool npy_round_trip(void* arg, tn_status* status) {
  tn_tensor* again = NULL;
  if (tn_npy_write(path_of("sweep.npy"), arg, status))
    again = tn_npy_read_as(path_of("sweep.npy"), tn_tensor_dtype(arg), status);
  if (again) CHECK(same(again, arg));
  tn_tensor_destroy(again);
  return again != NULL;
}

static bool npz_round_trip(void* arg, tn_status* status) {
  tn_tensor* const* tensors = arg;
  const char* const names[] = {"numbers", "strings"};
  tn_npz* archive = NULL;
  tn_tensor* again = NULL;
  if (tn_npz_write(path_of("sweep.npz"), names, tensors, 2, status))
    archive = tn_npz_open(path_of("sweep.npz"), status);
  if (archive) again = tn_npz_read_as(archive, "strings", TN_STRING, status);
  if (again) CHECK(same(again, tensors[1]));
  tn_npz_close(archive);
  tn_tensor_destroy(again);
  return again != NULL;
}

static bool read_deflated(void* arg, tn_status* status) {
  tn_npz* archive = tn_npz_open(TENON_SOURCE_DIR "/tests/fuzz/corpus/npz/deflated.npz", status);
  if (!archive) return false;
  tn_tensor* tensor = tn_npz_read(archive, tn_npz_name(archive, 0), status);
  tn_tensor_destroy(tensor);
  tn_npz_close(archive);
  return tensor != NULL;
}

static bool read_fortran(void* arg, tn_status* status) {
  tn_tensor* tensor =
      tn_npy_read(TENON_SOURCE_DIR "/tests/fuzz/corpus/npy/fortran_unicode.npy", status);
  tn_tensor_destroy(tensor);
  return tensor != NULL;
}

TEST(test_files_without_memory) {
  tn_tensor* tensors[] = {sample_numbers(), sample_strings()};
  CHECK(test_sweep_allocations(npy_round_trip, tensors[0]) > 5);
  CHECK(test_sweep_allocations(npy_round_trip, tensors[1]) > 5);
  CHECK(test_sweep_allocations(npz_round_trip, tensors) > 10);
  CHECK(test_sweep_allocations(read_deflated, NULL) > 5);
  CHECK(test_sweep_allocations(read_fortran, NULL) > 5);
  CHECK_INT(files_in_folder(), 2);
  tn_tensor_destroy(tensors[0]);
  tn_tensor_destroy(tensors[1]);
}

TEST(test_what_is_not_found_is_listed) {
  tn_status status = {0};
  tn_tensor* tensor = sample_numbers();
  tn_tensor* tensors[25];
  char texts[25][8];
  const char* names[25];
  for (int i = 0; i < 25; ++i) {
    snprintf(texts[i], sizeof texts[i], "w%d", i);
    names[i] = texts[i];
    tensors[i] = tensor;
  }
  CHECK(tn_npz_write(path_of("x.npz"), names, tensors, 25, &status));
  tn_npz* archive = tn_npz_open(path_of("x.npz"), &status);
  CHECK(!tn_npz_read(archive, "weights", &status));
  CHECK_CONTAINS(tn_status_message(&status), "it holds w0, w1, ");
  CHECK_CONTAINS(tn_status_message(&status), "w19 and 5 more");
  CHECK_CODE(&status, TN_NOT_FOUND);
  tn_npz_close(archive);
  tn_tensor_destroy(tensor);
}
