#include "abi/pjrt_history.h"
#include "harness.h"
#include "pjrt/host/sizes.h"

static tn_pjrt view_of(int minor, int as_host) {
  tn_pjrt view = {.minor = minor, .host_minor = as_host ? as_host : TN_PJRT_NEWEST};
  tn_pjrt_sizes_init(&view, as_host != 0);
  return view;
}

#define SENT(view, TYPE) ((int)TN_PJRT_SIZE_OF(&(view), TYPE))

TEST(test_plugins_that_compare_for_equality_get_the_sizes_of_their_day) {
  tn_pjrt view = view_of(28, 0);
  CHECK_INT(SENT(view, PJRT_Client_Create_Args), 72);
  CHECK_INT(SENT(view, PJRT_ExecuteOptions), 52);
  // Constants that said less than there was.
  CHECK_INT(SENT(view, PJRT_Plugin_Attributes_Args), 24);
  CHECK_INT(SENT(view, PJRT_Device_AddressableMemories_Args), 32);
  CHECK_INT(SENT(view, PJRT_Executable_Fingerprint_Args), 0);  // 0.35
  view = view_of(34, 0);
  CHECK_INT(SENT(view, PJRT_ExecuteOptions), 52);
  CHECK_INT(SENT(view, PJRT_Client_CreateViewOfDeviceBuffer_Args), 104);
}

TEST(test_later_plugins_get_where_the_newest_structs_end) {
  for (int minor = 35; minor <= 130; ++minor) {
    if (minor == TN_PJRT_ODD) continue;
    const tn_pjrt view = view_of(minor, 0);
    CHECK_INT(SENT(view, PJRT_Client_Create_Args), 88);
    CHECK_INT(SENT(view, PJRT_ExecuteOptions), 160);
    CHECK_INT(SENT(view, PJRT_Plugin_Attributes_Args), 32);
    CHECK_INT(SENT(view, PJRT_Client_CreateErrorBuffer_Args), 120);
  }
}

TEST(test_a_host_of_another_number_sends_what_its_framework_sent) {
  tn_pjrt view = view_of(114, 40);
  CHECK_INT(SENT(view, PJRT_ExecuteOptions), 52);  // the constant of 0.39 to 0.45
  CHECK_INT(SENT(view, PJRT_Plugin_Attributes_Args), 24);
  CHECK_INT(SENT(view, PJRT_Client_Create_Args), 72);
  CHECK_INT(SENT(view, PJRT_Executable_GetCompiledMemoryStats_Args), 64);
  CHECK_INT(SENT(view, PJRT_Client_CreateErrorBuffer_Args), 0);
  view = view_of(34, 60);
  CHECK_INT(SENT(view, PJRT_ExecuteOptions), 72);
  view = view_of(90, 115);
  CHECK_INT(SENT(view, PJRT_ExecuteOptions), 144);
  CHECK_INT(SENT(view, PJRT_Client_CreateErrorBuffer_Args), 112);
  view = view_of(90, 116);
  CHECK_INT(SENT(view, PJRT_ExecuteOptions), 160);
  CHECK_INT(SENT(view, PJRT_Client_CreateErrorBuffer_Args), 112);
  view = view_of(90, 117);
  CHECK_INT(SENT(view, PJRT_Client_CreateErrorBuffer_Args), 120);
}

TEST(test_a_field_is_had_when_both_sides_have_it) {
  tn_pjrt view = view_of(96, 0);
  CHECK(TN_PJRT_HAS_FIELD(&view, PJRT_ExecuteOptions, call_location));
  CHECK(!TN_PJRT_HAS_FIELD(&view, PJRT_ExecuteOptions, multi_slice_config));  // 0.97
  view = view_of(97, 0);
  CHECK(TN_PJRT_HAS_FIELD(&view, PJRT_ExecuteOptions, multi_slice_config));
  view = view_of(97, 90);
  CHECK(!TN_PJRT_HAS_FIELD(&view, PJRT_ExecuteOptions, multi_slice_config));
  view = view_of(130, 0);
  CHECK(TN_PJRT_HAS_FIELD(&view, PJRT_ExecuteOptions, num_custom_options));
}

TEST(test_arguments_are_zero_beyond_what_was_set) {
  const tn_pjrt view = view_of(90, 0);
  TN_PJRT_ARGS(&view, PJRT_Device_MemoryStats_Args, args, .bytes_in_use = 5);
  CHECK_INT(args->struct_size, PJRT_Device_MemoryStats_Args_STRUCT_SIZE);
  CHECK_INT(args->bytes_in_use, 5);
  for (size_t i = PJRT_Device_MemoryStats_Args_STRUCT_SIZE; i < sizeof args_room; ++i)
    CHECK_INT(args_room.room[i], 0);
  CHECK(sizeof args_room >= PJRT_Device_MemoryStats_Args_STRUCT_SIZE + 256);
}

TEST(test_no_number_sends_more_than_the_host_has_room_for) {
  static const uint16_t newest[] = {
#define SIZE(entry) entry##_Args_STRUCT_SIZE,
      TN_PJRT_ENTRIES(SIZE)
#undef SIZE
#define SIZE(type) type##_STRUCT_SIZE,
          TN_PJRT_INNER_STRUCTS(SIZE)
#undef SIZE
  };
  for (int minor = TN_PJRT_OLDEST; minor <= TN_PJRT_NEWEST; ++minor) {
    if (minor == TN_PJRT_ODD) continue;
    const tn_pjrt view = view_of(90, minor), of = view_of(minor, 0);
    for (int i = 0; i < TN_PJRT_STRUCT_COUNT; ++i) {
      CHECK(view.sizes[i] <= newest[i] && of.their_ends[i] <= newest[i]);
      CHECK(view.sizes[i] <= of.their_ends[i] && !view.sizes[i] == !of.their_ends[i]);
    }
  }
}
