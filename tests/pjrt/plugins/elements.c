// Elements: their sizes, one more than each of them, and copies between arrangements.

#include <math.h>
#include <string.h>

#include "parts.h"
#include "xla/pjrt/c/pjrt_c_api.h"

size_t element_bytes(int type) {
  switch (type) {
    case PJRT_Buffer_Type_INVALID:
    case PJRT_Buffer_Type_TOKEN: return 0;
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16:
    case PJRT_Buffer_Type_F16:
    case PJRT_Buffer_Type_BF16: return 2;
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
    case PJRT_Buffer_Type_F32: return 4;
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
    case PJRT_Buffer_Type_F64:
    case PJRT_Buffer_Type_C64: return 8;
    case PJRT_Buffer_Type_C128: return 16;
    default: return type > 0 && type < element_types(PJRT_API_MINOR) ? 1 : 0;
  }
}

int element_types(int minor) {
  return minor >= 114  ? PJRT_Buffer_Type_F6E3M2FN + 1
         : minor >= 94 ? PJRT_Buffer_Type_U1 + 1
         : minor >= 63 ? PJRT_Buffer_Type_F4E2M1FN + 1
         : minor >= 55 ? PJRT_Buffer_Type_F8E3M4 + 1
         : minor >= 53 ? PJRT_Buffer_Type_U2 + 1
         : minor >= 50 ? PJRT_Buffer_Type_TOKEN + 1
                       : PJRT_Buffer_Type_U4 + 1;
}

size_t element_count(const int64_t* dims, size_t rank) {
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)dims[i];
  return count;
}

void dense_strides(const int64_t* dims, size_t rank, const int64_t* minor_to_major, size_t element,
                   int64_t* strides) {
  int64_t stride = (int64_t)element;
  for (size_t i = 0; i < rank; ++i) {
    size_t dim = minor_to_major ? (size_t)minor_to_major[i] : rank - 1 - i;
    strides[dim] = stride;
    stride *= dims[dim];
  }
}

void strided_copy(char* to, const int64_t* to_strides, const char* from,
                  const int64_t* from_strides, const int64_t* dims, size_t rank, size_t element) {
  int64_t at[MOST_DIMS] = {0};
  for (size_t left = element_count(dims, rank); left > 0; --left) {
    int64_t to_offset = 0, from_offset = 0;
    for (size_t i = 0; i < rank; ++i) {
      to_offset += at[i] * to_strides[i];
      from_offset += at[i] * from_strides[i];
    }
    memcpy(to + to_offset, from + from_offset, element);
    for (size_t i = rank; i-- > 0 && ++at[i] == dims[i];) at[i] = 0;
  }
}

// ------------------------------ Floats of a byte and less ------------------------------

typedef struct {
  int type, exponent_bits, mantissa_bits, bias;
  enum { WITH_INFINITY, ONE_NAN, NEGATIVE_ZERO_NAN, FINITE, EXPONENT_ONLY } special;
} small_float;

static const small_float small_floats[] = {
    {PJRT_Buffer_Type_F8E5M2, 5, 2, 15, WITH_INFINITY},
    {PJRT_Buffer_Type_F8E4M3FN, 4, 3, 7, ONE_NAN},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, 4, 3, 11, NEGATIVE_ZERO_NAN},
    {PJRT_Buffer_Type_F8E5M2FNUZ, 5, 2, 16, NEGATIVE_ZERO_NAN},
    {PJRT_Buffer_Type_F8E4M3FNUZ, 4, 3, 8, NEGATIVE_ZERO_NAN},
    {PJRT_Buffer_Type_F8E4M3, 4, 3, 7, WITH_INFINITY},
    {PJRT_Buffer_Type_F8E3M4, 3, 4, 3, WITH_INFINITY},
    {PJRT_Buffer_Type_F8E8M0FNU, 8, 0, 127, EXPONENT_ONLY},
    {PJRT_Buffer_Type_F4E2M1FN, 2, 1, 1, FINITE},
    {PJRT_Buffer_Type_F6E2M3FN, 2, 3, 1, FINITE},
    {PJRT_Buffer_Type_F6E3M2FN, 3, 2, 3, FINITE},
};

static double small_float_value(const small_float* f, unsigned bits) {
  if (f->special == EXPONENT_ONLY) return bits == 255 ? NAN : ldexp(1, (int)bits - f->bias);
  unsigned mantissa = bits & ((1u << f->mantissa_bits) - 1);
  unsigned exponent = (bits >> f->mantissa_bits) & ((1u << f->exponent_bits) - 1);
  bool negative = (bits >> (f->mantissa_bits + f->exponent_bits)) & 1;
  bool top = exponent == (1u << f->exponent_bits) - 1;
  if (f->special == WITH_INFINITY && top) return mantissa ? NAN : negative ? -INFINITY : INFINITY;
  if (f->special == ONE_NAN && top && mantissa == (1u << f->mantissa_bits) - 1) return NAN;
  if (f->special == NEGATIVE_ZERO_NAN && negative && !exponent && !mantissa) return NAN;
  double value = exponent ? ldexp((double)(mantissa + (1u << f->mantissa_bits)),
                                  (int)exponent - f->bias - f->mantissa_bits)
                          : ldexp((double)mantissa, 1 - f->bias - f->mantissa_bits);
  return negative ? -value : value;
}

