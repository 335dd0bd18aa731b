// What a connection's source hears.

#include <utility>

#include "realtime/connection.h"

namespace braid::serve {

bool RealtimeConnection::voice_noticed(Nanoseconds at) {
  std::lock_guard lock(mutex_);
  return conversation_->voice_noticed(at);
}

void RealtimeConnection::voice_gone(Nanoseconds at, bool backchannel) {
  std::lock_guard lock(mutex_);
  conversation_->voice_gone(at, backchannel);
  close_if_stopped();
}

void RealtimeConnection::speech_started(Nanoseconds at) {
  std::lock_guard lock(mutex_);
  conversation_->speech_started(at);
}

std::string RealtimeConnection::speech_stopped(Nanoseconds at) {
  std::lock_guard lock(mutex_);
  return conversation_->speech_stopped(at);
}

void RealtimeConnection::picture_failed(const std::string& event, const Error& error) {
  std::lock_guard lock(mutex_);
  conversation_->media_failed(event, error);
}

/// Never beside an answer of this session, nor in the way of the turn's end.
void RealtimeConnection::drop_partial() {
  if (!partial_) return;
  partial_->cancel();
  partial_.reset();
}

void RealtimeConnection::sound_grew(std::span<const float> samples) {
  constexpr std::size_t kLongest = 15UL * sync::SpeechDetector::kSampleRate;  // later words wait for the end
  std::string item;
  std::shared_ptr<ChatCancel> cancel;
  {
    std::lock_guard lock(mutex_);
    if (!transcribes_ || !parts_.transcriber || partial_ || samples.size() > kLongest) return;
    item = conversation_->speaking();
    if (item.empty() || !conversation_->open_response().empty()) return;
    cancel = partial_ = std::make_shared<ChatCancel>();
  }
  transcribe(*parts_.transcriber, {samples.begin(), samples.end()}, cancel,
             [weak = weak_from_this(), item, cancel](const Result<Transcribed>& made) {
               const auto self = weak.lock();
               if (!self) return;
               std::lock_guard lock(self->mutex_);
               if (self->partial_ != cancel) return;
               self->partial_.reset();
               if (made) self->conversation_->partly_transcribed(item, made->text);
             });
}

void RealtimeConnection::sound_committed(const std::string& item, const std::vector<float>& samples) {
  {
    std::lock_guard lock(mutex_);
    drop_partial();
    if (!transcribes_ || !parts_.transcriber) return;
  }
  transcribe(*parts_.transcriber, samples, gone_, [weak = weak_from_this(), item](Result<Transcribed> made) {
    const auto self = weak.lock();
    if (!self) return;
    std::lock_guard lock(self->mutex_);
    if (made)
      self->conversation_->transcribed(item, made->text, made->usage);
    else
      self->conversation_->transcription_failed(item, made.error());
  });
}

}  // namespace braid::serve
