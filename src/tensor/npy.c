#include "tensor/npy.h"

#include <inttypes.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "tensor/npy_header.h"
#include "tensor/tstring.h"

static const char magic[] = "\x93NUMPY";
enum {
  magic_size = 6,
  max_header = 64 * 1024,  // numpy's are a line of text
  chunk_size = 64 * 1024,  // strings pass through memory of about this size
  max_no_bytes = 1 << 20,  // elements of no bytes ('|S0'): nothing else limits their number
};

// Reading.

static bool read_header(tn_npy_source* source, tn_dtype dtype, tn_npy_header* header,
                        tn_status* status) {
  uint8_t start[magic_size + 2], length[4] = {0};
  if (source->left < sizeof start)
    return tn_fail(status, TN_INVALID_ARGUMENT, "no .npy file: it has only %" PRIu64 " bytes",
                   source->left);
  if (!source->read(source, start, sizeof start, status)) return false;
  if (memcmp(start, magic, magic_size) != 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "no .npy file: it does not begin with \\x93NUMPY%s",
                   memcmp(start, "PK", 2) == 0 ? "; it looks like an .npz archive" : "");
  int version = start[magic_size];
  if (version < 1 || version > 3)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "version %d of the .npy format; 1, 2 and 3 are known", version);
  size_t length_size = version == 1 ? 2 : 4;
  if (source->left < length_size)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the file ends within the .npy header");
  if (!source->read(source, length, length_size, status)) return false;
  uint32_t size =
      length[0] | (uint32_t)length[1] << 8 | (uint32_t)length[2] << 16 | (uint32_t)length[3] << 24;
  if (size > source->left)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the file ends within the .npy header");
  if (size > max_header)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "a .npy header of %" PRIu32 " bytes; at most %d are read", size, max_header);
  char* text = tn_alloc(size);
  if (!text) {
    tn_status_set_no_memory(status, "reading a .npy header");
    return false;
  }
  bool parsed = source->read(source, text, size, status) &&
                tn_npy_header_parse(header, (tn_view){text, size}, dtype, status);
  tn_free(text);
  return parsed;
}

// Before anything is allocated: the file must hold what the header promises.
static bool check_size(tn_npy_source* source, const tn_npy_header* header, tn_status* status) {
  size_t bytes;
  if (!tn_tensor_size_of(header->dtype, header->dims, header->rank, &bytes, status)) {
    tn_status_annotate(status, "in the .npy header");
    return false;
  }
  uint64_t elements = (uint64_t)tn_dims_elements(header->dims, header->rank), needed;
  if (__builtin_mul_overflow(elements, header->item_size, &needed) || needed > source->left)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "the file is cut short: the header promises %" PRIu64 " elements of %" PRIu64
                   " bytes, %" PRIu64 " bytes are there",
                   elements, header->item_size, source->left);
  if (header->item_size == 0 && elements > max_no_bytes)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "%" PRIu64 " elements of no bytes; at most %d such are read", elements,
                   max_no_bytes);
  return true;
}

static void swap_bytes(char* data, size_t bytes, size_t size) {
  for (size_t at = 0; at < bytes; at += size)
    for (size_t i = 0; i < size / 2; ++i) {
      char byte = data[at + i];
      data[at + i] = data[at + size - 1 - i];
      data[at + size - 1 - i] = byte;
    }
}

static bool read_numbers(tn_npy_source* source, const tn_npy_header* header, tn_tensor* tensor,
                         tn_status* status) {
  size_t bytes = tn_tensor_bytes(tensor);
  char* data = tensor->buffer->data;
  if (!source->read(source, data, bytes, status)) return false;
  bool is_complex = header->dtype == TN_COMPLEX64 || header->dtype == TN_COMPLEX128;
  if (header->swapped) swap_bytes(data, bytes, header->item_size / (is_complex ? 2 : 1));
  if (header->dtype == TN_BOOL)
    for (size_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
  return true;
}

// Turns `count` four-byte characters into UTF-8 in place; the new size, or SIZE_MAX.
static size_t to_utf8(char* text, size_t count, bool swapped) {
  size_t size = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t c;
    memcpy(&c, text + 4 * i, 4);
    if (swapped) c = __builtin_bswap32(c);
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return SIZE_MAX;
    if (c < 0x80) {
      text[size++] = (char)c;
      continue;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    text[size++] = (char)(first[more] | c >> (6 * more));
    while (more-- > 0) text[size++] = (char)(0x80 | (c >> (6 * more) & 0x3f));
  }
  return size;
}

static bool store_text(const tn_npy_header* header, char* item, tn_tstring* string, int64_t index,
                       tn_status* status) {
  size_t size = header->item_size, unit = header->kind == TN_NPY_UNICODE ? 4 : 1;
  // Shorter texts are filled up with NULs.
  static const char none[4] = {0};
  while (size > 0 && memcmp(item + size - unit, none, unit) == 0) size -= unit;
  if (unit == 4) size = to_utf8(item, size / 4, header->swapped);
  if (size == SIZE_MAX)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "element %" PRId64 " holds a number that is no Unicode character", index);
  if (tn_tstring_copy(string, item, size)) return true;
  tn_status_set_no_memory(status, "reading strings from a .npy file");
  return false;
}

