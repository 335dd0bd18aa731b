#include "realtime/client_queue.h"

#include <fmt/format.h>

#include <utility>

namespace braid::serve {

namespace {
constexpr std::size_t kOverhead = 256;  // of each, beside its bytes
}  // namespace

std::size_t ClientInput::bytes() const {
  return kOverhead + std::visit(
                         [](const auto& input) -> std::size_t {
                           if constexpr (requires { input.bytes; }) return input.bytes.size();
                           if constexpr (requires { input.text; }) return input.text.size();
                           if constexpr (requires { input.ask; }) return input.ask.text.size();
                           return 0;
                         },
                         body);
}

Status ClientQueue::post(ClientInput input) {
  const std::size_t bytes = input.bytes();
  std::lock_guard lock(mutex_);
  if (closed_) return fail(ErrorCode::kCancelled, "the session has ended");
  if (inputs_.size() >= limits_.inputs || (bytes_ + bytes > limits_.bytes && !inputs_.empty()))
    return fail(
        ErrorCode::kFull,
        fmt::format("{} events with {} bytes wait to be perceived: send slower", inputs_.size(), bytes_),
        true);
  input.received = clock_.now();
  bytes_ += bytes;
  inputs_.push_back(std::move(input));
  changed_.notify_all();
  return {};
}

ClientQueue::Took ClientQueue::take(ClientInput& input, std::optional<SteadyTime> until) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return closed_ || !inputs_.empty(); };
  if (until && !changed_.wait_until(lock, *until, ready)) return Took::kTimeout;
  if (!until) changed_.wait(lock, ready);
  if (closed_) return Took::kClosed;
  input = std::move(inputs_.front());
  inputs_.pop_front();
  bytes_ -= input.bytes();
  return Took::kInput;
}

void ClientQueue::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  inputs_.clear();
  bytes_ = 0;
  changed_.notify_all();
}

}  // namespace braid::serve
