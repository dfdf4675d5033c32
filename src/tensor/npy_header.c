#include "tensor/npy_header.h"

#include "base/status.h"

// What numpy's descr codes mean. Types that numpy does not know have rows to be written with: the
// ones of ml_dtypes are raw bytes ('<V1') whose type we name in a comment after the dictionary,
// which numpy passes over; TensorFlow's quantized ones are structures with one field.
typedef struct descr_row {
  tn_dtype dtype;
  char kind;
  uint8_t size;
  const char* written;
} descr_row;

static const descr_row rows[] = {
    {TN_BOOL, 'b', 1, "'|b1'"},
    {TN_INT8, 'i', 1, "'|i1'"},
    {TN_INT16, 'i', 2, "'<i2'"},
    {TN_INT32, 'i', 4, "'<i4'"},
    {TN_INT64, 'i', 8, "'<i8'"},
    {TN_UINT8, 'u', 1, "'|u1'"},
    {TN_UINT16, 'u', 2, "'<u2'"},
    {TN_UINT32, 'u', 4, "'<u4'"},
    {TN_UINT64, 'u', 8, "'<u8'"},
    {TN_FLOAT8_E5M2, 'f', 1, "'<V1'"},  // numpy itself does not read '<f1', which ml_dtypes makes
    {TN_HALF, 'f', 2, "'<f2'"},
    {TN_FLOAT, 'f', 4, "'<f4'"},
    {TN_DOUBLE, 'f', 8, "'<f8'"},
    {TN_COMPLEX64, 'c', 8, "'<c8'"},
    {TN_COMPLEX128, 'c', 16, "'<c16'"},
    {TN_BFLOAT16, 'V', 2, "'<V2'"},
    {TN_FLOAT8_E4M3FN, 'V', 1, "'<V1'"},
    {TN_FLOAT8_E4M3FNUZ, 'V', 1, "'<V1'"},
    {TN_FLOAT8_E4M3B11FNUZ, 'V', 1, "'<V1'"},
    {TN_FLOAT8_E5M2FNUZ, 'V', 1, "'<V1'"},
    {TN_FLOAT8_E4M3, 'V', 1, "'<V1'"},
    {TN_FLOAT8_E3M4, 'V', 1, "'<V1'"},
    {TN_FLOAT8_E8M0FNU, 'V', 1, "'<V1'"},
    {TN_FLOAT4_E2M1FN, 'V', 1, "'<V1'"},
    {TN_INT4, 'V', 1, "'<V1'"},
    {TN_UINT4, 'V', 1, "'<V1'"},
    {TN_INT2, 'V', 1, "'<V1'"},
    {TN_UINT2, 'V', 1, "'<V1'"},
    {TN_QINT8, 0, 1, "[('qint8', '|i1')]"},
    {TN_QUINT8, 0, 1, "[('quint8', '|u1')]"},
    {TN_QINT16, 0, 2, "[('qint16', '<i2')]"},
    {TN_QUINT16, 0, 2, "[('quint16', '<u2')]"},
    {TN_QINT32, 0, 4, "[('qint32', '<i4')]"},
};
enum { row_count = sizeof rows / sizeof *rows };

static const descr_row* row_of(tn_dtype dtype) {
  for (int i = 0; i < row_count; ++i)
    if (rows[i].dtype == dtype) return &rows[i];
  return NULL;
}

const char* tn_npy_descr(tn_dtype dtype, const char** out_comment) {
  const descr_row* row = row_of(dtype);
  if (!row) return NULL;
  *out_comment = strcmp(row->written, "'<V1'") == 0 ? tn_dtype_name(dtype) : NULL;
  return row->written;
}

// A reader of Python literals, as far as headers need them.
typedef struct scanner {
  const char* at;
  const char* end;
  tn_status* status;
} scanner;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The next character that is no space; 0 at the end.
static char peek(scanner* scan) {
  while (scan->at < scan->end && is_space(*scan->at)) ++scan->at;
  return scan->at < scan->end ? *scan->at : 0;
}

static bool accept(scanner* scan, char c) {
  if (peek(scan) != c) return false;
  ++scan->at;
  return true;
}

static bool expect(scanner* scan, char c) {
  if (accept(scan, c)) return true;
  int left = (int)(scan->end - scan->at < 20 ? scan->end - scan->at : 20);
  return tn_fail(scan->status, TN_INVALID_ARGUMENT,
                 "the .npy header has \"%.*s\" where '%c' is expected", left, scan->at, c);
}

