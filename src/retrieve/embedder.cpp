#include "braid/retrieve/embedder.h"

namespace braid::retrieve {

Result<std::vector<float>> Embedder::run(const std::vector<std::string>& texts) {
  auto vectors = embed_(texts);
  std::lock_guard lock(mutex_);
  busy_ = false;
  changed_.notify_all();
  if (vectors && (vectors->empty() || vectors->size() % texts.size() != 0))
    return fail(ErrorCode::kInternal, "the embedder gave vectors of different lengths");
  return vectors;
}

Result<std::vector<float>> Embedder::query(const std::vector<std::string>& texts, SteadyTime until) {
  {
    std::unique_lock lock(mutex_);
    ++queries_;
    const bool mine = changed_.wait_until(lock, until, [this] { return !busy_; });
    --queries_;
    if (!mine) {
      changed_.notify_all();
      return fail(ErrorCode::kLate, "the embedder is busy", true);
    }
    busy_ = true;
  }
  return run(texts);
}

Result<std::vector<float>> Embedder::records(const std::vector<std::string>& texts) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_ && queries_ == 0; });
    busy_ = true;
  }
  return run(texts);
}

}  // namespace braid::retrieve
