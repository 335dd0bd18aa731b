#include "braid/retrieve/asked_event.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "asked_words.h"
#include "braid/retrieve/asked_time.h"
#include "query_words.h"

namespace braid::retrieve {

namespace {

constexpr Nanoseconds kJust = std::chrono::seconds(60);
constexpr Nanoseconds kNear = std::chrono::minutes(10);

/// The words that tell how the event and what is asked for lie to one another.
struct Lead {
  Relation relation = Relation::kBefore;
  Nanoseconds reach{};
  std::size_t words = 0;
};

std::optional<Relation> relation_of(const std::vector<Word>& words, std::size_t at) {
  if (at >= words.size()) return std::nullopt;
  if (words[at].text == "before") return Relation::kBefore;
  if (words[at].text == "after") return Relation::kAfter;
  return std::nullopt;
}

/// "30 seconds before", "in the 5 minutes after".
std::optional<Lead> measured_lead(const std::vector<Word>& words, std::size_t at) {
  std::size_t next = at;
  if (is_in(words[next].text, {"in", "within", "during", "over"})) ++next;
  if (next < words.size() && is_in(words[next].text, {"the", "last", "first"})) ++next;
  if (next < words.size() && is_in(words[next].text, {"last", "first"})) ++next;
  const auto span = span_at(words, next);
  if (!span) return std::nullopt;
  const auto relation = relation_of(words, next + span->words);
  if (!relation) return std::nullopt;
  return Lead{*relation, span->length, next + span->words + 1 - at};
}

std::optional<Lead> lead_at(const std::vector<Word>& words, std::size_t at) {
  const std::string& word = words[at].text;
  if (const auto measured = measured_lead(words, at)) return measured;
  if (is_in(word, {"just", "right", "immediately", "shortly", "directly"}))
    if (const auto relation = relation_of(words, at + 1)) return Lead{*relation, kJust, 2};
  if (const auto relation = relation_of(words, at)) return Lead{*relation, kNear, 1};
  if (is_in(word, {"preceded", "preceding"})) return Lead{Relation::kBefore, kNear, 1};
  if (is_in(word, {"led", "leading"}) && at + 1 < words.size()) {
    if (words[at + 1].text == "to") return Lead{Relation::kBefore, kNear, 2};
    if (words[at + 1].text == "up" && at + 2 < words.size() && words[at + 2].text == "to")
      return Lead{Relation::kBefore, kNear, 3};
  }
  if (is_in(word, {"followed", "following"})) return Lead{Relation::kAfter, kNear, 1};
  if (word == "since") return Lead{Relation::kAfter, Nanoseconds::max(), 1};
  if (is_in(word, {"until", "till"})) return Lead{Relation::kBefore, Nanoseconds::max(), 1};
  if (is_in(word, {"during", "while"})) return Lead{Relation::kDuring, {}, 1};
  return std::nullopt;
}

/// Behind the last word of the event that begins at `at`.
std::size_t event_end(const std::vector<Word>& words, std::string_view question, std::size_t at) {
  for (std::size_t i = at; i < words.size(); ++i) {
    if (i > at && is_in(words[i].text, {"what", "which", "who", "where", "when", "how", "did", "do", "does"}))
      return i;
    const std::string_view written = question.substr(words[i].begin, words[i].end - words[i].begin);
    if (written.find_last_of(",;?!") == written.size() - 1) return i + 1;
  }
  return words.size();
}

}  // namespace

const char* to_string(Relation relation) {
  switch (relation) {
    case Relation::kBefore:
      return "before";
    case Relation::kAfter:
      return "after";
    default:
      return "during";
  }
}

std::optional<EventQuestion> find_asked_event(std::string_view question, const calendar::Asker& asker) {
  const std::vector<Word> words = words_of(question);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto lead = lead_at(words, at);
    if (!lead || at + lead->words >= words.size()) continue;
    const std::size_t first = at + lead->words;
    const std::size_t last = event_end(words, question, first) - 1;
    const auto piece = [&](std::size_t from, std::size_t to) {
      const std::string_view whole = question.substr(words[from].begin, words[to].end - words[from].begin);
      return std::string(whole.substr(0, whole.find_last_not_of(",;?!.") + 1));
    };
    EventQuestion found;
    found.event = {lead->relation,     lead->reach,    piece(at, last),
                   piece(first, last), UtcTime::min(), UtcTime::max()};
    found.rest =
        std::string(question.substr(0, words[at].begin)) + std::string(question.substr(words[last].end));
    auto when = find_asked_time(found.event.event, asker);
    if (when) found.event.event = when->rest;
    if (all_words(found.event.event).empty()) continue;
    if (!when) {
      when = find_asked_time(found.rest, asker);
      if (when) found.rest = when->rest;
    }
    if (when) {
      found.event.from = when->from;
      found.event.to = when->to;
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace braid::retrieve
