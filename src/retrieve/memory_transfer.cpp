// Records to another memory, and from one.

#include "memory_state.h"

namespace braid::retrieve {

Result<std::vector<Record>> Memory::page(std::int64_t after, int limit, bool with_vectors) {
  std::lock_guard lock(state_->read_mutex);
  return state_->reader->page(after, limit, with_vectors);
}

Result<std::int64_t> Memory::imported(const std::string& key) {
  std::lock_guard lock(state_->read_mutex);
  return state_->reader->imported(key);
}

Status Memory::import_records(const std::string& key, std::vector<Record> records) {
  if (state_->options.read_only) return fail(ErrorCode::kUsage, "the memory is open for reading alone");
  for (Record& record : records)
    if (Status fits = check_record(record); !fits) return fits;
  {
    std::lock_guard writing(state_->write_mutex);
    if (Status kept = state_->writer->import_records(key, records); !kept) return kept;
  }
  std::lock_guard lock(state_->mutex);
  state_->counts.committed += records.size();
  state_->embed_due = true;
  state_->changed.notify_all();
  return {};
}

}  // namespace braid::retrieve
