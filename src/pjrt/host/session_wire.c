#include "pjrt/host/session_wire.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/wire.h"
#include "tensor/tensor.h"

// Fields, by message.
enum {
  START_PATH = 1,
  START_POLICY,
  START_WEEKS,
  START_AS_OF,
  START_AS_HOST,
  START_OPEN_LIMIT,
  START_FIRST_CONTACT,
  START_DEVICE,
  START_VALUE
};
enum { VALUE_NAME = 1, VALUE_KIND, VALUE_BYTES, VALUE_NUMBER };
enum {
  FOUND_MAJOR = 1,
  FOUND_MINOR,
  FOUND_COUNT,
  FOUND_STABLEHLO,
  FOUND_PLATFORM,
  FOUND_VERSION,
  FOUND_DEVICE,
  FOUND_NOTES
};
enum { COMPILE_FORMAT = 1, COMPILE_CODE, COMPILE_PROTO };
enum {
  RUN_PROGRAM = 1,
  RUN_ARRAY,
  RUN_CALLS,
  RUN_MOST,
  RUN_FIRST,
  RUN_PER_CALL,
  RUN_P50,
  RUN_P99,
  RUN_IN_A_ROW
};
enum { ARRAY_TYPE = 1, ARRAY_DIM, ARRAY_AT, ARRAY_BYTES };
enum { NUMBER_FIRST = 1, NUMBER_SECOND };
enum { FAILURE_CODE = 1, FAILURE_FAULT, FAILURE_MESSAGE };

static void put_text(tn_text* out, uint32_t number, const char* text) {
  tn_wire_put_bytes(out, number, tn_view_of(text));
}

// A field of another type has no bytes.
static char* copy_of(tn_view bytes) {
  return tn_strndup(bytes.data ? bytes.data : "", bytes.data ? bytes.size : 0);
}

// Takes the place of an older text; false when there is no memory.
static bool get_text(const tn_wire_field* field, char** text) {
  tn_free(*text);
  *text = copy_of(field->bytes);
  return *text != NULL;
}

static void put_value(tn_text* out, const tn_pjrt_values* values, size_t i) {
  const tn_pjrt_kind kind = tn_pjrt_values_kind(values, i);
  const size_t begun = tn_wire_begin(out, START_VALUE);
  put_text(out, VALUE_NAME, tn_pjrt_values_name(values, i));
  tn_wire_put_varint(out, VALUE_KIND, kind);
  size_t count = 0;
  const int64_t* numbers;
  switch (kind) {
    case TN_PJRT_STRING: put_text(out, VALUE_BYTES, tn_pjrt_values_string(values, i)); break;
    case TN_PJRT_INT:
      tn_wire_put_varint(out, VALUE_NUMBER, (uint64_t)tn_pjrt_values_int(values, i));
      break;
    case TN_PJRT_INTS:
      numbers = tn_pjrt_values_ints(values, i, &count);
      tn_wire_put_bytes(out, VALUE_BYTES, (tn_view){(const char*)numbers, count * sizeof *numbers});
      break;
    case TN_PJRT_FLOAT:
      tn_wire_put_float(out, VALUE_NUMBER, tn_pjrt_values_float(values, i));
      break;
    case TN_PJRT_BOOL: tn_wire_put_varint(out, VALUE_NUMBER, tn_pjrt_values_bool(values, i)); break;
  }
  tn_wire_end(out, begun);
}

