#include "record/recorded_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

class RecordedTokenizer final : public engine::Tokenizer {
 public:
  RecordedTokenizer(const Recording& recording, ReplayedStep& step)
      : chat_(recording.opened().chat), tables_(recording.tables()), step_(step) {}

  const engine::ChatFormat& chat() const override { return chat_; }
  TokenRun tokenize(std::string_view text, bool special) const override {
    const auto found = tables_.tokens.find({std::string(text), special});
    if (found != tables_.tokens.end()) return found->second;
    step_.differs(fmt::format("prompts: the text \"{}\" isn't in the recording", text.substr(0, 100)));
    return {};
  }
  std::string piece(Token token) const override { return spelled(token).piece; }
  bool ends_generation(Token token) const override { return spelled(token).ends; }
  Result<engine::RenderedChat> render(const engine::ChatInput&) const override {
    return fail(ErrorCode::kUnsupported, "a recording renders no conversations");
  }

 private:
  const Spelled& spelled(Token token) const {
    static const Spelled unknown;
    const auto found = tables_.pieces.find(token);
    if (found != tables_.pieces.end()) return found->second;
    step_.differs(fmt::format("answers: token {} isn't in the recording", token));
    return unknown;
  }

  const engine::ChatFormat& chat_;
  const ModelTables& tables_;
  ReplayedStep& step_;
};

class RecordedEncoder final : public engine::Encoder {
 public:
  RecordedEncoder(const Recording& recording, ReplayedStep& step)
      : tables_(recording.tables()), max_rows_(recording.opened().model.cells), step_(step) {}

  Result<std::vector<Prompt>> encode(std::span<const engine::Medium> batch) override {
    std::vector<Prompt> prompts;
    for (const engine::Medium& medium : batch) {
      if (next_ >= tables_.media.size()) {
        step_.differs("filter decisions: a medium was encoded that the recording hasn't");
        return fail(ErrorCode::kMismatch, "the recording has no such medium");
      }
      const MediumEncoded& told = tables_.media[next_++];
      if (told.error) return tl::unexpected(*told.error);
      for (const PieceShape& piece : told.pieces)
        if (!fits(piece)) return fail(ErrorCode::kBadInput, "the recording has a medium that can't be");
      prompts.push_back(prompt_of(told));
      ++(std::holds_alternative<const Frame*>(medium) ? frames_ : utterances_);
    }
    return prompts;
  }
  std::uint64_t encoded_frames() const override { return frames_; }
  std::uint64_t encoded_utterances() const override { return utterances_; }
  int frame_rows(int width, int height) const override {
    const auto found = tables_.frame_rows.find({width, height});
    return found == tables_.frame_rows.end() ? 0 : found->second;
  }

 private:
  bool fits(const PieceShape& piece) const {
    if (!piece.tokens.empty()) return true;
    const auto rows = static_cast<std::size_t>(std::max(piece.rows, 0));
    return piece.rows > 0 && piece.rows <= max_rows_ && piece.positions > 0 &&
           piece.positions <= piece.rows &&
           (piece.grid.empty() ? piece.positions == piece.rows : piece.grid.size() == rows);
  }
  static Prompt prompt_of(const MediumEncoded& told) {
    Prompt prompt;
    for (const PieceShape& piece : told.pieces) {
      if (!piece.tokens.empty()) {
        prompt.append(piece.tokens);
        continue;
      }
      EmbeddingRun run;
      run.rows = std::make_shared<Matrix>(static_cast<std::size_t>(piece.rows), 1);
      run.grid = piece.grid;
      run.positions = piece.positions;
      run.indivisible = piece.indivisible;
      prompt.pieces.emplace_back(std::move(run));
    }
    return prompt;
  }

  const ModelTables& tables_;
  const int max_rows_;
  ReplayedStep& step_;
  std::size_t next_ = 0;
  std::uint64_t frames_ = 0, utterances_ = 0;
};

/// Logits that leave no choice but the token that was chosen.
class RecordedDecoder final : public engine::Decoder {
 public:
  RecordedDecoder(const Recording& recording, ReplayClock& clock, ReplayedStep& step)
      : vocabulary_(recording.opened().model.vocabulary), clock_(clock), step_(step) {}

