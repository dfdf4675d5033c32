#include "base/wire.h"

#include "base/memory.h"
#include "harness.h"

#define BYTES(literal) ((tn_view){literal, sizeof literal - 1})

TEST(test_the_bytes_of_protobufs_own_examples) {
  tn_text out = {0};
  tn_wire_put_varint(&out, 1, 150);
  tn_wire_put_bytes(&out, 2, tn_view_of("testing"));
  size_t nested = tn_wire_begin(&out, 3);
  tn_wire_put_varint(&out, 1, 150);
  tn_wire_end(&out, nested);
  size_t packed = tn_wire_begin(&out, 4);
  tn_wire_put_raw_varint(&out, 3);
  tn_wire_put_raw_varint(&out, 270);
  tn_wire_put_raw_varint(&out, 86942);
  tn_wire_end(&out, packed);
  tn_wire_put_float(&out, 5, 1.0f);
  tn_view expected = BYTES(
      "\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01"
      "\x22\x06\x03\x8e\x02\x9e\xa7\x05\x2d\0\0\x80\x3f");
  CHECK_INT(out.size, expected.size);
  CHECK(tn_view_equal(tn_text_view(&out), expected));
  tn_text_deinit(&out);
}

typedef struct record {
  uint32_t number;
  tn_wire_type type;
  uint64_t value;
  char bytes[300];
  size_t size;
} record;

TEST(test_what_is_written_reads_back_the_same) {
  uint64_t random = test_seed();
  for (int round = 0; round < 300; ++round) {
    static record records[30];
    tn_text out = {0};
    int count = (int)test_between(&random, 0, 30);
    for (int i = 0; i < count; ++i) {
      record* r = &records[i];
      r->number = (uint32_t)test_between(&random, 1, test_between(&random, 0, 1) ? 20 : 0x1fffffff);
      r->size = 0;
      switch (test_between(&random, 0, 3)) {
        case 0:
          r->type = TN_WIRE_VARINT;
          r->value = test_random(&random) >> test_between(&random, 0, 63);
          tn_wire_put_varint(&out, r->number, r->value);
          break;
        case 1:
          r->type = TN_WIRE_FIXED32;
          r->value = (uint32_t)i * 0x00101010u;
          tn_wire_put_float(&out, r->number, tn_wire_float(r->value));
          break;
        default:
          r->type = TN_WIRE_BYTES;
          r->size = (size_t)test_between(&random, 0, sizeof r->bytes);
          for (size_t b = 0; b < r->size; ++b) r->bytes[b] = (char)test_random(&random);
          if (i % 2) {
            tn_wire_put_bytes(&out, r->number, (tn_view){r->bytes, r->size});
          } else {
            size_t begun = tn_wire_begin(&out, r->number);
            tn_text_append(&out, r->bytes, r->size);
            tn_wire_end(&out, begun);
          }
      }
    }
    tn_wire_reader reader = tn_wire_read(tn_text_view(&out));
    tn_wire_field field;
    for (int i = 0; i < count; ++i) {
      CHECK(tn_wire_next(&reader, &field));
      CHECK_INT(field.number, records[i].number);
      CHECK_INT(field.type, records[i].type);
      if (field.type == TN_WIRE_BYTES) {
        CHECK(tn_view_equal(field.bytes, (tn_view){records[i].bytes, records[i].size}));
      } else {
        CHECK(field.value == records[i].value);
      }
    }
    CHECK(!tn_wire_next(&reader, &field) && !reader.bad);
    tn_text_deinit(&out);
  }
}

static bool readable(tn_view bytes) {
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  while (tn_wire_next(&reader, &field)) continue;
  return !reader.bad;
}

