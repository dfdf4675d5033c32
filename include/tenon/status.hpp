// Status: a code and a message as a C++ value, and the way from and to the host's TF_Status.
#ifndef TENON_STATUS_HPP_
#define TENON_STATUS_HPP_

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "tenon/strings.hpp"
#include "tensorflow/c/tf_status.h"

#if defined(__cpp_exceptions)
#include <exception>
#include <new>
#define TN_CXX_EXCEPTIONS 1
#else
#define TN_CXX_EXCEPTIONS 0
#endif

// For what must stay one per plugin: without it the loader may make it one per process.
#define TN_CXX_HIDDEN __attribute__((visibility("hidden")))

// nvcc takes an assignment for a result that nobody looks at, and does not know TLS models.
#ifdef __CUDACC__
#define TN_CXX_NODISCARD
#define TN_CXX_INITIAL_EXEC
#else
#define TN_CXX_NODISCARD [[nodiscard]]
#define TN_CXX_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#endif

namespace tenon {

namespace error {
enum Code {
  OK = TF_OK,
  CANCELLED = TF_CANCELLED,
  UNKNOWN = TF_UNKNOWN,
  INVALID_ARGUMENT = TF_INVALID_ARGUMENT,
  DEADLINE_EXCEEDED = TF_DEADLINE_EXCEEDED,
  NOT_FOUND = TF_NOT_FOUND,
  ALREADY_EXISTS = TF_ALREADY_EXISTS,
  PERMISSION_DENIED = TF_PERMISSION_DENIED,
  RESOURCE_EXHAUSTED = TF_RESOURCE_EXHAUSTED,
  FAILED_PRECONDITION = TF_FAILED_PRECONDITION,
  ABORTED = TF_ABORTED,
  OUT_OF_RANGE = TF_OUT_OF_RANGE,
  UNIMPLEMENTED = TF_UNIMPLEMENTED,
  INTERNAL = TF_INTERNAL,
  UNAVAILABLE = TF_UNAVAILABLE,
  DATA_LOSS = TF_DATA_LOSS,
  UNAUTHENTICATED = TF_UNAUTHENTICATED,
};
}  // namespace error

class TN_CXX_NODISCARD Status {
 public:
  Status() = default;
  // Without the memory for it, the status is RESOURCE_EXHAUSTED instead.
  Status(error::Code code, StringPiece message) noexcept {
    if (code != error::OK) rep_ = MakeRep(code, message);
  }
  // Of a code that is known to be a failure's: the compiler then knows, too.
  static Status Failure(error::Code code, StringPiece message) noexcept {
    Status status;
    status.rep_ = MakeRep(code, message);
    return status;
  }
  Status(const Status& other) noexcept : rep_(other.rep_) {
    if (rep_) rep_->users.fetch_add(1, std::memory_order_relaxed);
  }
  Status(Status&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Status() {
    if (rep_ && rep_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete rep_;
  }

  static Status OK() { return Status(); }
  bool ok() const { return !rep_; }
  error::Code code() const { return rep_ ? rep_->code : error::OK; }
  // A NUL follows it unless the status is OK.
  StringPiece message() const { return rep_ ? StringPiece(rep_->message) : StringPiece(); }
  std::string error_message() const { return std::string(message()); }
  std::string ToString() const {
    return ok() ? "OK" : strings::StrCat("code ", int(code()), ": ", message());
  }
  // Keeps the first failure.
  void Update(const Status& other) {
    if (ok()) *this = other;
  }
  void IgnoreError() const {}
  bool operator==(const Status& other) const {
    return code() == other.code() && message() == other.message();
  }
  bool operator!=(const Status& other) const { return !(*this == other); }

 private:
  struct Rep {
    error::Code code;
    std::string message;
    std::atomic<long> users{1};
  };

  __attribute__((returns_nonnull)) TN_CXX_HIDDEN static Rep* MakeRep(error::Code code,
                                                                     StringPiece message) noexcept {
#if TN_CXX_EXCEPTIONS
    try {
      return new Rep{code, std::string(message)};
    } catch (...) {
      // Short enough to lie in the string itself. One user too many: it is never freed.
      static Rep no_memory{error::RESOURCE_EXHAUSTED, "out of memory"};
      no_memory.users.fetch_add(1, std::memory_order_relaxed);
      return &no_memory;
    }
#else
    return new Rep{code, std::string(message)};
#endif
  }

  Rep* rep_ = nullptr;  // none when OK
};

inline Status OkStatus() { return Status(); }

// errors::InvalidArgument("rank is ", rank, ", not 2"), and whether a status is one.
namespace errors {
#define TN_CXX_ERROR(name, value)                                     \
  template <typename... Pieces>                                       \
  Status name(const Pieces&... pieces) {                              \
    return Status::Failure(error::value, strings::StrCat(pieces...)); \
  }                                                                   \
  inline bool Is##name(const Status& status) { return status.code() == error::value; }
TN_CXX_ERROR(Cancelled, CANCELLED)
TN_CXX_ERROR(Unknown, UNKNOWN)
TN_CXX_ERROR(InvalidArgument, INVALID_ARGUMENT)
TN_CXX_ERROR(DeadlineExceeded, DEADLINE_EXCEEDED)
TN_CXX_ERROR(NotFound, NOT_FOUND)
TN_CXX_ERROR(AlreadyExists, ALREADY_EXISTS)
TN_CXX_ERROR(PermissionDenied, PERMISSION_DENIED)
TN_CXX_ERROR(ResourceExhausted, RESOURCE_EXHAUSTED)
TN_CXX_ERROR(FailedPrecondition, FAILED_PRECONDITION)
TN_CXX_ERROR(Aborted, ABORTED)
TN_CXX_ERROR(OutOfRange, OUT_OF_RANGE)
TN_CXX_ERROR(Unimplemented, UNIMPLEMENTED)
TN_CXX_ERROR(Internal, INTERNAL)
TN_CXX_ERROR(Unavailable, UNAVAILABLE)
TN_CXX_ERROR(DataLoss, DATA_LOSS)
TN_CXX_ERROR(Unauthenticated, UNAUTHENTICATED)
#undef TN_CXX_ERROR
}  // namespace errors

#define TF_RETURN_IF_ERROR(...)                    \
  do {                                             \
    ::tenon::Status tenon_status_ = (__VA_ARGS__); \
    if (!tenon_status_.ok()) return tenon_status_; \
  } while (0)

namespace internal {

// This thread's spare TF_Status: most calls need one only to learn that nothing failed.
// Initial-exec: found without a call.
TN_CXX_HIDDEN inline TF_Status*& SpareStatus() {
  static thread_local TN_CXX_INITIAL_EXEC TF_Status* spare = nullptr;
  return spare;
}

// Gives the spare one back when the thread ends.
struct TN_CXX_HIDDEN SpareStatusEnd {
  ~SpareStatusEnd() {
    TF_DeleteStatus(SpareStatus());
    SpareStatus() = nullptr;
  }
  static void Arm() {
    static thread_local SpareStatusEnd end;
    (void)&end;
  }
};

// A TF_Status for one call of the host.
class HostStatus {
 public:
  HostStatus() : slot_(SpareStatus()), status_(slot_) {
    slot_ = nullptr;
    if (!status_) status_ = New();
  }
  // One that tells of a failure is wiped and kept as well: what it takes, the next call has.
  ~HostStatus() {
    if (__builtin_expect(!status_, 0)) return;
    if (__builtin_expect(!seen_ok_ && TF_GetCode(status_) != TF_OK, 0))
      TF_SetStatus(status_, TF_OK, "");
    if (__builtin_expect(slot_ != nullptr, 0)) {
      TF_DeleteStatus(status_);
    } else {
      slot_ = status_;
    }
  }
  HostStatus(const HostStatus&) = delete;
  HostStatus& operator=(const HostStatus&) = delete;

  operator TF_Status*() { return status_; }
  // Asked after the call that the status is for.
  bool ok() const {
    seen_ok_ = status_ && TF_GetCode(status_) == TF_OK;
    return seen_ok_;
  }
  // For a call that gave what it gives only when nothing failed: it need not be asked.
  void TakeAsOk() { seen_ok_ = true; }
  // When it is not OK.
  Status status() const {
    if (!status_) return Status::Failure(error::RESOURCE_EXHAUSTED, "no memory for a status");
    return Status::Failure(static_cast<error::Code>(TF_GetCode(status_)), TF_Message(status_));
  }

 private:
  __attribute__((noinline)) static TF_Status* New() {
    SpareStatusEnd::Arm();
    return TF_NewStatus();
  }

  TF_Status*& slot_;
  TF_Status* status_;
  mutable bool seen_ok_ = false;
};

// Hands `failure` to a function of the host's that takes over nothing.
template <typename Context>
void ReportTo(void (*report)(Context*, TF_Status*), Context* context, const Status& failure) {
  HostStatus status;
  if (!static_cast<TF_Status*>(status)) return;
  TF_SetStatus(status, static_cast<TF_Code>(failure.code()), failure.message().data());
  report(context, status);
}

// A host's function that this plugin can do without, and that is not there.
inline Status NotInThisHost(const char* function) {
  return errors::Unimplemented("this host has no function ", function);
}

#if TN_CXX_EXCEPTIONS
// What a failed check throws; it becomes an INTERNAL status where the host called the plugin.
class CheckFailure : public std::exception {
 public:
  explicit CheckFailure(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};
#endif

// A mistake in the kernel's own code, such as an element type that a tensor does not have.
[[noreturn]] inline void CheckFailed(const char* file, int line, const std::string& text) {
  std::string message = strings::StrCat(file, ":", line, ": ", text);
#if TN_CXX_EXCEPTIONS
  throw CheckFailure(std::move(message));
#else
  fprintf(stderr, "%s\n", message.c_str());
  abort();
#endif
}

// What became of a kernel that threw; without the memory to tell what, that it did.
inline Status Exception(const char* what) {
  char text[512];
  snprintf(text, sizeof text, "exception in a kernel: %s", what);
  return Status(error::INTERNAL, text);
}

// Runs `work` and returns what became of it: exceptions end here.
template <typename Work>
Status Guarded(Work&& work) {
#if TN_CXX_EXCEPTIONS
  try {
    work();
  } catch (const std::bad_alloc&) {
    return Status(error::RESOURCE_EXHAUSTED, "out of memory in a kernel");
  } catch (const std::exception& thrown) {
    return Exception(thrown.what());
  } catch (...) {
    return Exception("no std::exception");
  }
#else
  work();
#endif
  return Status();
}

}  // namespace internal
}  // namespace tenon
#endif  // TENON_STATUS_HPP_