// The nearest, of two the even one. What is beyond the largest by half a step or more is infinite,
// or NaN without infinities; where there is neither it is the largest.
static unsigned small_float_bits(const small_float* f, double value) {
  int width = f->special == EXPONENT_ONLY ? 8 : 1 + f->exponent_bits + f->mantissa_bits;
  unsigned best = 0;
  double distance = INFINITY, largest = 0, second = 0;
  for (unsigned bits = 0; bits < 1u << width; ++bits) {
    double here = small_float_value(f, bits), d = fabs(here - value);
    if (isnan(here) || isinf(here)) continue;
    if (here > largest) second = largest, largest = here;
    bool wins_tie = f->special == EXPONENT_ONLY || !(bits & 1);
    if (d < distance || (d == distance && wins_tie)) best = bits, distance = d;
  }
  bool is_beyond = fabs(value) >= largest + (largest - second) / 2;
  if (isnan(value) || (is_beyond && f->special != FINITE)) {
    for (unsigned bits = 0; bits < 1u << width; ++bits) {
      double here = small_float_value(f, bits);
      if (!isnan(value) && f->special == WITH_INFINITY ? isinf(here) && here * value > 0
                                                       : isnan(here))
        return bits;
    }
  }
  return best;
}

// ------------------------------ One more ------------------------------

static float bf16_value(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t bf16_bits(float value) {
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  if (isnan(value)) return (uint16_t)(wide >> 16 | 0x40);
  return (uint16_t)((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

static double f16_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                 : exponent     ? ldexp(mantissa + 1024, exponent - 25)
                                : ldexp(mantissa, -24);
  return bits >> 15 ? -value : value;
}

static uint16_t f16_bits(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value)) return sign | 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size < ldexp(1, -14)) return sign | (uint16_t)rint(ldexp(size, 24));
  int exponent;
  double mantissa = rint(ldexp(frexp(size, &exponent), 11));
  // A mantissa that was rounded up to the next power carries into the exponent.
  return (uint16_t)(sign + ((exponent + 14) << 10) + (int)mantissa - 1024);
}

// An integer of `bits` in a byte of its own, with its sign extended where it has one.
static uint8_t narrow_add_one(uint8_t value, int bits, bool is_signed) {
  unsigned mask = (1u << bits) - 1, sum = (value + 1u) & mask;
  return (uint8_t)(is_signed && sum >> (bits - 1) ? sum | ~mask : sum);
}

#define ADD_ONE(type)                                    \
  for (size_t i = 0; i < count; ++i) {                   \
    type value;                                          \
    memcpy(&value, (const type*)from + i, sizeof value); \
    value = (type)(value + 1);                           \
    memcpy((type*)to + i, &value, sizeof value);         \
  }                                                      \
  return

void element_add_one(int type, const void* from, void* to, size_t count) {
  switch (type) {
    case PJRT_Buffer_Type_PRED:
      for (size_t i = 0; i < count; ++i) ((uint8_t*)to)[i] = 1;
      return;
    case PJRT_Buffer_Type_S8:
    case PJRT_Buffer_Type_U8: ADD_ONE(uint8_t);
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16: ADD_ONE(uint16_t);
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32: ADD_ONE(uint32_t);
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64: ADD_ONE(uint64_t);
    case PJRT_Buffer_Type_F16:
      for (size_t i = 0; i < count; ++i)
        ((uint16_t*)to)[i] = f16_bits(f16_value(((const uint16_t*)from)[i]) + 1);
      return;
    case PJRT_Buffer_Type_F32: ADD_ONE(float);
    case PJRT_Buffer_Type_F64: ADD_ONE(double);
    case PJRT_Buffer_Type_BF16:
      for (size_t i = 0; i < count; ++i)
        ((uint16_t*)to)[i] = bf16_bits(bf16_value(((const uint16_t*)from)[i]) + 1);
      return;
    case PJRT_Buffer_Type_C64:
      if (to != from) memcpy(to, from, count * 8);
      for (size_t i = 0; i < count; ++i) ((float*)to)[2 * i] += 1;
      return;
    case PJRT_Buffer_Type_C128:
      if (to != from) memcpy(to, from, count * 16);
      for (size_t i = 0; i < count; ++i) ((double*)to)[2 * i] += 1;
      return;
    default: break;
  }
  int bits = type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4   ? 4
             : type == PJRT_Buffer_Type_S2 || type == PJRT_Buffer_Type_U2 ? 2
             : type == PJRT_Buffer_Type_S1 || type == PJRT_Buffer_Type_U1 ? 1
                                                                          : 0;
  bool is_signed =
      type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_S2 || type == PJRT_Buffer_Type_S1;
  const small_float* f = NULL;
  for (size_t i = 0; i < sizeof small_floats / sizeof *small_floats; ++i)
    if (small_floats[i].type == type) f = &small_floats[i];
  for (size_t i = 0; i < count; ++i) {
    uint8_t value = ((const uint8_t*)from)[i];
    ((uint8_t*)to)[i] = bits ? narrow_add_one(value, bits, is_signed)
                        : f  ? (uint8_t)small_float_bits(f, small_float_value(f, value) + 1)
                             : value;
  }
}