TEST(test_bytes_that_are_no_message_are_called_bad) {
  CHECK(readable(BYTES("")));
  CHECK(!readable(BYTES("\x08")));                                          // no value
  CHECK(!readable(BYTES("\x08\x80")));                                      // cut short
  CHECK(!readable(BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80")));  // no end
  CHECK(!readable(BYTES("\x0d\x01\x02\x03")));                              // three bytes of four
  CHECK(!readable(BYTES("\x09\x01\x02\x03\x04\x05\x06\x07")));              // seven of eight
  CHECK(
      !readable(BYTES("\x12\x05"
                      "abcd")));                                            // four of five
  CHECK(!readable(BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")));  // size of 2^64 - 1
  CHECK(!readable(BYTES("\x00\x01")));                                      // field number 0
  CHECK(!readable(BYTES("\x0e\x01")));                                      // type 6
  CHECK(!readable(BYTES("\x0f\x01")));                                      // type 7
  CHECK(!readable(BYTES("\x0c")));                                          // end of no group
  CHECK(!readable(BYTES("\x0b\x08\x01")));                                  // group without end
}

TEST(test_groups_are_passed_over) {
  tn_view bytes = BYTES("\x08\x01\x13\x08\x07\x1b\x12\x01x\x1c\x14\x18\x02");
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  CHECK(tn_wire_next(&reader, &field) && field.number == 1 && field.value == 1);
  CHECK(tn_wire_next(&reader, &field) && field.number == 3 && field.value == 2);
  CHECK(!tn_wire_next(&reader, &field) && !reader.bad);
}

static void collect(uint64_t value, void* arg) {
  uint64_t** at = arg;
  *(*at)++ = value;
}

TEST(test_repeated_numbers_come_packed_or_one_by_one) {
  // 1: [3, 270] packed, then 5; 2: two floats packed; 3: a fixed64 alone.
  tn_view bytes = BYTES(
      "\x0a\x03\x03\x8e\x02\x08\x05\x12\x08\0\0\x80\x3f\0\0\0\x40"
      "\x19\x01\0\0\0\0\0\0\x80");
  uint64_t values[8], *at = values;
  static const tn_wire_type element[] = {0, TN_WIRE_VARINT, TN_WIRE_FIXED32, TN_WIRE_FIXED64};
  tn_wire_reader reader = tn_wire_read(bytes);
  tn_wire_field field;
  while (tn_wire_next(&reader, &field))
    CHECK(tn_wire_each(&field, element[field.number], collect, &at));
  CHECK(!reader.bad);
  CHECK_INT(at - values, 6);
  CHECK(values[0] == 3 && values[1] == 270 && values[2] == 5);
  CHECK(tn_wire_float(values[3]) == 1.0f && tn_wire_float(values[4]) == 2.0f);
  CHECK(values[5] == 0x8000000000000001u);

  tn_wire_field cut = {.type = TN_WIRE_BYTES, .bytes = BYTES("\x01\x80")};
  CHECK(!tn_wire_each(&cut, TN_WIRE_VARINT, collect, &(uint64_t*){values}));
  CHECK(!tn_wire_each(&cut, TN_WIRE_FIXED32, collect, &(uint64_t*){values}));
  tn_wire_field other = {.type = TN_WIRE_FIXED64};
  CHECK(!tn_wire_each(&other, TN_WIRE_VARINT, collect, &(uint64_t*){values}));
}

static void sum(uint64_t value, void* arg) { *(uint64_t*)arg += value; }

TEST(test_random_bytes_are_read_within_their_bounds) {
  uint64_t random = test_seed(), total = 0;
  for (int round = 0; round < 20000; ++round) {
    size_t size = (size_t)test_between(&random, 0, 40);
    char* bytes =
        malloc(size ? size : 1);  // of exact size, so that a sanitizer sees every step too far
    for (size_t i = 0; i < size; ++i)
      bytes[i] = (char)(test_between(&random, 0, 2) ? test_between(&random, 0, 24)
                                                    : test_between(&random, 0, 255));
    tn_wire_reader reader = tn_wire_read((tn_view){bytes, size});
    tn_wire_field field;
    size_t read = 0;
    while (tn_wire_next(&reader, &field)) {
      CHECK(++read <= size);
      for (size_t i = 0; i < field.bytes.size; ++i) total += (unsigned char)field.bytes.data[i];
      tn_wire_each(&field, TN_WIRE_VARINT, sum, &total);
      tn_wire_each(&field, TN_WIRE_FIXED32, sum, &total);
      tn_wire_each(&field, TN_WIRE_FIXED64, sum, &total);
    }
    CHECK(reader.bad || reader.at == reader.end);
    free(bytes);
  }
}

static bool write_message(void* arg, tn_status* status) {
  tn_text out = {0};
  size_t nested = tn_wire_begin(&out, 1);
  for (uint32_t i = 1; i < 50; ++i) tn_wire_put_bytes(&out, i, tn_view_of("some bytes"));
  tn_wire_end(&out, nested);
  bool failed = out.failed;
  CHECK(failed || readable(tn_text_view(&out)));
  if (failed) tn_status_set_no_memory(status, "writing a message");
  tn_text_deinit(&out);
  return !failed;
}

TEST(test_writing_without_memory_shows_in_the_text) {
  CHECK(test_sweep_allocations(write_message, NULL) > 3);
}
