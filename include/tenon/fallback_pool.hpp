// Threads for kernels in a host that lends none: a small pool, one per plugin, begun when the first
// kernel asks for it. Its threads stay until the process ends.
#ifndef TENON_FALLBACK_POOL_HPP_
#define TENON_FALLBACK_POOL_HPP_

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "tenon/closure.hpp"

namespace tenon {
namespace internal {

class TN_CXX_HIDDEN FallbackPool {
 public:
  // Never freed: its threads use it. Reached from here, it is no leak.
  TN_CXX_HIDDEN static FallbackPool* Get() {
    static FallbackPool* const pool = new FallbackPool;
    return pool;
  }

  // Threads that can be in one loop, the calling one among them.
  int NumThreads() const { return helpers_ + 1; }

  // -1 on threads that are not the pool's.
  TN_CXX_HIDDEN static int& CurrentThreadId() {
    static thread_local int id = -1;
    return id;
  }

  // Runs `task` soon, on the calling thread when there is no other. It gets no context: that may be
  // gone by then.
  void Schedule(Closure task) {
    if (!helpers_) return task.call()(nullptr, task.bytes());
    {
      std::lock_guard<std::mutex> hold(mutex_);
      tasks_.push_back(task);
    }
    wake_.notify_one();
  }

  // Calls body(begin, end, worker) for the blocks of [0, total), the last cut off; returns when all
  // are done. No thread is waited for that has not begun a block, so loops may stand in loops.
  template <typename Body>
  void Loop(int64_t total, int64_t block, const Body& body) {
    const int64_t blocks = total / block + (total % block != 0);
    auto state = std::make_shared<LoopState>();
    state->left = state->blocks = blocks;
    auto work = [state, total, block, &body](int worker) {
      for (int64_t i; (i = state->next.fetch_add(1)) < state->blocks;) {
        const int64_t begin = i * block;
        body(begin, begin + std::min(block, total - begin), worker);
        if (state->left.fetch_sub(1) == 1) {
          std::lock_guard<std::mutex> hold(state->mutex);
          state->done.notify_all();
        }
      }
    };
    // A helper that comes late finds no block left and does not touch `body`.
    const int helpers = static_cast<int>(std::min<int64_t>(helpers_, blocks - 1));
    for (int i = 0; i < helpers; ++i) Schedule(Closure([work, i] { work(i + 1); }));
    work(0);
    std::unique_lock<std::mutex> hold(state->mutex);
    state->done.wait(hold, [&] { return state->left.load() == 0; });
  }

 private:
  struct LoopState {
    std::atomic<int64_t> next{0}, left{0};
    int64_t blocks = 0;
    std::mutex mutex;
    std::condition_variable done;
  };

  FallbackPool() {
    cpu_set_t set;
    const int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    // A thread more than the calling one is wanted in any case: tasks may wait for each other.
    const int wanted = processors > 2 ? processors - 1 : 1;
    for (; helpers_ < wanted; ++helpers_) {
      pthread_t thread;
      if (pthread_create(&thread, nullptr, &FallbackPool::Run, this) != 0) break;
      pthread_detach(thread);
    }
  }

  static void* Run(void* self) {
    FallbackPool* pool = static_cast<FallbackPool*>(self);
    CurrentThreadId() = pool->named_.fetch_add(1);
    for (;;) {
      std::unique_lock<std::mutex> hold(pool->mutex_);
      pool->wake_.wait(hold, [pool] { return !pool->tasks_.empty(); });
      Closure task = pool->tasks_.front();
      pool->tasks_.pop_front();
      hold.unlock();
      task.call()(nullptr, task.bytes());
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Closure> tasks_;
  std::atomic<int> named_{0};
  int helpers_ = 0;
};

}  // namespace internal
}  // namespace tenon
#endif  // TENON_FALLBACK_POOL_HPP_
