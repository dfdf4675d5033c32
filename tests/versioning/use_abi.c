// Every macro of tenon/abi.h as an author uses it, compiled as C11 and as C++17 and run: ends with
// 0 when all is as the header says. With a WRONG_ macro it must not compile.

#include <stdio.h>
#include <string.h>

#include "tenon/abi.h"

typedef struct My_Device {
  size_t struct_size;
  void* ext;
  const char* name;
  int counts[2];
  void* data TN_DEPRECATED("since 4: use flag");
  char flag;
} My_Device;
TN_DEFINE_STRUCT_SIZE(My_Device, flag);

// In the manner of TensorFlow's headers, which have a macro in capitals.
typedef struct Their_Device {
  size_t struct_size;
  void* next;
  double number;
  char last;
} Their_Device;
TN_ASSERT_ALIGNMENT(Their_Device);

#ifdef WRONG_ALIGNMENT
typedef struct Wide {
  size_t struct_size;
  long double number;
} Wide;
TN_DEFINE_STRUCT_SIZE(Wide, number);
#endif
#ifdef WRONG_ORDER
typedef struct Late {
  void* ext;
  size_t struct_size;
} Late;
TN_DEFINE_STRUCT_SIZE(Late, struct_size);
#endif

static int failures;
#define EXPECT(what)                                            \
  do {                                                          \
    if (!(what)) {                                              \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
      ++failures;                                               \
    }                                                           \
  } while (0)

static int text_is(const char* text, const char* wanted) {
  return wanted ? text && strcmp(text, wanted) == 0 : !text;
}

// The seed asks whether the size is greater than the field's offset, which a struct that ends
// inside of the field passes. TN_HAS wants all of it.
static void a_field_is_there_when_all_of_it_is(void) {
  My_Device device = TN_INIT(My_Device);
  const size_t begin = offsetof(My_Device, counts), end = TF_OFFSET_OF_END(My_Device, counts);
  EXPECT(end - begin == 2 * sizeof(int));
  for (size_t size = 0; size <= My_Device_STRUCT_SIZE; ++size) {
    device.struct_size = size;
    EXPECT(TN_HAS(&device, counts) == (size >= end));
    const int by_the_seed = device.struct_size > offsetof(My_Device, counts);
    EXPECT((by_the_seed && !TN_HAS(&device, counts)) == (size > begin && size < end));
  }
}

static void what_is_made_is_zero_but_for_its_size(void) {
  My_Device device = TN_INIT(My_Device);
  EXPECT(device.struct_size == My_Device_STRUCT_SIZE);
  EXPECT(My_Device_STRUCT_SIZE == TF_OFFSET_OF_END(My_Device, flag));
  // Padding is not announced: a field that is appended there later is not one that this side set.
  EXPECT(My_Device_STRUCT_SIZE < sizeof(My_Device));
  EXPECT(!device.ext && !device.name && !device.counts[0] && !device.counts[1] && !device.flag);
  memset(&device, 0x55, sizeof device);
  device = TN_INIT_TO(My_Device, name);
  EXPECT(device.struct_size == TF_OFFSET_OF_END(My_Device, name) && !device.name && !device.flag);
  EXPECT(TN_HAS(&device, name) && !TN_HAS(&device, counts));
  const Their_Device theirs = TN_INIT_TO(Their_Device, last);
  EXPECT(theirs.struct_size == 25 && !theirs.next && theirs.number == 0);
}

static void a_reserved_word_is_there_and_null(void) {
  My_Device device = TN_INIT(My_Device);
  const My_Device* given = &device;
  EXPECT(text_is(TN_CHECK_RESERVED(given, ext), NULL));
  device.ext = &device;
  EXPECT(text_is(TN_CHECK_RESERVED(given, ext), "the reserved word ext is set; it must be null"));
  device.struct_size = offsetof(My_Device, ext) + 1;
  EXPECT(text_is(TN_CHECK_RESERVED(given, ext), "struct_size ends before the reserved word ext"));
}

#ifdef USE_DEPRECATED
void* use_deprecated(const My_Device* device);
void* use_deprecated(const My_Device* device) { return device->data; }
#endif

int main(void) {
  a_field_is_there_when_all_of_it_is();
  what_is_made_is_zero_but_for_its_size();
  a_reserved_word_is_there_and_null();
  return failures != 0;
}
