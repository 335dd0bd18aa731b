#include "realtime/transcriber.h"

#include <optional>
#include <utility>

#include "chat/spoken_words.h"
#include "realtime/sound_bytes.h"

namespace braid::serve {

namespace {

/// Piece by piece; the callbacks of the piece that is asked keep it alive.
class Transcription final : public std::enable_shared_from_this<Transcription> {
 public:
  Transcription(TranscriberParts parts, std::string file, std::shared_ptr<ChatCancel> cancel,
                std::function<void(Result<Transcribed>)> then)
      : parts_(parts), file_(std::move(file)), cancel_(std::move(cancel)), then_(std::move(then)) {}

  void ask_next() {
    ChatJob job;
    job.arrived = parts_.clock.now();
    job.max_tokens = kSpokenTokens;
    job.cancel = cancel_;
    const auto self = shared_from_this();
    job.make = [self] { return self->make(); };
    job.on_begin = [](const ChatPrompt&) {};
    job.sink.on_text = [](const ShownText&) {};
    job.sink.on_end = [self](ChatEnd end) { self->take(std::move(end)); };
    if (auto submitted = parts_.chats.submit(std::move(job)); !submitted)
      then_(tl::unexpected(submitted.error()));
  }

 private:
  Result<ChatPrompt> make() {
    if (!spoken_) {
      MediaTimes times;
      auto speech = parts_.media.read_speech(std::exchange(file_, {}), times);
      if (!speech) return tl::unexpected(speech.error());
      spoken_ = std::move(speech->parts);
    }
    if (spoken_->empty()) return fail(ErrorCode::kNotFound, "nobody speaks");
    return make_media_question((*spoken_)[next_].prompt, kSpokenQuestion, parts_.tokenizer);
  }

  void take(ChatEnd end) {
    if (spoken_ && spoken_->empty()) return then_(std::move(made_));
    if (end.error) return then_(tl::unexpected(*end.error));
    made_.text.append(made_.text.empty() ? "" : " ").append(spoken_words(end.text));
    made_.usage.prompt += end.prompt_rows;
    made_.usage.completion += end.answer_tokens;
    if (++next_ == spoken_->size()) return then_(std::move(made_));
    ask_next();
  }

  TranscriberParts parts_;
  std::string file_;
  const std::shared_ptr<ChatCancel> cancel_;
  const std::function<void(Result<Transcribed>)> then_;
  std::optional<std::vector<MediaPrompts::Spoken>> spoken_;
  std::size_t next_ = 0;  // of spoken_
  Transcribed made_;
};

}  // namespace

void transcribe(TranscriberParts parts, const std::vector<float>& samples, std::shared_ptr<ChatCancel> cancel,
                std::function<void(Result<Transcribed>)> then) {
  std::make_shared<Transcription>(parts, wav_file(samples, Resampler::kOutputRate), std::move(cancel),
                                  std::move(then))
      ->ask_next();
}

}  // namespace braid::serve
