// ThreadPool: the host's threads for a kernel (tenon/kernel_services.h), and Shard. In a host that
// lends none the plugin's own small pool does the work.
//
// What a loop's body throws is thrown again where the loop was called; what a scheduled function
// throws fails the kernel's run in Tenon, and is written to standard error elsewhere.
#ifndef TENON_THREAD_POOL_HPP_
#define TENON_THREAD_POOL_HPP_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "tenon/fallback_pool.hpp"
#include "tenon/kernel_services.h"

namespace tenon {
namespace internal {

// The first thing that pieces of a loop threw.
class Thrown {
 public:
  template <typename Work>
  void Catch(const Work& work) {
#if TN_CXX_EXCEPTIONS
    try {
      work();
    } catch (...) {
      if (!caught_.exchange(true)) thrown_ = std::current_exception();
    }
#else
    work();
#endif
  }
  void Rethrow() {
#if TN_CXX_EXCEPTIONS
    if (thrown_) std::rethrow_exception(thrown_);
#endif
  }

 private:
#if TN_CXX_EXCEPTIONS
  std::atomic<bool> caught_{false};
  std::exception_ptr thrown_;
#endif
};

// A loop's body with where its exceptions go.
template <typename Body>
struct LoopBody {
  const Body& body;
  Thrown thrown;

  template <typename... Arguments>
  void operator()(Arguments... arguments) {
    thrown.Catch([&] { body(arguments...); });
  }
};

}  // namespace internal

namespace thread {

class ThreadPool {
 public:
  using Task = std::function<void()>;
  using Body = std::function<void(int64_t, int64_t)>;
  using BodyWithId = std::function<void(int64_t, int64_t, int)>;

  enum class SchedulingStrategy { kAdaptive, kFixedBlockSize };
  class SchedulingParams {
   public:
    SchedulingParams(SchedulingStrategy strategy, int64_t cost_per_unit, int64_t block_size)
        : strategy_(strategy), cost_per_unit_(cost_per_unit), block_size_(block_size) {}
    SchedulingStrategy strategy() const { return strategy_; }
    int64_t cost_per_unit() const { return cost_per_unit_; }
    int64_t block_size() const { return block_size_; }

   private:
    SchedulingStrategy strategy_;
    int64_t cost_per_unit_, block_size_;
  };

  // The threads for a run, which `context` must outlive; NULL for work outside a run.
  explicit ThreadPool(TF_OpKernelContext* context) : context_(context) {}

  // Threads that can be in one loop, the calling one among them.
  int NumThreads() const {
    if (TF_ThreadPool_NumThreads) return TF_ThreadPool_NumThreads(context_);
    return internal::FallbackPool::Get()->NumThreads();
  }
  int CurrentThreadId() const {
    if (TF_ThreadPool_CurrentThreadId) return TF_ThreadPool_CurrentThreadId(context_);
    return internal::FallbackPool::CurrentThreadId();
  }

  // Runs `task` soon on another thread. In Tenon the kernel's run ends after it; elsewhere the
  // kernel must wait for it, or be asynchronous. A std::function, or up to 32 bytes that may be
  // copied as such, needs no memory.
  template <typename Work>
  void Schedule(Work&& task) {
    internal::Closure closure(std::forward<Work>(task));
    if (TF_ThreadPool_ScheduleInPlace) {
      TF_ThreadPool_ScheduleInPlace(context_, closure.call(), closure.bytes(), closure.size());
    } else {
      internal::FallbackPool::Get()->Schedule(closure);
    }
  }
  // No host takes note of which threads are wished for.
  template <typename Work>
  void ScheduleWithHint(Work&& task, int, int) {
    Schedule(std::forward<Work>(task));
  }
  // For tasks that nobody but Eigen made, which waits for them: on a thread of the small pool they
  // run at once, so that its threads never wait for one another.
  void ScheduleOrRun(Task task) {
    if (!TF_ThreadPool_ScheduleInPlace && CurrentThreadId() >= 0) return task();
    Schedule(std::move(task));
  }