static bool read_text(scanner* scan, tn_view* out) {
  char quote = peek(scan) == '"' ? '"' : '\'';
  if (!expect(scan, quote)) return false;
  const char* end = memchr(scan->at, quote, (size_t)(scan->end - scan->at));
  if (!end)
    return tn_fail(scan->status, TN_INVALID_ARGUMENT, "the .npy header has a text without an end");
  *out = (tn_view){scan->at, (size_t)(end - scan->at)};
  scan->at = end + 1;
  return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool read_size(scanner* scan, int64_t* out) {
  if (!is_digit(peek(scan)))
    return tn_fail(scan->status, TN_INVALID_ARGUMENT,
                   "the shape in the .npy header is not made of sizes, as (2, 3) is");
  for (*out = 0; scan->at < scan->end && is_digit(*scan->at); ++scan->at)
    if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *scan->at - '0', out))
      return tn_fail(scan->status, TN_INVALID_ARGUMENT,
                     "the .npy header has a dimension that is too large");
  accept(scan, 'L');  // Python 2 marked its long integers
  return true;
}

static bool read_shape(scanner* scan, tn_npy_header* header) {
  if (!expect(scan, '(')) return false;
  for (header->rank = 0; !accept(scan, ')'); ++header->rank) {
    if (header->rank == TN_MAX_RANK)
      return tn_fail(scan->status, TN_INVALID_ARGUMENT, "the array has more than %d dimensions",
                     TN_MAX_RANK);
    if (!read_size(scan, &header->dims[header->rank])) return false;
    if (peek(scan) != ')' && !expect(scan, ',')) return false;
  }
  return true;
}

static bool read_bool(scanner* scan, bool* out) {
  peek(scan);
  tn_view rest = {scan->at, (size_t)(scan->end - scan->at)};
  *out = tn_view_skip(&rest, "True");
  if (!*out && !tn_view_skip(&rest, "False"))
    return tn_fail(scan->status, TN_INVALID_ARGUMENT,
                   "fortran_order in the .npy header is neither True nor False");
  scan->at = rest.data;
  return true;
}

// [('qint8', '|i1')] is a type of TensorFlow's; other structures have no tensor.
static bool read_structure(scanner* scan, tn_view* out_descr, tn_dtype* out_dtype) {
  tn_view field = {"", 0};
  ++scan->at;
  bool single = accept(scan, '(') && read_text(scan, &field) && accept(scan, ',') &&
                read_text(scan, out_descr) && accept(scan, ')') && (accept(scan, ',') || true) &&
                accept(scan, ']');
  const descr_row* row = single ? row_of(tn_dtype_from_view(field)) : NULL;
  if (row && row->kind == 0) {
    *out_dtype = row->dtype;
    return true;
  }
  return tn_fail(
      scan->status, TN_INVALID_ARGUMENT,
      "it holds a structured array; save its fields one by one (np.save(path, array['field']))");
}

static bool read_descr(scanner* scan, tn_view* out_descr, tn_dtype* out_quantized) {
  *out_quantized = TN_INVALID;
  if (peek(scan) == '[') return read_structure(scan, out_descr, out_quantized);
  return read_text(scan, out_descr);
}

static bool refuse_kind(scanner* scan, tn_view descr, char kind) {
  const char* advice = "there is no such tensor type";
  if (kind == 'O')
    advice =
        "these are pickled Python objects; convert them to numbers, or texts to "
        "array.astype('S'), and save again";
  if (kind == 'm' || kind == 'M') advice = "times have no tensor type; save array.view('int64')";
  if (kind == 'f' || kind == 'c')
    advice =
        "numpy's long double differs between machines; save array.astype('float64') or "
        "'complex128'";
  return tn_fail(scan->status, TN_INVALID_ARGUMENT, "it holds elements of type '%.*s': %s",
                 TN_VIEW_ARGS(descr), advice);
}

// Raw elements: what the caller says, else the comment that we write, else bfloat16 if that fits.
static bool choose_raw_type(scanner* scan, tn_npy_header* header, tn_dtype wanted,
                            tn_dtype commented) {
  tn_dtype dtype = wanted ? wanted : commented ? commented : TN_INVALID;
  if (!dtype && header->item_size == 2) dtype = TN_BFLOAT16;
  if (!dtype)
    return tn_fail(
        scan->status, TN_INVALID_ARGUMENT,
        "it holds raw elements ('V%llu') whose type the file does not say; name it (float8_e4m3fn, "
        "int4, ...) where the file is read (tn_npy_read_as)",
        (unsigned long long)header->item_size);
  if (tn_dtype_owns(dtype) || tn_dtype_size(dtype) != header->item_size)
    return tn_fail(scan->status, TN_INVALID_ARGUMENT,
                   "raw elements of %llu bytes cannot be read as %s",
                   (unsigned long long)header->item_size, tn_dtype_name(dtype));
  header->dtype = dtype;
  return true;
}

