#include "grammar/filter.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace braid::engine::grammar {

namespace {

constexpr std::size_t kMasks = 32;
// Patterns look back so far: matching takes stack and time for each byte.
constexpr std::size_t kMaxUnbound = 512;
constexpr float kForbidden = -std::numeric_limits<float>::infinity();

constexpr const char* kTooMuch =
    "the grammar takes too much work to be followed; simpler patterns, fewer alternatives and values take "
    "less";

void allow(std::vector<std::uint64_t>& mask, Token token) {
  const auto at = static_cast<std::size_t>(token);
  if (at / 64 < mask.size()) mask[at / 64] |= 1ULL << (at % 64);
}

}  // namespace

Filter::Filter(std::shared_ptr<const Grammar> grammar)
    : grammar_(std::move(grammar)),
      matcher_(grammar_->program()),
      state_(matcher_.start()),
      waiting_(grammar_->source().lazy),
      levels_(static_cast<std::size_t>(grammar_->vocabulary().max_depth()) + 1) {
  if (matcher_.exhausted())
    refuse(ErrorCode::kLimit, kTooMuch);
  else if (state_ == Matcher::kDead)
    refuse(ErrorCode::kBadInput, "the grammar allows no text at all");
  else if (!waiting_)
    advance(grammar_->source().prefix);
  matcher_.renew();
}

Status Filter::status() const {
  if (error_) return tl::unexpected(*error_);
  return {};
}

void Filter::refuse(ErrorCode code, const char* what) {
  if (!error_) error_ = Error{code, what, false};
}

Matcher::State Filter::walk(Matcher::State from, std::string_view bytes) {
  for (const char byte : bytes) {
    if (from == Matcher::kDead) break;
    from = matcher_.step(from, static_cast<std::uint8_t>(byte));
  }
  if (matcher_.exhausted()) refuse(ErrorCode::kLimit, kTooMuch);
  return from;
}

bool Filter::allows(Token token) {
  if (!bound()) return true;
  if (grammar_->vocabulary().ends_generation(token)) return matcher_.may_end(state_);
  const std::string_view piece = grammar_->piece(token);
  return !piece.empty() && (walk(state_, piece) != Matcher::kDead || error_);
}

void Filter::apply(std::span<float> logits) {
  if (!bound()) return;
  const Mask& allowed = mask();
  if (error_) return;
  for (std::size_t begin = 0; begin < logits.size(); begin += 64) {
    const std::uint64_t bits = begin / 64 < allowed.size() ? allowed[begin / 64] : 0;
    const std::size_t end = std::min(logits.size(), begin + 64);
    for (std::size_t i = begin; i < end; ++i)
      if ((bits >> (i - begin) & 1U) == 0) logits[i] = kForbidden;
  }
}

const Filter::Mask& Filter::mask() {
  const auto known =
      std::find_if(masks_.begin(), masks_.end(), [&](const Kept& kept) { return kept.state == state_; });
  if (known != masks_.end()) return known->mask;
  if (masks_.size() < kMasks) masks_.emplace_back();
  Kept& made = masks_[next_mask_];
  next_mask_ = (next_mask_ + 1) % kMasks;
  made.state = state_;
  fill(made.mask);
  if (error_) made.state = Matcher::kDead;
  return made.mask;
}

void Filter::fill(Mask& mask) {
  const VocabularyIndex& vocabulary = grammar_->vocabulary();
  mask.assign((static_cast<std::size_t>(vocabulary.size()) + 63) / 64, 0);
  const auto& nodes = vocabulary.nodes();
  levels_[0] = state_;
  for (std::size_t at = 0; at + 1 < nodes.size();) {
    const VocabularyIndex::Node& node = nodes[at];
    const Matcher::State state = matcher_.step(levels_[node.depth - 1U], node.byte);
    if (state == Matcher::kDead) {
      if (matcher_.exhausted()) return refuse(ErrorCode::kLimit, kTooMuch);
      at = node.after;
      continue;
    }
    levels_[node.depth] = state;
    for (std::uint32_t i = node.first_token; i < nodes[at + 1].first_token; ++i)
      allow(mask, vocabulary.tokens()[i]);
    ++at;
  }
  for (const auto& [token, text] : grammar_->source().marks)
    if (!vocabulary.ends_generation(token) && walk(state_, text) != Matcher::kDead) allow(mask, token);
  if (matcher_.may_end(state_))
    for (const Token token : vocabulary.ends()) allow(mask, token);
  if (std::all_of(mask.begin(), mask.end(), [](std::uint64_t bits) { return bits == 0; }))
    refuse(ErrorCode::kInternal, "no token of the vocabulary may come next");
}

void Filter::accept(Token token) {
  matcher_.renew();
  if (error_) return;
  if (grammar_->vocabulary().ends_generation(token)) {
    if (!waiting_ && !matcher_.may_end(state_))
      refuse(ErrorCode::kInternal, "the answer ended where the grammar doesn't end");
    return;
  }
  if (waiting_)
    await_trigger(grammar_->piece(token));
  else
    advance(grammar_->piece(token));
}

void Filter::advance(std::string_view bytes) {
  state_ = walk(state_, bytes);
  if (error_) return;
  if (state_ == Matcher::kDead) return refuse(ErrorCode::kInternal, "the answer left its grammar");
  if (!matcher_.crowded()) return;
  state_ = matcher_.forget(state_);
  for (Kept& kept : masks_) kept.state = Matcher::kDead;
}

void Filter::await_trigger(std::string_view piece) {
  unbound_ += piece;
  const auto begin = find_trigger(piece.size());
  if (begin) {
    waiting_ = false;
    const std::string bound = std::exchange(unbound_, {}).substr(*begin);
    return advance(bound);
  }
  if (unbound_.size() <= 2 * kMaxUnbound) return;
  unbound_.erase(0, unbound_.size() - kMaxUnbound);
  unbound_cut_ = true;
}

/// Where the grammar begins in the text so far. Words are looked for where the new bytes may complete one.
std::optional<std::size_t> Filter::find_trigger(std::size_t new_bytes) const {
  std::optional<std::size_t> first;
  const auto consider = [&](std::optional<std::size_t> at) {
    if (at && (!first || *at < *first)) first = at;
  };
  for (const std::string& word : grammar_->source().words) {
    const std::size_t back = std::min(unbound_.size(), new_bytes + word.size());
    const std::size_t at = unbound_.find(word, unbound_.size() - back);
    if (!word.empty() && at != std::string::npos) consider(at);
  }
  for (std::size_t i = 0; i < grammar_->patterns().size(); ++i) consider(find_pattern(i));
  return first;
}

std::optional<std::size_t> Filter::find_pattern(std::size_t index) const {
  const std::string& written = grammar_->source().patterns[index];
  const bool whole = written.size() > 1 && written.front() == '^' && written.back() == '$';
  if (whole && (unbound_cut_ || unbound_.size() > kMaxUnbound)) return std::nullopt;
  const std::size_t skipped = unbound_.size() - std::min(unbound_.size(), kMaxUnbound);
  const std::string text = unbound_.substr(skipped);
  std::smatch found;
  try {
    if (!std::regex_search(text, found, grammar_->patterns()[index])) return std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // too complex for this text: no trigger
  }
  for (std::size_t group = 1; group < found.size(); ++group)
    if (found.length(group) > 0) return skipped + static_cast<std::size_t>(found.position(group));
  return skipped + static_cast<std::size_t>(found.position(0));
}

}  // namespace braid::engine::grammar