static bool get_value(tn_view bytes, tn_pjrt_values* values) {
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field, name = {0}, kind = {0}, content = {0}, number = {0};
  while (tn_wire_next(&reader, &field)) {
    switch (field.number) {
      case VALUE_NAME: name = field; break;
      case VALUE_KIND: kind = field; break;
      case VALUE_BYTES: content = field; break;
      case VALUE_NUMBER: number = field; break;
      default: return false;
    }
  }
  const size_t count = content.bytes.size / sizeof(int64_t);
  char* key = copy_of(name.bytes);
  char* text = copy_of(content.bytes);
  int64_t* numbers = tn_alloc_zeroed(count + 1, sizeof *numbers);
  bool set = !reader.bad && key && text && numbers;
  if (set && count) memcpy(numbers, content.bytes.data, count * sizeof *numbers);
  if (set) switch (kind.value) {
      case TN_PJRT_STRING: set = tn_pjrt_values_set_string(values, key, text, NULL); break;
      case TN_PJRT_INT:
        set = tn_pjrt_values_set_int(values, key, (int64_t)number.value, NULL);
        break;
      case TN_PJRT_INTS: set = tn_pjrt_values_set_ints(values, key, numbers, count, NULL); break;
      case TN_PJRT_FLOAT:
        set = tn_pjrt_values_set_float(values, key, tn_wire_float(number.value), NULL);
        break;
      case TN_PJRT_BOOL: set = tn_pjrt_values_set_bool(values, key, number.value != 0, NULL); break;
      default: set = false;
    }
  tn_free(key);
  tn_free(text);
  tn_free(numbers);
  return set;
}

void tn_session_put_start(tn_text* out, const char* path, const tn_pjrt_session_options* options) {
  put_text(out, START_PATH, path);
  const tn_pjrt_open_options* open = options->open;
  if (open) {
    tn_wire_put_varint(out, START_POLICY, open->policy);
    tn_wire_put_varint(out, START_WEEKS, open->window_weeks);
    if (open->as_of) put_text(out, START_AS_OF, open->as_of);
    tn_wire_put_varint(out, START_AS_HOST, (uint64_t)open->as_host);
    tn_wire_put_varint(out, START_OPEN_LIMIT, open->time_limit_ms);
    tn_wire_put_varint(out, START_FIRST_CONTACT, open->first_contact);
  }
  tn_wire_put_varint(out, START_DEVICE, (uint64_t)options->device);
  for (size_t i = 0; i < tn_pjrt_values_count(options->client); ++i)
    put_value(out, options->client, i);
}

bool tn_session_get_start(tn_view bytes, tn_session_start* start) {
  start->open = TN_INIT(tn_pjrt_open_options);
  start->options = TN_INIT(tn_pjrt_session_options);
  start->client = tn_pjrt_values_create();
  bool fine = start->client != NULL;
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  while (fine && tn_wire_next(&reader, &field)) {
    switch (field.number) {
      case START_PATH: fine = get_text(&field, &start->path); break;
      case START_POLICY: start->open.policy = (uint32_t)field.value; break;
      case START_WEEKS: start->open.window_weeks = (uint32_t)field.value; break;
      case START_AS_OF: fine = get_text(&field, &start->as_of); break;
      case START_AS_HOST: start->open.as_host = (int32_t)field.value; break;
      case START_OPEN_LIMIT: start->open.time_limit_ms = (uint32_t)field.value; break;
      case START_FIRST_CONTACT: start->open.first_contact = field.value != 0; break;
      case START_DEVICE: start->options.device = (int32_t)field.value; break;
      case START_VALUE: fine = get_value(field.bytes, start->client); break;
      default: fine = false;
    }
  }
  start->open.as_of = start->as_of;
  start->options.open = &start->open;
  start->options.client = start->client;
  return fine && !reader.bad && start->path;
}

void tn_session_start_deinit(tn_session_start* start) {
  tn_free(start->path);
  tn_free(start->as_of);
  tn_pjrt_values_destroy(start->client);
}

void tn_session_put_found(tn_text* out, const tn_pjrt_found* found) {
  tn_wire_put_varint(out, FOUND_MAJOR, (uint64_t)found->major);
  tn_wire_put_varint(out, FOUND_MINOR, (uint64_t)found->minor);
  tn_wire_put_varint(out, FOUND_COUNT, (uint64_t)found->device_count);
  put_text(out, FOUND_STABLEHLO, found->stablehlo);
  put_text(out, FOUND_PLATFORM, found->platform);
  put_text(out, FOUND_VERSION, found->platform_version);
  put_text(out, FOUND_DEVICE, found->device);
  put_text(out, FOUND_NOTES, found->notes);
}