static bool read_texts(tn_npy_source* source, const tn_npy_header* header, tn_tensor* tensor,
                       tn_status* status) {
  int64_t count = tn_tensor_elements(tensor), done = 0;
  size_t item = header->item_size;
  if (count == 0 || item == 0) return true;
  int64_t per_chunk = item > chunk_size ? 1 : (int64_t)(chunk_size / item);
  if (per_chunk > count) per_chunk = count;
  char* chunk = tn_alloc((size_t)per_chunk * item);
  if (!chunk) tn_status_set_no_memory(status, "reading strings from a .npy file");
  bool read = chunk != NULL;
  while (read && done < count) {
    int64_t now = count - done < per_chunk ? count - done : per_chunk;
    read = source->read(source, chunk, (size_t)now * item, status);
    for (int64_t i = 0; read && i < now; ++i, ++done)
      read = store_text(header, chunk + (size_t)i * item, (tn_tstring*)tensor->buffer->data + done,
                        done, status);
  }
  tn_free(chunk);
  return read;
}

// From the first dimension varying fastest to the last. Strings are moved, which is fine for those
// that were just made: none of them is relative to its place.
static tn_tensor* to_row_major(tn_tensor* from, tn_status* status) {
  tn_tensor* to =
      tn_tensor_create(from->dtype, tn_shape_dims(&from->shape), from->shape.rank, status);
  if (!to) {
    tn_tensor_destroy(from);
    return NULL;
  }
  size_t size = tn_dtype_stored_size(from->dtype);
  const char* source = from->buffer->data;
  char* target = to->buffer->data;
  const int64_t* dims = tn_shape_dims(&from->shape);
  int64_t at[TN_MAX_RANK] = {0}, elements = tn_tensor_elements(from), offset = 0;
  int64_t strides[TN_MAX_RANK] = {0};
  int rank = from->shape.rank;
  for (int64_t i = 0, stride = 1; elements > 0 && i < rank; stride *= dims[i++])
    strides[i] = stride;
  for (int64_t i = 0; i < elements; ++i) {
    memcpy(target + (size_t)i * size, source + (size_t)offset * size, size);
    for (int axis = rank - 1; axis >= 0; --axis) {
      offset += strides[axis];
      if (++at[axis] < dims[axis]) break;
      offset -= strides[axis] * dims[axis];
      at[axis] = 0;
    }
  }
  if (from->dtype == TN_STRING) memset(from->buffer->data, 0, tn_tensor_bytes(from));
  tn_tensor_destroy(from);
  return to;
}

tn_tensor* tn_npy_read_from(tn_npy_source* source, tn_dtype dtype, tn_status* status) {
  tn_npy_header header;
  if (!read_header(source, dtype, &header, status) || !check_size(source, &header, status))
    return NULL;
  tn_tensor* tensor = tn_tensor_create(header.dtype, header.dims, header.rank, status);
  if (!tensor) return NULL;
  bool read = header.kind == TN_NPY_NUMBERS ? read_numbers(source, &header, tensor, status)
                                            : read_texts(source, &header, tensor, status);
  if (!read) {
    tn_tensor_destroy(tensor);
    return NULL;
  }
  return header.fortran && header.rank > 1 ? to_row_major(tensor, status) : tensor;
}

typedef struct file_source {
  tn_npy_source source;
  tn_file_reader file;
} file_source;

static bool read_file(tn_npy_source* source, void* to, size_t size, tn_status* status) {
  file_source* self = (file_source*)source;
  if (!tn_file_reader_get(&self->file, self->file.size - source->left, to, size, status))
    return false;
  source->left -= size;
  return true;
}

tn_tensor* tn_npy_read_as(const char* path, tn_dtype dtype, tn_status* status) {
  if (!path) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no path of a .npy file (NULL)");
    return NULL;
  }
  file_source self = {.source = {.read = read_file}};
  if (!tn_file_reader_open(&self.file, path, tn_view_of("\x93NUMPY"), status)) return NULL;
  self.source.left = self.file.size;
  tn_tensor* tensor = tn_npy_read_from(&self.source, dtype, status);
  if (!tensor) tn_status_annotate(status, "while reading '%s'", path);
  tn_file_reader_close(&self.file);
  return tensor;
}

tn_tensor* tn_npy_read(const char* path, tn_status* status) {
  return tn_npy_read_as(path, TN_INVALID, status);
}

// Writing.

