// What a plugin registers, collected until its host calls TF_InitKernel, which is made here.
//
// Registrations are made by static objects of any number of files. They hang themselves into lists
// whose heads need no initialisation, so the order in which the files are begun does not matter:
// all ops come before all kernels, and within a file the order is that of its lines.
//
// A plugin that has a TF_InitKernel of its own defines TENON_NO_INIT_KERNEL before it includes any
// of this, and calls tenon::RegisterEverything there.
#ifndef TENON_REGISTRY_HPP_
#define TENON_REGISTRY_HPP_

#include <cstdio>

#include "tenon/status.hpp"
#include "tensorflow/c/c_api_macros.h"

extern "C" void TF_InitKernel(void);

namespace tenon {
namespace internal {

// Hangs in a list from its construction on; lives as long as the plugin.
class Registration {
 public:
  enum Kind { kOp, kKernel, kKinds };

  explicit Registration(Kind kind) {
    Registration** last = &First(kind);
    while (*last) last = &(*last)->next_;
    *last = this;
  }
  virtual ~Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  static void RegisterAll() {
    for (int kind = 0; kind < kKinds; ++kind) {
      for (Registration* at = First(static_cast<Kind>(kind)); at; at = at->next_) {
        const Status status = Guarded([at] { at->Register(); });
        if (!status.ok()) fprintf(stderr, "not registered: %s\n", status.ToString().c_str());
      }
    }
  }

 protected:
  virtual void Register() = 0;

 private:
  TN_CXX_HIDDEN static Registration*& First(Kind kind) {
    static Registration* first[kKinds] = {};
    return first[kind];
  }

  Registration* next_ = nullptr;
};

// Says what went wrong with a registration: TF_InitKernel has no status to give it to. Tenon knows
// already and takes nothing of the plugin.
inline void SayIfFailed(const HostStatus& status, const char* what) {
  if (!status.ok()) fprintf(stderr, "%s: %s\n", what, status.status().error_message().c_str());
}

}  // namespace internal

inline void RegisterEverything() { internal::Registration::RegisterAll(); }

}  // namespace tenon

#ifndef TENON_NO_INIT_KERNEL
// Weak: each of a plugin's files has one, and they are the same.
extern "C" __attribute__((weak, used, visibility("default"))) void TF_InitKernel(void) {
  ::tenon::RegisterEverything();
}
#endif

#define TN_CXX_JOIN_(a, b) a##b
#define TN_CXX_JOIN(a, b) TN_CXX_JOIN_(a, b)

#endif  // TENON_REGISTRY_HPP_
