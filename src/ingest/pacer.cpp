#include "pacer.h"

namespace braid::ingest {

bool Pacer::wait_until(SteadyTime at) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, at, [this] { return stopped(); });
  return !stopped();
}

void Pacer::stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace braid::ingest
