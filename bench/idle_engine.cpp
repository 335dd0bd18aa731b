#include "idle_engine.h"

#include <atomic>
#include <utility>

#include "allocations.h"

namespace braid::bench {

namespace {

class MarkedTokenizer final : public engine::Tokenizer {
 public:
  explicit MarkedTokenizer(std::unique_ptr<engine::Tokenizer> real) : real_(std::move(real)) {}
  const engine::ChatFormat& chat() const override { return real_->chat(); }
  TokenRun tokenize(std::string_view text, bool special) const override {
    const OwnerScope scope(Owner::kTokenizer);
    return real_->tokenize(text, special);
  }
  std::string piece(Token token) const override {
    const OwnerScope scope(Owner::kTokenizer);
    return real_->piece(token);
  }
  bool ends_generation(Token token) const override { return real_->ends_generation(token); }
  Result<engine::RenderedChat> render(const engine::ChatInput& input) const override {
    return real_->render(input);
  }

 private:
  std::unique_ptr<engine::Tokenizer> real_;
};

class IdleDecoder final : public engine::Decoder {
 public:
  explicit IdleDecoder(int vocabulary) : logits_(static_cast<std::size_t>(vocabulary)) {}
  Result<StepResult> step(const StepPlan& plan) override {
    const OwnerScope scope(Owner::kEngine);
    StepResult result;
    for (const Row& row : plan.rows)
      if (row.wants_logits) result.logits.emplace_back(logits_);
    return result;
  }
  Status fork(SequenceId, SequenceId, std::span<const engine::PositionRange>) override { return {}; }
  Status forget(SequenceId, engine::PositionRange) override { return {}; }
  void free(SequenceId) override {}
  engine::Counters counters() const override { return {}; }

 private:
  std::vector<float> logits_;
};

class IdleEncoder final : public engine::Encoder {
 public:
  IdleEncoder(int rows, int dim) : rows_(rows), dim_(dim) {}
  Result<std::vector<Prompt>> encode(std::span<const engine::Medium> batch) override {
    const OwnerScope scope(Owner::kEngine);
    std::vector<Prompt> prompts(batch.size());
    for (Prompt& prompt : prompts)
      prompt.pieces.emplace_back(EmbeddingRun{
          .rows = std::make_shared<Matrix>(static_cast<std::size_t>(rows_), static_cast<std::size_t>(dim_)),
          .grid = {},
          .positions = rows_});
    frames_ += batch.size();
    return prompts;
  }
  std::uint64_t encoded_frames() const override { return frames_; }
  std::uint64_t encoded_utterances() const override { return 0; }
  int frame_rows(int, int) const override { return rows_; }

 private:
  int rows_, dim_;
  std::atomic<std::uint64_t> frames_ = 0;
};

}  // namespace

engine::Engine idle_engine(engine::Engine real, int rows_per_frame) {
  engine::Engine idle;
  idle.info = real.info;
  idle.tokenizer = std::make_unique<MarkedTokenizer>(std::move(real.tokenizer));
  idle.decoder = std::make_unique<IdleDecoder>(real.info.vocabulary);
  idle.encoder = std::make_unique<IdleEncoder>(rows_per_frame, real.info.dim);
  return idle;
}

}  // namespace braid::bench
