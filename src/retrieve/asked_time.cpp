#include "braid/retrieve/asked_time.h"

#include <cctype>
#include <utility>
#include <vector>

#include "asked_words.h"

namespace braid::retrieve {

namespace {

using calendar::Asker;
using calendar::Precision;
using calendar::UtcRange;

constexpr Nanoseconds kDay = std::chrono::hours(24);

/// A time by itself: numbers and plain words are none. `date`: that of a time of day; empty: the last such.
std::optional<UtcRange> time_at(const std::vector<Word>& words, std::size_t at, const Asker& asker,
                                const std::string& date) {
  if (at >= words.size()) return std::nullopt;
  const std::string& text = words[at].written;
  const bool digits = !text.empty() && (std::isdigit(static_cast<unsigned char>(text.front())) != 0);
  if (!digits || text.find_first_of(":-") == std::string::npos) return std::nullopt;
  const bool dateless = text.find('-') == std::string::npos && text.find('T') == std::string::npos;
  if (!date.empty() && !dateless) return std::nullopt;
  auto range = calendar::parse_time_range(date.empty() ? text : date + 'T' + text, asker);
  if (!range || range->from == UtcTime::min() || range->to == UtcTime::max()) return std::nullopt;
  if (dateless && date.empty() && range->from > *asker.now) {
    range->from -= kDay;
    range->to -= kDay;
  }
  return *range;
}

/// Where a range that ends with it ends: a date belongs to it, a time of day is an instant.
UtcTime end_of(const UtcRange& range) { return range.precision >= Precision::kHour ? range.from : range.to; }

/// "2026-11-29" of "today", "yesterday" and the date itself; empty: the word is no day.
std::string date_of(const std::string& word, const Asker& asker) {
  const bool written = word.size() == 10 && word.find_first_not_of("0123456789-") == std::string::npos;
  if (written) return word;
  if (word != "today" && word != "yesterday") return {};
  const UtcTime local =
      *asker.now + Nanoseconds(asker.zone.at(*asker.now)) - (word == "today" ? 0 : 1) * kDay;
  return calendar::utc_text(local).substr(0, 10);
}

struct Match {
  UtcTime from = UtcTime::min(), to = UtcTime::max();
  std::size_t words = 0;
};

bool is_article(const std::vector<Word>& words, std::size_t at) {
  return at < words.size() && is_in(words[at].text, {"the", "these", "those"});
}

/// "in the past 72 h", "5 minutes ago".
std::optional<Match> relative_at(const std::vector<Word>& words, std::size_t at, const Asker& asker) {
  const UtcTime now = *asker.now;
  std::size_t next = at;
  if (is_in(words[next].text, {"in", "within", "during", "over"})) ++next;
  if (is_article(words, next)) ++next;
  if (next < words.size() && is_in(words[next].text, {"past", "last", "previous"}))
    if (const auto span = span_at(words, next + 1))
      return Match{now - span->length, now + Nanoseconds(1), next + 1 + span->words - at};
  const auto span = span_at(words, at);
  if (!span || at + span->words >= words.size() || words[at + span->words].text != "ago") return std::nullopt;
  const UtcTime then = now - span->length;
  return Match{then - span->unit / 2, then + span->unit / 2, span->words + 1};
}

/// "between X and Y", "from X to Y". `date`: as time_at().
std::optional<Match> interval_at(const std::vector<Word>& words, std::size_t at, const Asker& asker,
                                 const std::string& date = {}) {
  if (at + 3 >= words.size() || !is_in(words[at].text, {"between", "from"})) return std::nullopt;
  if (!is_in(words[at + 2].text, {"and", "to", "until", "till"})) return std::nullopt;
  const auto first = time_at(words, at + 1, asker, date);
  const auto second = time_at(words, at + 3, asker, date);
  if (!first || !second || end_of(*second) <= first->from) return std::nullopt;
  return Match{first->from, end_of(*second), 4};
}

std::optional<Match> single_at(const std::vector<Word>& words, std::size_t at, const Asker& asker,
                               const std::string& date = {}) {
  const std::string& word = words[at].text;
  if (const std::string day = date_of(word, asker); date.empty() && !day.empty())
    if (const auto range = calendar::parse_time_range(day, asker)) return Match{range->from, range->to, 1};
  if (const auto range = time_at(words, at, asker, date)) return Match{range->from, range->to, 1};
  const auto range = time_at(words, at + 1, asker, date);
  if (!range) return std::nullopt;
  if (word == "since") return Match{range->from, UtcTime::max(), 2};
  if (word == "after") return Match{range->to, UtcTime::max(), 2};
  if (word == "before") return Match{UtcTime::min(), range->from, 2};
  if (is_in(word, {"until", "till"})) return Match{UtcTime::min(), end_of(*range), 2};
  if (is_in(word, {"at", "on", "in", "around"})) return Match{range->from, range->to, 2};
  return std::nullopt;
}

std::optional<Match> of_day_at(const std::vector<Word>& words, std::size_t at, const Asker& asker,
                               const std::string& date) {
  if (at >= words.size()) return std::nullopt;
  auto match = interval_at(words, at, asker, date);
  return match ? match : single_at(words, at, asker, date);
}

/// A time of day and its day, whichever comes first: "yesterday at 10:00", "from 10:00 to 10:05 on
/// 2026-11-29".
std::optional<Match> dated_at(const std::vector<Word>& words, std::size_t at, const Asker& asker) {
  const std::size_t day = words[at].text == "on" && at + 1 < words.size() ? at + 1 : at;
  if (const std::string date = date_of(words[day].text, asker); !date.empty()) {
    auto match = of_day_at(words, day + 1, asker, date);
    if (match) match->words += day + 1 - at;
    return match;
  }
  auto match = of_day_at(words, at, asker, {});
  if (!match) return std::nullopt;
  std::size_t next = at + match->words;
  if (next < words.size() && words[next].text == "on") ++next;
  if (next >= words.size()) return std::nullopt;
  const std::string date = date_of(words[next].text, asker);
  match = date.empty() ? std::nullopt : of_day_at(words, at, asker, date);
  if (match) match->words = next + 1 - at;
  return match;
}

}  // namespace

std::optional<AskedTime> find_asked_time(std::string_view question, const Asker& asker) {
  if (!asker.now) return std::nullopt;
  const std::vector<Word> words = words_of(question);
  for (std::size_t at = 0; at < words.size(); ++at) {
    auto match = dated_at(words, at, asker);
    if (!match) match = interval_at(words, at, asker);
    if (!match) match = relative_at(words, at, asker);
    if (!match) match = single_at(words, at, asker);
    if (!match) continue;
    const std::size_t begin = words[at].begin;
    const std::size_t end = words[at + match->words - 1].end;
    AskedTime found{match->from, match->to, std::string(question.substr(begin, end - begin)), {}};
    found.rest = std::string(question.substr(0, begin)) + std::string(question.substr(end));
    return found;
  }
  return std::nullopt;
}

}  // namespace braid::retrieve