static bool choose_type(scanner* scan, tn_npy_header* header, tn_view descr, tn_dtype wanted,
                        tn_dtype commented, tn_dtype quantized) {
  tn_view rest = descr;
  char order = rest.size && memchr("<>|=", *rest.data, 4) ? *rest.data : 0;
  if (order) tn_view_skip(&rest, (char[]){order, 0});
  char kind = rest.size ? *rest.data : 0;
  uint64_t size = 0;
  bool sized = rest.size > 1 && rest.size < 12;
  for (size_t i = 1; i < rest.size && sized; ++i) {
    sized = is_digit(rest.data[i]);
    size = size * 10 + (uint64_t)(rest.data[i] - '0');
  }
  if (kind == '?' && rest.size == 1) kind = 'b', size = 1, sized = true;
  if (!sized || size > INT32_MAX) return refuse_kind(scan, descr, kind);
  header->item_size = size;
  header->swapped = order == '>';

  if (kind == 'S' || kind == 'a' || kind == 'U') {
    header->kind = kind == 'U' ? TN_NPY_UNICODE : TN_NPY_BYTES;
    header->dtype = TN_STRING;
    if (kind == 'U') header->item_size *= 4;
  } else if (kind == 'V') {
    return choose_raw_type(scan, header, wanted, commented);
  } else {
    for (int i = 0; i < row_count && !header->dtype; ++i)
      if (rows[i].kind == kind && rows[i].size == size) header->dtype = rows[i].dtype;
    if (!header->dtype) return refuse_kind(scan, descr, kind);
    if (quantized) {
      if (tn_dtype_size(quantized) != size) return refuse_kind(scan, descr, 0);
      header->dtype = quantized;
    }
  }
  if (wanted && wanted != header->dtype)
    return tn_fail(scan->status, TN_INVALID_ARGUMENT, "it holds %s, not %s",
                   tn_dtype_name(header->dtype), tn_dtype_name(wanted));
  return true;
}

bool tn_npy_header_parse(tn_npy_header* header, tn_view text, tn_dtype dtype, tn_status* status) {
  scanner scan = {text.data, text.data + text.size, status};
  *header = (tn_npy_header){.dtype = TN_INVALID};
  tn_view descr = {0};
  tn_dtype quantized = TN_INVALID;
  bool have_descr = false, have_order = false, have_shape = false;
  if (!expect(&scan, '{')) return false;
  while (!accept(&scan, '}')) {
    tn_view key;
    if (!read_text(&scan, &key) || !expect(&scan, ':')) return false;
    bool read;
    if (tn_view_is(key, "descr"))
      read = have_descr = read_descr(&scan, &descr, &quantized);
    else if (tn_view_is(key, "fortran_order"))
      read = have_order = read_bool(&scan, &header->fortran);
    else if (tn_view_is(key, "shape"))
      read = have_shape = read_shape(&scan, header);
    else
      read = tn_fail(scan.status, TN_INVALID_ARGUMENT, "the .npy header has an unknown key '%.*s'",
                     TN_VIEW_ARGS(key));
    if (!read || (peek(&scan) != '}' && !expect(&scan, ','))) return false;
  }
  if (!have_descr || !have_order || !have_shape)
    return tn_fail(scan.status, TN_INVALID_ARGUMENT, "the .npy header lacks %s",
                   !have_descr   ? "descr"
                   : !have_order ? "fortran_order"
                                 : "shape");
  tn_dtype commented = TN_INVALID;
  if (accept(&scan, '#')) {
    peek(&scan);
    tn_view comment = {scan.at, (size_t)(scan.end - scan.at)};
    while (comment.size && is_space(comment.data[comment.size - 1])) --comment.size;
    commented = tn_dtype_from_view(comment);
  } else if (peek(&scan)) {
    return tn_fail(scan.status, TN_INVALID_ARGUMENT,
                   "the .npy header goes on after its dictionary");
  }
  return choose_type(&scan, header, descr, dtype, commented, quantized);
}
