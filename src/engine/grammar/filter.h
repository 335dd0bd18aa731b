#pragma once
// One answer's way through a grammar.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/grammar.h"
#include "grammar/matcher.h"

namespace braid::engine::grammar {

class Filter final : public TokenFilter {
 public:
  explicit Filter(std::shared_ptr<const Grammar> grammar);

  bool allows(Token token) override;
  void apply(std::span<float> logits) override;
  void accept(Token token) override;
  Status status() const override;

 private:
  using Mask = std::vector<std::uint64_t>;  // a bit a token: it may come next

  bool bound() const { return !error_ && !waiting_; }
  void refuse(ErrorCode code, const char* what);
  Matcher::State walk(Matcher::State from, std::string_view bytes);
  void advance(std::string_view bytes);
  void await_trigger(std::string_view piece);
  std::optional<std::size_t> find_trigger(std::size_t new_bytes) const;
  std::optional<std::size_t> find_pattern(std::size_t index) const;
  const Mask& mask();
  void fill(Mask& mask);

  std::shared_ptr<const Grammar> grammar_;
  Matcher matcher_;
  Matcher::State state_;
  bool waiting_;         // for a trigger
  std::string unbound_;  // the answer's text while waiting, its last bytes
  bool unbound_cut_ = false;
  std::optional<Error> error_;

  struct Kept {
    Matcher::State state;
    Mask mask;
  };
  std::vector<Kept> masks_;
  std::size_t next_mask_ = 0;           // to be replaced
  std::vector<Matcher::State> levels_;  // of the walk over the vocabulary: [depth] the state there
};

}  // namespace braid::engine::grammar
