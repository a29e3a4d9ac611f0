#include "frazil/base/deep_stack.h"

#include <cstddef>
#include <pthread.h>

namespace frazil {
namespace {

thread_local bool on_deep_stack = false;

void* Call(void* work) {
  on_deep_stack = true;
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

void RunOnDeepStack(const std::function<void()>& work) {
  if (on_deep_stack) {
    work();
    return;
  }
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    if (pthread_attr_setstacksize(&attributes, size_t{512} << 20) == 0) {
      started = pthread_create(&thread, &attributes, Call, const_cast<std::function<void()>*>(&work)) == 0;
    }
    pthread_attr_destroy(&attributes);
  }
  if (!started) {
    work();
    return;
  }
  pthread_join(thread, nullptr);
}

}  // namespace frazil
