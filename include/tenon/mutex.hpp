// Locks under the names kernels use.
#ifndef TENON_MUTEX_HPP_
#define TENON_MUTEX_HPP_

#include <condition_variable>
#include <mutex>

#define TF_GUARDED_BY(mutex)
#define TF_EXCLUSIVE_LOCKS_REQUIRED(...)
#define TF_LOCKS_EXCLUDED(...)

namespace tenon {

class mutex : public std::mutex {};

class mutex_lock : public std::unique_lock<std::mutex> {
 public:
  explicit mutex_lock(tenon::mutex& m) : std::unique_lock<std::mutex>(m) {}
};

using condition_variable = std::condition_variable;

}  // namespace tenon
#endif  // TENON_MUTEX_HPP_