  Result<StepResult> step(const StepPlan& plan) override {
    if (!step_.expected) {
      step_.differs("schedule: a step was made that the recording hasn't");
      return fail(ErrorCode::kMismatch, "the recording has no such step");
    }
    clock_.hold(step_.expected->end);
    if (step_.expected->failed) return fail(ErrorCode::kInternal, "the step failed when it was recorded");
    StepResult result;
    std::size_t used = 0;
    for (const Row& row : plan.rows)
      if (row.wants_logits) result.logits.push_back(logits(row.sequence, used++));
    return result;
  }
  Status fork(SequenceId, SequenceId, std::span<const engine::PositionRange>) override { return {}; }
  Status forget(SequenceId, engine::PositionRange) override { return {}; }
  void free(SequenceId) override {}
  engine::Counters counters() const override { return {}; }

 private:
  static constexpr float kLow = -1e30F;

  std::span<const float> logits(SequenceId sequence, std::size_t index) {
    while (logits_.size() <= index) logits_.emplace_back(static_cast<std::size_t>(vocabulary_), kLow);
    std::vector<float>& row = logits_[index];
    std::fill(row.begin(), row.end(), kLow);
    for (const auto& [of, token] : step_.expected->sampled)
      if (of == sequence && token >= 0 && token < vocabulary_) row[static_cast<std::size_t>(token)] = 0;
    return row;
  }

  const int vocabulary_;
  ReplayClock& clock_;
  ReplayedStep& step_;
  std::deque<std::vector<float>> logits_;  // spans of it are given out
};

class TimedDecoder final : public engine::Decoder {
 public:
  TimedDecoder(std::unique_ptr<engine::Decoder> decoder, ReplayClock& clock, ReplayedStep& step)
      : decoder_(std::move(decoder)), clock_(clock), step_(step) {}

  Result<StepResult> step(const StepPlan& plan) override {
    if (!step_.expected) {
      step_.differs("schedule: a step was made that the recording hasn't");
      return fail(ErrorCode::kMismatch, "the recording has no such step");
    }
    auto result = decoder_->step(plan);
    clock_.hold(step_.expected->end);
    return result;
  }
  Status fork(SequenceId from, SequenceId to, std::span<const engine::PositionRange> ranges) override {
    return decoder_->fork(from, to, ranges);
  }
  Status forget(SequenceId sequence, engine::PositionRange range) override {
    return decoder_->forget(sequence, range);
  }
  void free(SequenceId sequence) override { decoder_->free(sequence); }
  engine::Counters counters() const override { return decoder_->counters(); }

 private:
  const std::unique_ptr<engine::Decoder> decoder_;
  ReplayClock& clock_;
  ReplayedStep& step_;
};

class RecordedDetector final : public sync::SpeechDetector {
 public:
  explicit RecordedDetector(const std::deque<float>* told) : told_(told) {}
  float probability(std::span<const float>) override {
    return told_ && next_ < told_->size() ? (*told_)[next_++] : 0;
  }
  void reset() override {}

 private:
  const std::deque<float>* told_;
  std::size_t next_ = 0;
};

class RecordedSpeech final : public sync::SpeechDetectorFactory {
 public:
  explicit RecordedSpeech(const ModelTables& tables) : tables_(tables) {}
  std::unique_ptr<sync::SpeechDetector> make() override {
    const auto found = tables_.probabilities.find(made_++);
    return std::make_unique<RecordedDetector>(found == tables_.probabilities.end() ? nullptr
                                                                                   : &found->second);
  }

 private:
  const ModelTables& tables_;
  std::uint32_t made_ = 0;
};

}  // namespace

engine::Engine make_recorded_engine(const Recording& recording, ReplayClock& clock, ReplayedStep& step) {
  engine::Engine engine;
  engine.info = recording.opened().model;
  engine.tokenizer = std::make_unique<RecordedTokenizer>(recording, step);
  engine.decoder = std::make_unique<RecordedDecoder>(recording, clock, step);
  if (recording.opened().encodes) engine.encoder = std::make_unique<RecordedEncoder>(recording, step);
  return engine;
}

engine::Engine time_engine(engine::Engine engine, ReplayClock& clock, ReplayedStep& step) {
  engine.decoder = std::make_unique<TimedDecoder>(std::move(engine.decoder), clock, step);
  return engine;
}

std::unique_ptr<sync::SpeechDetectorFactory> make_recorded_speech(const Recording& recording) {
  if (!recording.opened().hears) return nullptr;
  return std::make_unique<RecordedSpeech>(recording.tables());
}

}  // namespace braid::serve
