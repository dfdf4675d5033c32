// Element types: the DT_ names, and the way between them and C++ types.
#ifndef TENON_TYPES_HPP_
#define TENON_TYPES_HPP_

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/strings.hpp"
#include "tenon/tstring.hpp"
#include "tensorflow/c/tf_datatype.h"

namespace tenon {

using std::string;
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using uint64 = uint64_t;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

enum DataType : int {
  DT_INVALID = 0,
  DT_FLOAT = TF_FLOAT,
  DT_DOUBLE = TF_DOUBLE,
  DT_INT32 = TF_INT32,
  DT_UINT8 = TF_UINT8,
  DT_INT16 = TF_INT16,
  DT_INT8 = TF_INT8,
  DT_STRING = TF_STRING,
  DT_COMPLEX64 = TF_COMPLEX64,
  DT_INT64 = TF_INT64,
  DT_BOOL = TF_BOOL,
  DT_QINT8 = TF_QINT8,
  DT_QUINT8 = TF_QUINT8,
  DT_QINT32 = TF_QINT32,
  DT_BFLOAT16 = TF_BFLOAT16,
  DT_QINT16 = TF_QINT16,
  DT_QUINT16 = TF_QUINT16,
  DT_UINT16 = TF_UINT16,
  DT_COMPLEX128 = TF_COMPLEX128,
  DT_HALF = TF_HALF,
  DT_RESOURCE = TF_RESOURCE,
  DT_VARIANT = TF_VARIANT,
  DT_UINT32 = TF_UINT32,
  DT_UINT64 = TF_UINT64,
};
using DataTypeVector = std::vector<DataType>;

// What a device is called in Name("X").Device(...).
inline constexpr const char* DEVICE_DEFAULT = "DEFAULT";
inline constexpr const char* DEVICE_CPU = "CPU";
inline constexpr const char* DEVICE_GPU = "GPU";

enum MemoryType { DEVICE_MEMORY = 0, HOST_MEMORY = 1 };

template <typename T>
struct DataTypeToEnum;  // no such element type unless it is specialised

template <DataType kType>
struct EnumToDataType;

#define TN_CXX_TYPE(type, enumerator)                 \
  template <>                                         \
  struct DataTypeToEnum<type> {                       \
    static constexpr DataType value = enumerator;     \
    static constexpr DataType v() { return value; }   \
    static constexpr DataType ref() { return value; } \
  };                                                  \
  template <>                                         \
  struct EnumToDataType<enumerator> {                 \
    using Type = type;                                \
  };
TN_CXX_TYPE(float, DT_FLOAT)
TN_CXX_TYPE(double, DT_DOUBLE)
TN_CXX_TYPE(int32_t, DT_INT32)
TN_CXX_TYPE(uint8_t, DT_UINT8)
TN_CXX_TYPE(int16_t, DT_INT16)
TN_CXX_TYPE(int8_t, DT_INT8)
TN_CXX_TYPE(tstring, DT_STRING)
TN_CXX_TYPE(complex64, DT_COMPLEX64)
TN_CXX_TYPE(int64_t, DT_INT64)
TN_CXX_TYPE(bool, DT_BOOL)
TN_CXX_TYPE(uint16_t, DT_UINT16)
TN_CXX_TYPE(complex128, DT_COMPLEX128)
TN_CXX_TYPE(uint32_t, DT_UINT32)
TN_CXX_TYPE(uint64_t, DT_UINT64)

inline std::string DataTypeString(DataType type) {
  switch (type) {
    case DT_FLOAT: return "float";
    case DT_DOUBLE: return "double";
    case DT_INT32: return "int32";
    case DT_UINT8: return "uint8";
    case DT_INT16: return "int16";
    case DT_INT8: return "int8";
    case DT_STRING: return "string";
    case DT_COMPLEX64: return "complex64";
    case DT_INT64: return "int64";
    case DT_BOOL: return "bool";
    case DT_BFLOAT16: return "bfloat16";
    case DT_UINT16: return "uint16";
    case DT_COMPLEX128: return "complex128";
    case DT_HALF: return "half";
    case DT_RESOURCE: return "resource";
    case DT_VARIANT: return "variant";
    case DT_UINT32: return "uint32";
    case DT_UINT64: return "uint64";
    default: return strings::StrCat("type ", int(type));
  }
}

// Bytes of one element as it lies in a tensor; 0 for resources, variants and unknown types. Known
// here for the common ones: a call of the host would be most of the work.
inline size_t DataTypeSize(DataType type) {
  switch (type) {
    case DT_BOOL:
    case DT_INT8:
    case DT_UINT8:
    case DT_QINT8:
    case DT_QUINT8: return 1;
    case DT_INT16:
    case DT_UINT16:
    case DT_QINT16:
    case DT_QUINT16:
    case DT_HALF:
    case DT_BFLOAT16: return 2;
    case DT_FLOAT:
    case DT_INT32:
    case DT_UINT32:
    case DT_QINT32: return 4;
    case DT_DOUBLE:
    case DT_INT64:
    case DT_UINT64:
    case DT_COMPLEX64: return 8;
    case DT_COMPLEX128: return 16;
    case DT_STRING: return sizeof(tstring);
    default: return TF_DataTypeSize(static_cast<TF_DataType>(type));
  }
}

// Lists of types for registration macros: TF_CALL_float(REGISTER) is REGISTER(float).
#define TF_CALL_float(m) m(float)
#define TF_CALL_double(m) m(double)
#define TF_CALL_int32(m) m(::tenon::int32)
#define TF_CALL_uint8(m) m(::tenon::uint8)
#define TF_CALL_int16(m) m(::tenon::int16)
#define TF_CALL_int8(m) m(::tenon::int8)
#define TF_CALL_tstring(m) m(::tenon::tstring)
#define TF_CALL_complex64(m) m(::tenon::complex64)
#define TF_CALL_int64(m) m(::tenon::int64)
#define TF_CALL_bool(m) m(bool)
#define TF_CALL_uint16(m) m(::tenon::uint16)
#define TF_CALL_complex128(m) m(::tenon::complex128)
#define TF_CALL_uint32(m) m(::tenon::uint32)
#define TF_CALL_uint64(m) m(::tenon::uint64)
#define TF_CALL_INTEGRAL_TYPES(m)                                                         \
  TF_CALL_uint64(m) TF_CALL_int64(m) TF_CALL_uint32(m) TF_CALL_int32(m) TF_CALL_uint16(m) \
      TF_CALL_int16(m) TF_CALL_uint8(m) TF_CALL_int8(m)
// Without half and bfloat16, which tenon/eigen.hpp knows.
#define TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_INTEGRAL_TYPES(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_NUMBER_TYPES(m) \
  TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_complex64(m) TF_CALL_complex128(m)
#define TF_CALL_POD_TYPES(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_bool(m)
#define TF_CALL_ALL_TYPES(m) TF_CALL_POD_TYPES(m) TF_CALL_tstring(m)

}  // namespace tenon
#endif  // TENON_TYPES_HPP_
