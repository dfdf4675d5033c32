// Eigen's thread pool, a peer in bench_pool.c, and closures as a kernel in C++ schedules them.
#define EIGEN_USE_THREADS
#include "pool_eigen.h"

#include <functional>
#include <unsupported/Eigen/CXX11/Tensor>

namespace {
struct Peer {
  explicit Peer(int threads) : pool(threads), device(&pool, threads) {}
  Eigen::ThreadPool pool;
  Eigen::ThreadPoolDevice device;
};
}  // namespace

void* eigen_pool_create(int threads) { return new Peer(threads); }
void eigen_pool_destroy(void* pool) { delete static_cast<Peer*>(pool); }

void eigen_pool_parallel_for(void* pool, int64_t total, double cycles,
                             void (*body)(void* arg, int64_t begin, int64_t end), void* arg) {
  static_cast<Peer*>(pool)->device.parallelFor(
      total, Eigen::TensorOpCost(0, 0, cycles),
      [=](Eigen::Index begin, Eigen::Index end) { body(arg, begin, end); });
}

void eigen_pool_schedule(void* pool, void (*task)(void* arg), void* arg) {
  static_cast<Peer*>(pool)->pool.Schedule([=] { task(arg); });
}

FuncWrap wrap_function(void (*task)(void* arg), void* arg) {
  return {new std::function<void()>([=] { task(arg); }),
          [](void* wrapped) { (*static_cast<std::function<void()>*>(wrapped))(); },
          [](void* wrapped) { delete static_cast<std::function<void()>*>(wrapped); }};
}