static bool no_memory(tn_status* status) {
  tn_status_set_no_memory(status, "listening to a plugin's process");
  return false;
}

bool tn_session_get_found(tn_view bytes, tn_pjrt_found* found, tn_status* status) {
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  bool fine = true;
  while (fine && tn_wire_next(&reader, &field)) {
    switch (field.number) {
      case FOUND_MAJOR: found->major = (int)field.value; break;
      case FOUND_MINOR: found->minor = (int)field.value; break;
      case FOUND_COUNT: found->device_count = (int)field.value; break;
      case FOUND_STABLEHLO: fine = get_text(&field, &found->stablehlo) || no_memory(status); break;
      case FOUND_PLATFORM: fine = get_text(&field, &found->platform) || no_memory(status); break;
      case FOUND_VERSION:
        fine = get_text(&field, &found->platform_version) || no_memory(status);
        break;
      case FOUND_DEVICE: fine = get_text(&field, &found->device) || no_memory(status); break;
      case FOUND_NOTES: fine = get_text(&field, &found->notes) || no_memory(status); break;
      default: fine = false;
    }
  }
  return fine && !reader.bad && found->stablehlo && found->platform && found->platform_version &&
         found->device && found->notes;
}

void tn_session_put_compile(tn_text* out, const char* format, size_t code_size, size_t proto_size) {
  if (format) put_text(out, COMPILE_FORMAT, format);
  tn_wire_put_varint(out, COMPILE_CODE, code_size);
  tn_wire_put_varint(out, COMPILE_PROTO, proto_size);
}

bool tn_session_get_compile(tn_view bytes, tn_session_compile* compile) {
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  bool fine = true;
  while (fine && tn_wire_next(&reader, &field)) {
    switch (field.number) {
      case COMPILE_FORMAT: fine = get_text(&field, &compile->format); break;
      case COMPILE_CODE: compile->code_size = field.value; break;
      case COMPILE_PROTO: compile->proto_size = field.value; break;
      default: fine = false;
    }
  }
  return fine && !reader.bad;
}

uint64_t tn_session_align(uint64_t at) {
  return (at + TN_SESSION_ALIGNMENT - 1) / TN_SESSION_ALIGNMENT * TN_SESSION_ALIGNMENT;
}

void tn_session_put_run(tn_text* out, uint64_t program, const tn_pjrt_timing* timing) {
  tn_wire_put_varint(out, RUN_PROGRAM, program);
  if (!timing) return;
  tn_wire_put_varint(out, RUN_CALLS, timing->calls);
  tn_wire_put_varint(out, RUN_MOST, timing->most_ms);
  tn_wire_put_varint(out, RUN_FIRST, timing->first);
  tn_wire_put_varint(out, RUN_PER_CALL, timing->per_call);
  tn_wire_put_varint(out, RUN_P50, timing->p50);
  tn_wire_put_varint(out, RUN_P99, timing->p99);
  tn_wire_put_varint(out, RUN_IN_A_ROW, timing->in_a_row);
}

void tn_session_put_array(tn_text* out, const tn_tensor* tensor, uint64_t at) {
  const size_t begun = tn_wire_begin(out, RUN_ARRAY);
  tn_wire_put_varint(out, ARRAY_TYPE, (uint64_t)tn_tensor_dtype(tensor));
  for (int i = 0; i < tn_tensor_rank(tensor); ++i)
    tn_wire_put_varint(out, ARRAY_DIM, (uint64_t)tn_tensor_dim(tensor, i));
  tn_wire_put_varint(out, ARRAY_AT, at);
  tn_wire_put_varint(out, ARRAY_BYTES, tn_tensor_bytes(tensor));
  tn_wire_end(out, begun);
}