  // Calls body(begin, end) for pieces of [0, total) and returns when all are done. `cost_per_unit`
  // is what one index costs, roughly in nanoseconds.
  template <typename Work>
  void ParallelFor(int64_t total, int64_t cost_per_unit, const Work& work) {
    internal::LoopBody<Work> body{work, {}};
    if (TF_ThreadPool_ParallelForClosure) {
      TF_ThreadPool_ParallelForClosure(context_, total, cost_per_unit, &Call<Work>, &body);
    } else if (total > 0) {
      internal::FallbackPool::Get()->Loop(
          total, BlockFor(total, cost_per_unit),
          [&](int64_t begin, int64_t end, int) { body(begin, end); });
    }
    body.thrown.Rethrow();
  }
  void ParallelFor(int64_t total, const SchedulingParams& how, const Body& work) {
    if (how.strategy() == SchedulingStrategy::kFixedBlockSize) {
      TransformRangeConcurrently(how.block_size(), total, work);
    } else {
      ParallelFor(total, how.cost_per_unit(), work);
    }
  }

  // The same with who runs a piece: a number in [0, NumThreads()), never one in two pieces at once.
  template <typename Work>
  void ParallelForWithWorkerId(int64_t total, int64_t cost_per_unit, const Work& work) {
    internal::LoopBody<Work> body{work, {}};
    if (TF_ThreadPool_ParallelForWithWorkerIdClosure) {
      TF_ThreadPool_ParallelForWithWorkerIdClosure(context_, total, cost_per_unit,
                                                   &CallWithId<Work>, &body);
    } else if (total > 0) {
      internal::FallbackPool::Get()->Loop(
          total, BlockFor(total, cost_per_unit),
          [&](int64_t begin, int64_t end, int worker) { body(begin, end, worker); });
    }
    body.thrown.Rethrow();
  }

  // Calls work(begin, end) once for each block of `block_size` of [0, total), the last cut off.
  template <typename Work>
  void TransformRangeConcurrently(int64_t block_size, int64_t total, const Work& work) {
    internal::LoopBody<Work> body{work, {}};
    if (TF_ThreadPool_TransformRangeConcurrentlyClosure) {
      TF_ThreadPool_TransformRangeConcurrentlyClosure(context_, block_size, total, &Call<Work>,
                                                      &body);
    } else if (total > 0) {
      internal::FallbackPool::Get()->Loop(
          total, block_size < 1 ? total : block_size,
          [&](int64_t begin, int64_t end, int) { body(begin, end); });
    }
    body.thrown.Rethrow();
  }

  int NumShardsUsedByFixedBlockSizeScheduling(int64_t total, int64_t block_size) const {
    if (block_size < 1 || total < 1) return 1;
    return static_cast<int>(total / block_size + (total % block_size != 0));
  }

 private:
  template <typename Work>
  static void Call(void* body, int64_t begin, int64_t end) {
    (*static_cast<internal::LoopBody<Work>*>(body))(begin, end);
  }
  template <typename Work>
  static void CallWithId(void* body, int64_t begin, int64_t end, int worker) {
    (*static_cast<internal::LoopBody<Work>*>(body))(begin, end, worker);
  }

  // Blocks of the small pool's loops: none below 20 us of work, four for each thread at most.
  static int64_t BlockFor(int64_t total, int64_t cost_per_unit) {
    const int64_t least = std::max<int64_t>(1, 20000 / std::max<int64_t>(1, cost_per_unit));
    const int64_t most = 4 * internal::FallbackPool::Get()->NumThreads();
    return std::max(least, total / most + (total % most != 0));
  }

  TF_OpKernelContext* context_;
};

}  // namespace thread

// Splits [0, total) among at most `max_parallelism` threads. ThreadPool::ParallelFor has replaced
// it where kernels are written anew.
template <typename Work>
void Shard(int max_parallelism, thread::ThreadPool* workers, int64_t total, int64_t cost_per_unit,
           const Work& work) {
  if (total <= 0) return;
  if (max_parallelism <= 1 || total == 1) return work(int64_t{0}, total);
  if (max_parallelism >= workers->NumThreads())
    return workers->ParallelFor(total, cost_per_unit, work);
  workers->TransformRangeConcurrently(total / max_parallelism + (total % max_parallelism != 0),
                                      total, work);
}

}  // namespace tenon
#endif  // TENON_THREAD_POOL_HPP_