// The width of the longest string, at least 1 as numpy has it.
static bool measure_strings(const tn_tensor* tensor, size_t* out_width, tn_status* status) {
  const tn_tstring* strings = tensor->buffer->data;
  int64_t count = tn_tensor_elements(tensor);
  *out_width = 1;
  for (int64_t i = 0; i < count; ++i) {
    tn_view text = tn_tstring_view(&strings[i]);
    if (text.size && text.data[text.size - 1] == 0)
      return tn_fail(status, TN_INVALID_ARGUMENT,
                     "string %" PRId64 " ends in a NUL character, which .npy files cannot keep", i);
    if (text.size > *out_width) *out_width = text.size;
  }
  return *out_width <= INT32_MAX ||
         tn_fail(status, TN_INVALID_ARGUMENT, "strings of %zu bytes are too long for a .npy file",
                 *out_width);
}

bool tn_npy_layout_init(tn_npy_layout* layout, const tn_tensor* tensor, tn_status* status) {
  *layout = (tn_npy_layout){0};
  if (!tn_tensor_is_readable(tensor, "write", status)) return false;
  const char* comment = NULL;
  const char* descr = tn_npy_descr(tensor->dtype, &comment);
  layout->item_size = tn_dtype_size(tensor->dtype);
  char bytes_descr[32];
  if (tensor->dtype == TN_STRING) {
    if (!measure_strings(tensor, &layout->item_size, status)) return false;
    snprintf(bytes_descr, sizeof bytes_descr, "'|S%zu'", layout->item_size);
    descr = bytes_descr;
  }
  if (!descr)
    return tn_fail(status, TN_INVALID_ARGUMENT, "a %s tensor cannot be written to a .npy file",
                   tn_dtype_name(tensor->dtype));

  tn_text text = {0};
  tn_text_printf(&text, "{'descr': %s, 'fortran_order': False, 'shape': (", descr);
  const int64_t* dims = tn_shape_dims(&tensor->shape);
  int rank = tensor->shape.rank;
  for (int i = 0; i < rank; ++i)
    tn_text_printf(&text, "%s%" PRId64 "%s", i ? ", " : "", dims[i], rank == 1 ? "," : "");
  tn_text_puts(&text, "), }");
  if (comment) tn_text_printf(&text, " # %s", comment);
  // Room for the first dimension to grow to any size, then the end at a multiple of 64: numpy's
  // rules, so that the same array gives the same file.
  int growth = rank ? 21 - snprintf(NULL, 0, "%" PRId64, dims[0]) : 0;
  while (!text.failed && (growth-- > 0 || (magic_size + 4 + text.size + 1) % 64))
    tn_text_putc(&text, ' ');
  tn_text_putc(&text, '\n');
  uint16_t size = (uint16_t)text.size;
  tn_text_append(&layout->header, magic, magic_size);
  tn_text_append(&layout->header, (char[]){1, 0, (char)size, (char)(size >> 8)}, 4);
  tn_text_append(&layout->header, tn_text_view(&text).data, text.size);
  bool failed = text.failed || layout->header.failed;
  tn_text_deinit(&text);
  if (failed) {
    tn_npy_layout_deinit(layout);
    tn_status_set_no_memory(status, "writing a .npy header");
    return false;
  }
  uint64_t data;
  if (__builtin_mul_overflow((uint64_t)tn_tensor_elements(tensor), layout->item_size, &data) ||
      data > INT64_MAX - layout->header.size) {
    tn_npy_layout_deinit(layout);
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "strings of up to %zu bytes make the file too large", layout->item_size);
  }
  layout->total = layout->header.size + data;
  return true;
}

void tn_npy_layout_deinit(tn_npy_layout* layout) { tn_text_deinit(&layout->header); }

void tn_npy_write_to(const tn_npy_layout* layout, const tn_tensor* tensor,
                     void (*write)(void*, const void*, size_t), void* arg) {
  write(arg, layout->header.data, layout->header.size);
  if (tensor->dtype != TN_STRING) {
    write(arg, tensor->buffer->data, tn_tensor_bytes(tensor));
    return;
  }
  static const char nuls[256];
  const tn_tstring* strings = tensor->buffer->data;
  int64_t count = tn_tensor_elements(tensor);
  for (int64_t i = 0; i < count; ++i) {
    tn_view text = tn_tstring_view(&strings[i]);
    write(arg, text.data, text.size);
    for (size_t fill = layout->item_size - text.size; fill > 0;) {
      size_t now = fill < sizeof nuls ? fill : sizeof nuls;
      write(arg, nuls, now);
      fill -= now;
    }
  }
}

static void add_to_file(void* arg, const void* bytes, size_t size) {
  tn_file_writer_add(arg, bytes, size);
}

bool tn_npy_write(const char* path, const tn_tensor* tensor, tn_status* status) {
  if (!path || !tensor) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "a .npy file needs a %s (NULL)",
                  path ? "tensor" : "path");
    return false;
  }
  tn_npy_layout layout;
  if (!tn_npy_layout_init(&layout, tensor, status)) {
    tn_status_annotate(status, "while writing '%s'", path);
    return false;
  }
  tn_file_writer* writer = tn_file_writer_open(path, status);
  if (writer) tn_npy_write_to(&layout, tensor, add_to_file, writer);
  tn_npy_layout_deinit(&layout);
  return writer && tn_file_writer_close(writer, true, status);
}