static bool get_array(tn_view bytes, uint64_t memory_size, tn_session_array* array) {
  *array = (tn_session_array){0};
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  while (tn_wire_next(&reader, &field)) {
    switch (field.number) {
      case ARRAY_TYPE: array->dtype = (tn_dtype)field.value; break;
      case ARRAY_DIM:
        if (array->rank == TN_SESSION_MOST_RANK) return false;
        array->dims[array->rank++] = (int64_t)field.value;
        break;
      case ARRAY_AT: array->at = field.value; break;
      case ARRAY_BYTES: array->bytes = field.value; break;
      default: return false;
    }
  }
  size_t needed;
  return !reader.bad && tn_dtype_size(array->dtype) > 0 &&
         tn_tensor_size_of(array->dtype, array->dims, array->rank, &needed, NULL) &&
         needed == array->bytes &&
         (needed == 0 || (array->at >= TN_SESSION_DATA && array->at <= memory_size &&
                          array->bytes <= memory_size - array->at));
}

bool tn_session_get_run(tn_view bytes, uint64_t memory_size, tn_session_run* run,
                        tn_status* status) {
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  bool fine = true;
  while (fine && tn_wire_next(&reader, &field)) {
    tn_pjrt_timing* timing = &run->timing;
    switch (field.number) {
      case RUN_PROGRAM: run->program = field.value; break;
      case RUN_CALLS:
        run->timed = true;
        timing->calls = (uint32_t)field.value;
        break;
      case RUN_MOST: timing->most_ms = (uint32_t)field.value; break;
      case RUN_FIRST: timing->first = field.value; break;
      case RUN_PER_CALL: timing->per_call = field.value; break;
      case RUN_P50: timing->p50 = field.value; break;
      case RUN_P99: timing->p99 = field.value; break;
      case RUN_IN_A_ROW: timing->in_a_row = field.value; break;
      case RUN_ARRAY:
        fine = (tn_grow(&run->arrays, &run->array_capacity, run->array_count + 1,
                        sizeof *run->arrays) ||
                no_memory(status)) &&
               get_array(field.bytes, memory_size, &run->arrays[run->array_count]);
        run->array_count += fine;
        break;
      default: fine = false;
    }
  }
  return fine && !reader.bad;
}

void tn_session_run_deinit(tn_session_run* run) { tn_free(run->arrays); }

void tn_session_put_numbers(tn_text* out, uint64_t first, uint64_t second) {
  tn_wire_put_varint(out, NUMBER_FIRST, first);
  tn_wire_put_varint(out, NUMBER_SECOND, second);
}

bool tn_session_get_numbers(tn_view bytes, uint64_t* first, uint64_t* second) {
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  unsigned seen = 0;
  while (tn_wire_next(&reader, &field)) {
    if (field.number == NUMBER_FIRST) *first = field.value;
    if (field.number == NUMBER_SECOND) *second = field.value;
    seen |= field.number < 32 ? 1u << field.number : 1u;
  }
  return !reader.bad && seen == (1u << NUMBER_FIRST | 1u << NUMBER_SECOND);
}

void tn_session_put_failure(tn_text* out, const tn_status* status) {
  tn_wire_put_varint(out, FAILURE_CODE, (uint64_t)tn_status_code(status));
  tn_wire_put_varint(out, FAILURE_FAULT, (uint64_t)tn_status_fault(status));
  put_text(out, FAILURE_MESSAGE, tn_status_message(status));
}

bool tn_session_get_failure(tn_view bytes, tn_status* status) {
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  uint64_t code = 0, fault = 0;
  tn_view message = {"", 0};
  while (tn_wire_next(&reader, &field)) {
    if (field.number == FAILURE_CODE) code = field.value;
    if (field.number == FAILURE_FAULT) fault = field.value;
    if (field.number == FAILURE_MESSAGE) message = field.bytes;
  }
  if (reader.bad || code == TN_OK || code > TN_UNAUTHENTICATED || fault > TN_FAULT_PLUGIN)
    return false;
  if (!message.data) message = (tn_view){"", 0};
  tn_status_set(status, (tn_code)code, "%.*s", TN_VIEW_ARGS(message));
  tn_status_set_fault(status, (tn_fault)fault);
  return true;
}
