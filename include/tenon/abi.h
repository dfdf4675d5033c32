// Structs that cross a boundary between releases, for authors of plugins and of hosts. Such a
// struct begins with `size_t struct_size`, grows only at its end, and announces in struct_size
// where the last field ends that its writer knows. docs/versioning.md has the rules and what
// becomes of each pair of an older and a newer side.
//
//   typedef struct My_Device {
//     size_t struct_size;
//     void* ext;
//     const char* name;
//     void* data TN_DEPRECATED("since 4: use data2");
//     void* data2;
//   } My_Device;
//   TN_DEFINE_STRUCT_SIZE(My_Device, data2);
//
//   My_Device device = TN_INIT(My_Device);
//   const char* wrong = TN_CHECK_RESERVED(given, ext);
//   if (TN_HAS(given, data2) && given->data2) use(given->data2);
//
// Nothing here has a symbol: a plugin needs the header alone. Valid in C11 and C++17.
#ifndef TENON_ABI_H_
#define TENON_ABI_H_

#include <stddef.h>

// Where MEMBER ends in TYPE: the struct's size when MEMBER was its last field, padding not counted.
//   since 0.1
#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE*)0)->MEMBER))
#endif

// True when the struct that `ptr` points to has the whole of `field`; the only way a versioned
// field is read. A field that struct_size cuts in two is not there. That it is there does not say
// that it is set: look at a pointer before following it.  since 0.1
#define TN_HAS(ptr, field) \
  ((ptr)->struct_size >= (size_t)((const char*)(&(ptr)->field + 1) - (const char*)(ptr)))

// Says which field of TYPE is the last: stands once behind the struct, and moves with every field
// that is appended. Defines the constant TYPE_STRUCT_SIZE (PJRT's headers have the same ones), and
// does not compile where struct_size does not come first or TYPE needs an alignment over 8.
//   since 0.1
#define TN_DEFINE_STRUCT_SIZE(TYPE, LAST)                                                        \
  enum { TYPE##_STRUCT_SIZE = TF_OFFSET_OF_END(TYPE, LAST) };                                    \
  TN_STATIC_ASSERT_(offsetof(TYPE, struct_size) == 0, #TYPE " does not begin with struct_size"); \
  TN_ASSERT_ALIGNMENT(TYPE)

// A TYPE in which everything is zero but struct_size, to initialise with or to assign inside
// functions. Needs TYPE_STRUCT_SIZE.  since 0.1
#define TN_INIT(TYPE) TN_INIT_(TYPE, TYPE##_STRUCT_SIZE)
// The same for a struct without that constant, as TensorFlow's: LAST is the last field that this
// source knows of, whatever a newer header appends.  since 0.1
#define TN_INIT_TO(TYPE, LAST) TN_INIT_(TYPE, TF_OFFSET_OF_END(TYPE, LAST))

// Behind a member or a function's declaration: do not use it, for the reason that the text gives
// ("since 4: use data2"). `tenon abi check` reports it as deprecated, with the text. Compilers say
// nothing, as a host must go on reading such a member for old plugins; define TN_WARN_DEPRECATED
// before including the header to be warned of every use, as an author of plugins may want to be.
//   since 0.1
#if defined(TN_WARN_DEPRECATED) && defined(__GNUC__)
#define TN_DEPRECATED(text) __attribute__((deprecated(text)))
#elif defined(__clang__)
#define TN_DEPRECATED(text) __attribute__((annotate("deprecated: " text)))
#else
#define TN_DEPRECATED(text)
#endif

// What is wrong with a reserved word (`ext` or its like) of the struct that `ptr` points to:
// NULL when it is there and null, else a text to go into a status. A word that is set asks for
// something that this side does not know, so it is refused rather than ignored.  since 0.1
#define TN_CHECK_RESERVED(ptr, field)                                           \
  (!TN_HAS(ptr, field) ? "struct_size ends before the reserved word " #field    \
   : (ptr)->field      ? "the reserved word " #field " is set; it must be null" \
                       : (const char*)NULL)

// Does not compile where TYPE needs an alignment over 8, the most that sides of different ages
// agree on.  since 0.1
#define TN_ASSERT_ALIGNMENT(TYPE) \
  TN_STATIC_ASSERT_(TN_ALIGNOF_(TYPE) <= 8, #TYPE " needs an alignment over 8 bytes")

// What C and C++ write differently.
#ifdef __cplusplus
#define TN_STATIC_ASSERT_ static_assert
#define TN_ALIGNOF_ alignof
#define TN_INIT_(TYPE, SIZE)    \
  ([]() -> TYPE {               \
    TYPE tn_made = TYPE();      \
    tn_made.struct_size = SIZE; \
    return tn_made;             \
  }())
#else
#define TN_STATIC_ASSERT_ _Static_assert
#define TN_ALIGNOF_ _Alignof
#define TN_INIT_(TYPE, SIZE) ((TYPE){.struct_size = (SIZE)})
#endif

#endif  // TENON_ABI_H_
