#include "braid/retrieve/compress.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sentences.h"
#include "term_weights.h"

namespace braid::retrieve {

namespace {

constexpr double kSameWords = 0.9;      // of two texts that say the same
constexpr float kRelevance = 0.7F;      // the rest is for what is new
constexpr float kTypical = 0.25F;       // beside the query's words
constexpr float kPositionDecay = 0.1F;  // a sentence counts 1 / (1 + decay * its place)

/// A record's text as the set of its words, and its numbers, which make a difference however few they are.
struct Saying {
  std::set<std::string> words, numbers;

  explicit Saying(const Record& record) {
    for (std::string& stem : stems_of(record.text)) {
      const bool has_digit = stem.find_first_of("0123456789") != std::string::npos;
      (has_digit ? numbers : words).insert(std::move(stem));
    }
  }
  bool like(const Saying& other) const {
    if (numbers != other.numbers) return false;
    const std::size_t shared = static_cast<std::size_t>(std::count_if(
        words.begin(), words.end(), [&](const std::string& word) { return other.words.contains(word); }));
    const std::size_t all = words.size() + other.words.size() - shared;
    return static_cast<double>(shared) >= kSameWords * static_cast<double>(all);
  }
};

/// Records that say the same, by their places in what was found: the best, the earliest, the latest.
struct Group {
  Saying saying;
  std::size_t best, earliest, latest;
};

std::vector<Group> grouped(const std::vector<Record>& found) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Saying saying(found[i]);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      const Record& best = found[group.best];
      return best.kind == found[i].kind && best.source == found[i].source && group.saying.like(saying);
    });
    if (same == groups.end()) {
      groups.push_back({std::move(saying), i, i, i});
      continue;
    }
    if (found[i].start < found[same->earliest].start) same->earliest = i;
    if (found[i].end > found[same->latest].end) same->latest = i;
  }
  return groups;
}

/// Chooses sentences of one record after the other.
class Chooser {
 public:
  Chooser(const std::vector<Record>& records, std::string_view query) {
    for (const Record& record : records)
      for (const std::string_view sentence : sentences_of(record.text)) weights_.count(sentence);
    query_ = weights_.vector_of(query);
  }

  std::string choose(const std::string& text, std::size_t most) {
    const std::vector<std::string_view> sentences = sentences_of(text);
    if (sentences.size() <= most) {
      for (const std::string_view sentence : sentences) taken_.push_back(weights_.vector_of(sentence));
      return text;
    }
    std::vector<Candidate> candidates = candidates_of(sentences, text);
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < most; ++i) chosen.insert(take_best(candidates));
    std::string shortened;
    for (const std::size_t at : chosen) {
      if (!shortened.empty()) shortened += ' ';
      shortened += sentences[at];
    }
    return shortened;
  }

 private:
  struct Candidate {
    TermVector words;
    float relevance = 0;
    float said = 0;  // likeness to the likest that was taken
    bool taken = false;

    float score() const { return kRelevance * relevance - (1 - kRelevance) * said; }
  };

  std::vector<Candidate> candidates_of(const std::vector<std::string_view>& sentences,
                                       const std::string& text) const {
    const TermVector whole = weights_.vector_of(text);
    std::vector<Candidate> candidates;
    for (const std::string_view sentence : sentences) {
      Candidate one;
      one.words = weights_.vector_of(sentence);
      const float place = 1 + kPositionDecay * static_cast<float>(candidates.size());
      one.relevance = (cosine(one.words, query_) + kTypical * cosine(one.words, whole)) / place;
      for (const TermVector& taken : taken_) one.said = std::max(one.said, cosine(one.words, taken));
      candidates.push_back(std::move(one));
    }
    return candidates;
  }

  std::size_t take_best(std::vector<Candidate>& candidates) {
    std::size_t best = candidates.size();
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (!candidates[i].taken &&
          (best == candidates.size() || candidates[i].score() > candidates[best].score()))
        best = i;
    candidates[best].taken = true;
    taken_.push_back(candidates[best].words);
    for (Candidate& one : candidates) one.said = std::max(one.said, cosine(one.words, taken_.back()));
    return best;
  }

  TermWeights weights_;
  TermVector query_;
  std::vector<TermVector> taken_;
};

}  // namespace

std::vector<Record> compress(std::vector<Record> found, std::string_view query,
                             const CompressOptions& options) {
  std::vector<Record> kept;
  for (const Group& group : grouped(found)) {
    if (kept.size() == options.records) break;
    kept.push_back(std::move(found[group.earliest]));
    if (group.latest != group.earliest && kept.size() < options.records)
      kept.push_back(std::move(found[group.latest]));
  }
  Chooser chooser(kept, query);
  for (Record& record : kept)
    record.text = chooser.choose(record.text, std::max<std::size_t>(options.sentences, 1));
  return kept;
}

}  // namespace braid::retrieve
