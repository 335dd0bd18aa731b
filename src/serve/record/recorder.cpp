#include "record/recorder.h"

#include <fmt/format.h>

#include <utility>

#include "braid/base/log.h"

namespace braid::serve {

namespace {

template <class Event>
std::uint32_t number_of() {
  return static_cast<std::uint32_t>(RecordedEvent(std::in_place_type<Event>).index());
}

}  // namespace

Result<std::shared_ptr<Recorder>> Recorder::create(const std::string& path, Clock& clock,
                                                   RecorderOptions options) {
  auto file = store::RecordFileWriter::create(path, kRecordingKind);
  if (!file) return tl::unexpected(file.error());
  return std::shared_ptr<Recorder>(new Recorder(std::move(*file), clock, options));
}

Recorder::Recorder(store::RecordFileWriter file, Clock& clock, RecorderOptions options)
    : options_(options),
      file_(std::move(file)),
      changed_(clock),
      thread_(clock, "recorder", [this] { run(); }) {}

Recorder::~Recorder() { static_cast<void>(finish()); }

void Recorder::note(const RecordedEvent& event) {
  put(static_cast<std::uint32_t>(event.index()), to_bytes(event));
}

void Recorder::arrived(SourceId source, const Packet& packet, std::optional<SessionTime> at) {
  put(number_of<Arrived>(), arrived_bytes(source, packet, at));
}

void Recorder::put(std::uint32_t type, std::string bytes) {
  std::unique_lock lock(mutex_);
  const auto fits = [&] { return queue_.empty() || bytes_ + bytes.size() <= options_.queue_bytes; };
  if (options_.wait) changed_.wait(lock, [&] { return fits() || failed_ || over_; });
  if (failed_ || over_) return;
  // What follows a gap couldn't be replayed: it is counted alone.
  if (lost_ > 0 || !fits()) {
    if (lost_++ > 0) return;
    type = number_of<EventsLost>();
    bytes.clear();
  }
  bytes_ += bytes.size();
  queue_.push_back({type, std::move(bytes)});
  changed_.notify_all();
}

void Recorder::write(const Waiting& event) {
  if (!written_) return;
  written_ = file_.append(event.type, event.bytes);
  if (written_) return;
  log(LogLevel::kError, "the recording ends here: {}", written_.error().message);
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !queue_.empty() || over_; });
    if (queue_.empty()) return;
    const Waiting event = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    write(event);
    lock.lock();
    bytes_ -= event.bytes.size();
    failed_ = !written_;
    changed_.notify_all();
  }
}

Status Recorder::finish() {
  note(RecordingEnded{});
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  thread_.join();
  if (written_) written_ = file_.sync();
  if (!written_) return written_;
  std::lock_guard lock(mutex_);
  if (lost_ == 0) return {};
  return fail(
      ErrorCode::kFull,
      fmt::format("{} events came faster than they could be written: the recording can be replayed up "
                  "to the first of them",
                  lost_));
}

}  // namespace braid::serve
