#include <pthread.h>

#include "frazil/engine/statement.h"

namespace frazil::engine {
namespace {

void* Call(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

void RunOnDeepStack(const std::function<void()>& work) {
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

}  // namespace frazil::engine
