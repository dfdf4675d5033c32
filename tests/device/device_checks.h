// What every device can do, whatever plugin it comes with.
#ifndef TENON_TESTS_DEVICE_DEVICE_CHECKS_H_
#define TENON_TESTS_DEVICE_DEVICE_CHECKS_H_

#include "harness.h"
#include "tenon/tenon.h"

static inline void count_call(void* arg) { ++*(int*)arg; }

static inline void check_streams(tn_device* device) {
  tn_status status = {0};
  int calls = 0;
  tn_stream *a = tn_stream_create(device, &status), *b = tn_stream_create(device, &status);
  CHECK_OK(&status);
  CHECK(tn_stream_device(a) == device);
  CHECK(tn_stream_call(a, count_call, &calls, &status));
  tn_event* event = tn_event_record(a, &status);
  CHECK(tn_stream_wait_for_event(b, event, &status) && tn_stream_depend(a, b, &status));
  CHECK(tn_stream_call(b, count_call, &calls, &status));
  CHECK(tn_stream_wait(b, 0, &status) && tn_stream_wait(a, 1000, &status));
  CHECK(tn_event_wait(event, 0, &status) && tn_event_wait(event, 1000, &status));
  CHECK_INT(tn_event_poll(event, &status), 1);
  CHECK(tn_device_wait(device, &status));
  CHECK_INT(calls, 2);
  tn_timer* timer = tn_timer_start(a, &status);
  CHECK(tn_timer_stop(timer, &status) >= 0);
  CHECK_OK(&status);
  tn_timer_destroy(timer);
  tn_event_destroy(event);
  tn_timer* longer[] = {tn_timer_start(a, &status), tn_timer_start(a, &status)};
  CHECK_OK(&status);
  tn_stream_destroy(a);
  tn_stream_destroy(b);
  CHECK_INT(tn_timer_stop(longer[0], &status), -1);
  CHECK_CONTAINS(tn_status_message(&status), "the timer's stream was destroyed");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  tn_timer_destroy(longer[1]);
  tn_timer_destroy(longer[0]);
}

static inline void check_memory(tn_device* device, tn_memory_kind kind) {
  tn_status status = {0};
  tn_stream* stream = tn_device_stream(device, &status);
  const int64_t dims[] = {3, 5};
  uint32_t seen[15], sent[15];
  for (uint32_t i = 0; i < 15; ++i) sent[i] = i * 7;
  tn_tensor* tensor = tn_tensor_create_on(device, kind, TN_UINT32, dims, 2, &status);
  CHECK_OK(&status);
  CHECK(tn_tensor_fill_words(tensor, 0x12345678, stream, &status));
  CHECK(tn_tensor_read(tensor, seen, sizeof seen, &status));
  CHECK(seen[0] == 0x12345678 && seen[14] == 0x12345678);
  CHECK(tn_tensor_fill_bytes(tensor, 0, stream, &status));
  CHECK(tn_tensor_read(tensor, seen, sizeof seen, &status) && seen[7] == 0);
  CHECK(tn_tensor_fill_bytes(tensor, 0xab, stream, &status));
  CHECK(tn_tensor_read(tensor, seen, sizeof seen, &status) && seen[7] == 0xabababab);
  CHECK(tn_tensor_write(tensor, sent, sizeof sent, &status));
  CHECK(tn_tensor_read(tensor, seen, sizeof seen, &status));
  CHECK(memcmp(seen, sent, sizeof seen) == 0);
  tn_tensor* there = tn_tensor_to_stream(tensor, stream, &status);
  tn_tensor* home = tn_tensor_to_host(there, &status);
  CHECK_OK(&status);
  CHECK(memcmp(tn_tensor_data(home), sent, sizeof sent) == 0);
  tn_tensor_destroy(home);
  tn_tensor_destroy(there);
  tn_tensor_destroy(tensor);
}

#endif  // TENON_TESTS_DEVICE_DEVICE_CHECKS_H_
