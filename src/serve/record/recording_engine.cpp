#include "record/recording_engine.h"

#include <utility>

namespace braid::serve {

namespace {

class RecordingTokenizer final : public engine::Tokenizer {
 public:
  RecordingTokenizer(std::unique_ptr<engine::Tokenizer> tokenizer, std::shared_ptr<Recorder> recorder)
      : tokenizer_(std::move(tokenizer)), recorder_(std::move(recorder)) {}

  const engine::ChatFormat& chat() const override { return tokenizer_->chat(); }
  TokenRun tokenize(std::string_view text, bool special) const override {
    TokenRun tokens = tokenizer_->tokenize(text, special);
    recorder_->note(Tokenized{std::string(text), special, tokens});
    return tokens;
  }
  std::string piece(Token token) const override { return tokenizer_->piece(token); }
  bool ends_generation(Token token) const override {
    const bool ends = tokenizer_->ends_generation(token);
    recorder_->note(Spelled{token, tokenizer_->piece(token), ends});
    return ends;
  }
  Result<engine::RenderedChat> render(const engine::ChatInput& input) const override {
    return tokenizer_->render(input);
  }

 private:
  const std::unique_ptr<engine::Tokenizer> tokenizer_;
  const std::shared_ptr<Recorder> recorder_;
};

PieceShape shape_of(const Piece& piece) {
  PieceShape shape;
  if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
    shape.tokens = *tokens;
  } else {
    const auto& run = std::get<EmbeddingRun>(piece);
    shape.rows = static_cast<std::int32_t>(run.rows->rows);
    shape.positions = run.positions;
    shape.indivisible = run.indivisible;
    shape.grid = run.grid;
  }
  return shape;
}

class RecordingEncoder final : public engine::Encoder {
 public:
  RecordingEncoder(std::unique_ptr<engine::Encoder> encoder, std::shared_ptr<Recorder> recorder)
      : encoder_(std::move(encoder)), recorder_(std::move(recorder)) {}

  Result<std::vector<Prompt>> encode(std::span<const engine::Medium> batch) override {
    auto prompts = encoder_->encode(batch);
    if (!prompts) {
      recorder_->note(MediumEncoded{prompts.error(), {}});
      return prompts;
    }
    for (const Prompt& prompt : *prompts) {
      MediumEncoded encoded;
      for (const Piece& piece : prompt.pieces) encoded.pieces.push_back(shape_of(piece));
      recorder_->note(encoded);
    }
    return prompts;
  }
  std::uint64_t encoded_frames() const override { return encoder_->encoded_frames(); }
  std::uint64_t encoded_utterances() const override { return encoder_->encoded_utterances(); }
  int frame_rows(int width, int height) const override {
    const int rows = encoder_->frame_rows(width, height);
    recorder_->note(FrameSized{width, height, rows});
    return rows;
  }

 private:
  const std::unique_ptr<engine::Encoder> encoder_;
  const std::shared_ptr<Recorder> recorder_;
};

class RecordingDetector final : public sync::SpeechDetector {
 public:
  RecordingDetector(std::unique_ptr<sync::SpeechDetector> detector, std::uint32_t number,
                    std::shared_ptr<Recorder> recorder)
      : detector_(std::move(detector)), number_(number), recorder_(std::move(recorder)) {}

  float probability(std::span<const float> frame) override {
    const float probability = detector_->probability(frame);
    recorder_->note(SpeechHeard{number_, probability});
    return probability;
  }
  void reset() override { detector_->reset(); }

 private:
  const std::unique_ptr<sync::SpeechDetector> detector_;
  const std::uint32_t number_;
  const std::shared_ptr<Recorder> recorder_;
};

class RecordingSpeech final : public sync::SpeechDetectorFactory {
 public:
  RecordingSpeech(std::unique_ptr<sync::SpeechDetectorFactory> speech, std::shared_ptr<Recorder> recorder)
      : speech_(std::move(speech)), recorder_(std::move(recorder)) {}

  std::unique_ptr<sync::SpeechDetector> make() override {
    return std::make_unique<RecordingDetector>(speech_->make(), made_++, recorder_);
  }

 private:
  const std::unique_ptr<sync::SpeechDetectorFactory> speech_;
  const std::shared_ptr<Recorder> recorder_;
  std::uint32_t made_ = 0;
};

}  // namespace

engine::Engine record_engine(engine::Engine engine, const std::shared_ptr<Recorder>& recorder) {
  engine.tokenizer = std::make_unique<RecordingTokenizer>(std::move(engine.tokenizer), recorder);
  if (engine.encoder)
    engine.encoder = std::make_unique<RecordingEncoder>(std::move(engine.encoder), recorder);
  return engine;
}

std::unique_ptr<sync::SpeechDetectorFactory> record_speech(
    std::unique_ptr<sync::SpeechDetectorFactory> speech, const std::shared_ptr<Recorder>& recorder) {
  if (!speech) return nullptr;
  return std::make_unique<RecordingSpeech>(std::move(speech), recorder);
}

}  // namespace braid::serve
