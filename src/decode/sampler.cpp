#include "braid/decode/sampler.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "blocks.h"

namespace braid::decode {

namespace {

bool before(float a_value, Token a, float b_value, Token b) {
  return a_value != b_value ? a_value > b_value : a < b;
}

}  // namespace

Token argmax(std::span<const float> logits) {
  float best = kLowest;
  std::size_t begin = 0;  // where a value equal to `best` is to be looked for
  std::size_t i = 0;
  for (; i + kBlock <= logits.size(); i += kBlock)
    if (const float highest = block_max(logits.data() + i); highest > best) {
      best = highest;
      begin = i;
    }
  for (; i < logits.size(); ++i)
    if (logits[i] > best) {
      best = logits[i];
      begin = i;
    }
  const auto found = std::find(logits.begin() + static_cast<std::ptrdiff_t>(begin), logits.end(), best);
  return found == logits.end() || best == kLowest ? 0 : static_cast<Token>(found - logits.begin());
}

Sampler::Sampler(Sampling options) : options_(std::move(options)), random_(options_.seed) {}

Token Sampler::sample(std::span<const float> logits, engine::TokenFilter* filter) {
  if (logits.empty()) throw std::logic_error("0 logits to sample from; expected the vocabulary's");
  if (!options_.logit_bias.empty() || !counts_.empty()) logits = adjust(logits);
  const Token token = choose(logits);
  if (!filter || filter->allows(token)) return token;
  if (logits.data() != adjusted_.data()) adjusted_.assign(logits.begin(), logits.end());
  filter->apply(adjusted_);
  return choose(adjusted_);
}

void Sampler::accept(Token token) {
  if (options_.frequency_penalty == 0.0F && options_.presence_penalty == 0.0F) return;
  const auto known =
      std::find_if(counts_.begin(), counts_.end(), [&](const Count& count) { return count.token == token; });
  if (known == counts_.end())
    counts_.push_back({token, 1});
  else
    ++known->times;
}

std::span<const float> Sampler::adjust(std::span<const float> logits) {
  adjusted_.assign(logits.begin(), logits.end());
  const auto add = [&](Token token, float value) {
    if (token >= 0 && static_cast<std::size_t>(token) < adjusted_.size())
      adjusted_[static_cast<std::size_t>(token)] += value;
  };
  for (const auto& [token, bias] : options_.logit_bias) add(token, bias);
  for (const Count& count : counts_)
    add(count.token,
        -options_.frequency_penalty * static_cast<float>(count.times) - options_.presence_penalty);
  return adjusted_;
}

Token Sampler::choose(std::span<const float> logits) {
  const Token greedy = argmax(logits);
  const float highest = logits[static_cast<std::size_t>(greedy)];
  if (!(options_.temperature > 0.0F) || !std::isfinite(highest)) return greedy;
  collect(logits, highest);
  keep_top_k();
  keep_top_p(highest);
  return draw(highest);
}

// min-p comes first: both it and top-k keep the highest, so their order doesn't matter and this leaves few to
// sort.
void Sampler::collect(std::span<const float> logits, float highest) {
  const float least = options_.min_p > 0.0F ? highest + std::log(std::min(options_.min_p, 1.0F)) : kLowest;
  candidates_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (logits[i] >= least) candidates_.push_back({static_cast<Token>(i), logits[i]});
}

// Leaves the candidates in order, highest first.
void Sampler::keep_top_k() {
  const auto higher = [](const Candidate& a, const Candidate& b) {
    return before(a.value, a.token, b.value, b.token);
  };
  const auto k = static_cast<std::size_t>(std::max(options_.top_k, 0));
  if (k > 0 && k < candidates_.size()) {
    std::nth_element(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(k),
                     candidates_.end(), higher);
    candidates_.resize(k);
  }
  std::sort(candidates_.begin(), candidates_.end(), higher);
}

// The fewest whose probability reaches top_p; at least one.
void Sampler::keep_top_p(float highest) {
  if (!(options_.top_p < 1.0F)) return;
  double total = 0.0;
  for (Candidate& candidate : candidates_)
    total += candidate.weight = std::exp(static_cast<double>(candidate.value) - static_cast<double>(highest));
  const double wanted = static_cast<double>(options_.top_p) * total;
  double sum = 0.0;
  std::size_t kept = 0;
  while (kept < candidates_.size() && (kept == 0 || sum < wanted)) sum += candidates_[kept++].weight;
  candidates_.resize(kept);
}

Token Sampler::draw(float highest) {
  double total = 0.0;
  for (Candidate& candidate : candidates_)
    total += candidate.weight =
        std::exp((static_cast<double>(candidate.value) - static_cast<double>(highest)) /
                 static_cast<double>(options_.temperature));
  double left = uniform() * total;
  for (const Candidate& candidate : candidates_) {
    left -= candidate.weight;
    if (left < 0.0) return candidate.token;
  }
  return candidates_.back().token;
}

// [0, 1) by 53 bits. The standard's distributions may differ from library to library.
double Sampler::uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

}  // namespace braid::decode
