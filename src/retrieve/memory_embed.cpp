// Records get their vectors some time after they were committed.

#include <sys/resource.h>

#include "braid/base/log.h"
#include "memory_state.h"

namespace braid::retrieve {

namespace {

// So little at a time that a question's search waits for milliseconds.
constexpr int kBatchRecords = 8;
constexpr std::size_t kBatchBytes = 512;
constexpr int kLeastPriority = 19;
constexpr std::size_t kMaxTextBytes = 2048;  // of one record; more than the embedder reads of most

/// The first few of them.
std::vector<std::string> batch_of(std::vector<Record>& records) {
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  for (const Record& record : records) {
    const std::string text = record.text.substr(0, kMaxTextBytes);
    if (!texts.empty() && bytes + text.size() > kBatchBytes) break;
    bytes += text.size();
    texts.push_back(text);
  }
  records.resize(texts.size());
  return texts;
}

}  // namespace

Result<bool> Memory::State::embed_some() {
  std::vector<Record> records;
  {
    std::lock_guard writing(write_mutex);
    const auto newest = writer->newest_vector(options.embedder->name());
    if (!newest) return tl::unexpected(newest.error());
    auto found = writer->unembedded(*newest, kBatchRecords);
    if (!found) return tl::unexpected(found.error());
    records = std::move(*found);
  }
  if (records.empty()) return false;
  auto made = options.embedder->records(batch_of(records));
  if (!made) return tl::unexpected(made.error());
  VectorBlock block;
  block.dim = made->size() / records.size();
  block.values = std::move(*made);
  std::vector<Merge> merges;
  for (std::size_t i = 0; i < records.size(); ++i) {
    block.ids.push_back(records[i].id);
    if (const auto same = repeats.repeated(records[i], block.row(i)))
      merges.push_back({*same, records[i].id});
  }
  std::lock_guard writing(write_mutex);
  if (Status kept = writer->append_vectors(options.embedder->name(), block, merges); !kept)
    return tl::unexpected(kept.error());
  std::lock_guard lock(mutex);
  counts.embedded += block.ids.size();
  counts.merged += merges.size();
  return true;
}

void Memory::State::embed_loop() {
  // What is computed here is never ahead of anybody else.
  setpriority(PRIO_PROCESS, 0, kLeastPriority);
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return closing || embed_due; });
    if (closing) return;
    embed_due = false;
    embeds = true;
    while (!closing && embedded) {
      lock.unlock();
      const auto some = embed_some();
      lock.lock();
      if (!some) {
        embedded = tl::unexpected(some.error());
        log(LogLevel::kWarning, "records are no longer found by their meaning: {}", some.error().message);
      }
      if (!some || !*some) break;
    }
    embeds = false;
    changed.notify_all();
  }
}

Status Memory::settle() {
  if (!state_->embed_thread.joinable()) return {};
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !state_->embed_due && !state_->embeds; });
  return state_->embedded;
}

}  // namespace braid::retrieve
