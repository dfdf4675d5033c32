// LOG(INFO) << ..., and CHECKs, which fail the kernel's run where there are exceptions and end the
// process where there are none. As in TensorFlow, TF_CPP_MIN_LOG_LEVEL in the environment (1, 2, 3)
// silences INFO, then WARNING and ERROR, and TF_CPP_MAX_VLOG_LEVEL lets VLOGs up to it be written.
#ifndef TENON_LOGGING_HPP_
#define TENON_LOGGING_HPP_

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tenon/status.hpp"

namespace tenon {
namespace internal {

inline int LevelOf(const char* variable) {
  const char* level = getenv(variable);
  return level ? atoi(level) : 0;
}
// Read once.
TN_CXX_HIDDEN inline int LeastLogLevel() {
  static const int level = LevelOf("TF_CPP_MIN_LOG_LEVEL");
  return level;
}
TN_CXX_HIDDEN inline int MostVlogLevel() {
  static const int level = LevelOf("TF_CPP_MAX_VLOG_LEVEL");
  return level;
}

// Written to standard error when the statement ends.
class LogLine {
 public:
  LogLine(const char* file, int line, char severity) : file_(file), line_(line), is_(severity) {}
  ~LogLine() noexcept(false) {
    if (is_ == 'F') CheckFailed(file_, line_, text_.str());
    if ((is_ == 'I' ? 0 : is_ == 'W' ? 1 : 2) < LeastLogLevel()) return;
    fprintf(stderr, "%c %s:%d: %s\n", is_, file_, line_, text_.str().c_str());
  }
  std::ostream& stream() { return text_; }

 private:
  const char* file_;
  int line_;
  char is_;
  std::ostringstream text_;
};

struct NoLog {
  void operator&(std::ostream&) {}
};

}  // namespace internal
}  // namespace tenon

#define TN_CXX_LOG_INFO 'I'
#define TN_CXX_LOG_WARNING 'W'
#define TN_CXX_LOG_ERROR 'E'
#define TN_CXX_LOG_FATAL 'F'
#define LOG(severity) ::tenon::internal::LogLine(__FILE__, __LINE__, TN_CXX_LOG_##severity).stream()
#define VLOG_IS_ON(level) ((level) <= ::tenon::internal::MostVlogLevel())
#define VLOG(level)         \
  if (!VLOG_IS_ON(level)) { \
  } else                    \
    LOG(INFO)
#define CHECK(condition) \
  (condition) ? (void)0 : ::tenon::internal::NoLog() & LOG(FATAL) << "not so: " #condition " "
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_GE(a, b) CHECK((a) >= (b))
#define TF_CHECK_OK(...)                                   \
  do {                                                     \
    const ::tenon::Status tenon_status_(__VA_ARGS__);      \
    CHECK(tenon_status_.ok()) << tenon_status_.ToString(); \
  } while (0)
#ifdef NDEBUG
#define DCHECK(condition) CHECK(true || (condition))
#else
#define DCHECK(condition) CHECK(condition)
#endif
#define DCHECK_EQ(a, b) DCHECK((a) == (b))
#define DCHECK_NE(a, b) DCHECK((a) != (b))
#define DCHECK_LT(a, b) DCHECK((a) < (b))
#define DCHECK_LE(a, b) DCHECK((a) <= (b))
#define DCHECK_GT(a, b) DCHECK((a) > (b))
#define DCHECK_GE(a, b) DCHECK((a) >= (b))

#endif  // TENON_LOGGING_HPP_
