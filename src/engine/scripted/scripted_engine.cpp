#include "braid/engine/scripted_engine.h"

#include <algorithm>
#include <utility>

#include "scripted/decoder.h"
#include "scripted/encoder.h"

namespace braid::engine {

namespace {

// The tokenizer is part of the shared state; an Engine owns a handle to it.
class SharedTokenizer final : public Tokenizer {
 public:
  explicit SharedTokenizer(std::shared_ptr<const scripted::State> state) : state_(std::move(state)) {}
  const ChatFormat& chat() const override { return state_->vocabulary.chat(); }
  TokenRun tokenize(std::string_view text, bool special) const override {
    return state_->vocabulary.tokenize(text, special);
  }
  std::string piece(Token token) const override { return state_->vocabulary.piece(token); }
  bool ends_generation(Token token) const override { return state_->vocabulary.ends_generation(token); }
  Result<RenderedChat> render(const ChatInput& input) const override {
    return state_->vocabulary.render(input);
  }

 private:
  std::shared_ptr<const scripted::State> state_;
};

EngineInfo describe(const scripted::State& state) {
  const ScriptedOptions& options = state.options;
  EngineInfo info;
  info.name = info.family = info.device = "scripted";
  info.dim = options.dim;
  info.vocabulary = state.vocabulary.size();
  info.trained_context = options.trained_context;
  info.cells = options.cells;
  info.max_sequences = options.max_sequences;
  info.max_step_rows = options.max_step_rows;
  info.sees = options.sees;
  info.hears = options.hears;
  info.max_frame_side = options.max_frame_side;
  info.one_pass = options.one_pass;
  info.can_hide_ranges = options.can_hide_ranges;
  info.can_forget = options.can_forget;
  info.indivisible_media = options.indivisible_media;
  return info;
}

}  // namespace

ScriptedEngine make_scripted_engine(Clock& clock, ScriptedOptions options) {
  options.dim = std::max(options.dim, scripted::kRowFloats);
  const auto state = std::make_shared<scripted::State>(clock, std::move(options));
  ScriptedEngine made;
  made.engine.info = describe(*state);
  made.engine.tokenizer = std::make_unique<SharedTokenizer>(state);
  made.engine.decoder = std::make_unique<scripted::ScriptedDecoder>(state);
  if (state->options.sees || state->options.hears)
    made.engine.encoder = std::make_unique<scripted::ScriptedEncoder>(state);
  made.probe = state;
  return made;
}

}  // namespace braid::engine
