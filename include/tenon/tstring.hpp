// tstring: an element of a string tensor, as a C++ value. Its bytes are a TF_TString's.
#ifndef TENON_TSTRING_HPP_
#define TENON_TSTRING_HPP_

#include <ostream>
#include <string>
#include <string_view>

#include "tensorflow/core/platform/ctstring.h"

namespace tenon {

class tstring {
 public:
  static constexpr size_t npos = static_cast<size_t>(-1);
  using value_type = char;
  using iterator = const char*;
  using const_iterator = const char*;

  tstring() { TF_TString_Init(&text_); }
  tstring(std::string_view text) : tstring(text.data(), text.size()) {}
  tstring(const std::string& text) : tstring(text.data(), text.size()) {}
  tstring(const char* text) : tstring(std::string_view(text)) {}
  tstring(const char* text, size_t size) : tstring() { TF_TString_Copy(&text_, text, size); }
  tstring(size_t size, char c) : tstring() { TF_TString_Resize(&text_, size, c); }
  tstring(const tstring& other) : tstring() { TF_TString_Assign(&text_, &other.text_); }
  tstring(tstring&& other) noexcept : tstring() { TF_TString_Move(&text_, &other.text_); }
  ~tstring() { TF_TString_Dealloc(&text_); }

  tstring& operator=(const tstring& other) {
    TF_TString_Assign(&text_, &other.text_);
    return *this;
  }
  tstring& operator=(tstring&& other) noexcept {
    TF_TString_Move(&text_, &other.text_);
    return *this;
  }
  tstring& operator=(std::string_view text) { return assign(text.data(), text.size()); }
  tstring& operator=(const std::string& text) { return assign(text.data(), text.size()); }
  tstring& operator=(const char* text) { return *this = std::string_view(text); }
  tstring& assign(const char* text, size_t size) {
    TF_TString_Copy(&text_, text, size);
    return *this;
  }
  // `text` must outlive the string.
  void assign_as_view(std::string_view text) {
    TF_TString_AssignView(&text_, text.data(), text.size());
  }

  const char* data() const { return TF_TString_GetDataPointer(&text_); }
  const char* c_str() const { return data(); }
  char* mdata() { return TF_TString_GetMutableDataPointer(&text_); }
  size_t size() const { return TF_TString_GetSize(&text_); }
  size_t length() const { return size(); }
  size_t capacity() const { return TF_TString_GetCapacity(&text_); }
  bool empty() const { return size() == 0; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size(); }
  const char& operator[](size_t i) const { return data()[i]; }

  // What is added by `resize` is c, by `resize_uninitialized` anything.
  void resize(size_t size, char c = 0) { TF_TString_Resize(&text_, size, c); }
  void resize_uninitialized(size_t size) { TF_TString_ResizeUninitialized(&text_, size); }
  void reserve(size_t size) { TF_TString_Reserve(&text_, size); }
  void clear() { resize(0); }
  tstring& append(const char* text, size_t size) {
    TF_TString_AppendN(&text_, text, size);
    return *this;
  }
  tstring& append(std::string_view text) { return append(text.data(), text.size()); }
  void push_back(char c) { append(&c, 1); }
  tstring& operator+=(std::string_view text) { return append(text); }

  operator std::string() const { return std::string(data(), size()); }
  operator std::string_view() const { return std::string_view(data(), size()); }

  int compare(std::string_view other) const { return std::string_view(*this).compare(other); }
#define TN_CXX_COMPARE(op)                                                                  \
  friend bool operator op(const tstring& a, const tstring& b) { return a.compare(b) op 0; } \
  friend bool operator op(const tstring& a, const char* b) { return a.compare(b) op 0; }    \
  friend bool operator op(const tstring& a, const std::string& b) { return a.compare(b) op 0; }
  TN_CXX_COMPARE(==)
  TN_CXX_COMPARE(!=)
  TN_CXX_COMPARE(<)
  TN_CXX_COMPARE(>)
  TN_CXX_COMPARE(<=)
  TN_CXX_COMPARE(>=)
#undef TN_CXX_COMPARE
  friend std::ostream& operator<<(std::ostream& out, const tstring& text) {
    return out << std::string_view(text);
  }

 private:
  TF_TString text_;
};

static_assert(sizeof(tstring) == sizeof(TF_TString), "a tensor's elements are read as tstring");

}  // namespace tenon
#endif  // TENON_TSTRING_HPP_
