// Searches whose range another event gives.

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "memory_state.h"
#include "query_words.h"

namespace braid::retrieve {

namespace {

constexpr int kEventCandidates = 20;
/// What is near the event says less than words that fit, and more than nothing.
constexpr double kNearWeight = 0.5;
constexpr int kNearAtLeast = 50;
constexpr std::size_t kStemBytes = 4;

/// Words that ask for whatever there was.
bool asks_for_all(const std::string& word) {
  constexpr std::array kWords = std::to_array<std::string_view>(
      {"happen", "happened", "happens", "happening", "occurred", "going", "anything", "something",
       "everything", "else", "seen", "see", "show", "shown", "could", "can"});
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::string without_fillers(const std::string& question) {
  std::string kept;
  for (const std::string& word : all_words(question))
    if (!asks_for_all(word)) kept += (kept.empty() ? "" : " ") + word;
  return kept.empty() ? kept : question;
}

/// How many of the words the text has, by how they begin: endings differ.
std::size_t covered(const std::vector<std::string>& words, const std::string& text) {
  const std::vector<std::string> there = all_words(text);
  const auto stem = [](const std::string& word) { return std::string_view(word).substr(0, kStemBytes); };
  return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(there.begin(), there.end(),
                       [&](const std::string& one) { return stem(one) == stem(word); });
  }));
}

std::pair<UtcTime, UtcTime> range_of(const AskedEvent& asked, const Record& event) {
  // A moment lasts for one tick, so that what overlaps it touches it.
  const UtcTime end = std::max(event.end, later(event.start, Nanoseconds(1)));
  if (asked.relation == Relation::kDuring) return {event.start, end};
  const bool open = asked.reach == Nanoseconds::max();
  if (asked.relation == Relation::kBefore)
    return {open ? UtcTime::min() : earlier(event.start, asked.reach), event.start};
  return {event.end, open ? UtcTime::max() : later(end, asked.reach)};
}

}  // namespace

Result<std::optional<Record>> Memory::State::find_event(const SearchQuery& query, SearchPart& account) {
  const SteadyTime begun = clock.now();
  SearchQuery looking;
  looking.text = query.event->event.substr(0, kMaxQueryText);
  looking.filter.from = query.event->from;
  looking.filter.to = query.event->to;
  // An answer repeats the question that it was given to.
  looking.filter.kinds = {RecordKind::kVision, RecordKind::kAudio, RecordKind::kText, RecordKind::kReading,
                          RecordKind::kDocument};
  looking.limit = kEventCandidates;
  looking.deadline = query.deadline;
  auto found = search(looking, {});
  if (!found) return tl::unexpected(found.error());
  account = {"event", found->degraded() ? PartVerdict::kLate : PartVerdict::kMet,
             static_cast<int>(found->hits.size()), clock.now() - begun};
  const std::vector<std::string> words = all_words(looking.text);
  std::optional<Record> best;
  std::size_t most = 0;
  for (Hit& hit : found->hits) {
    const std::size_t count = covered(words, hit.record.text + ' ' + hit.record.source);
    // Half of its words at least: else it is another event.
    if (count <= most || count * 2 < words.size()) continue;
    most = count;
    best = std::move(hit.record);
  }
  return best;
}

Result<Ranking> Memory::State::nearest(const Record& event, const SearchQuery& query, const Stop& stop) {
  const bool after = query.event->relation == Relation::kAfter;
  const int candidates = std::max(query.limit, kNearAtLeast);
  auto near = after ? reader->earliest(query.filter, candidates, stop)
                    : reader->newest(query.filter, candidates, stop);
  if (!near) return near;
  std::erase(near->ids, event.id);
  near->weight = kNearWeight;
  if (query.event->relation == Relation::kDuring) return near;
  // What it was caused by, or caused, counts before what merely was near.
  auto links = linked(event, 1);
  if (!links) return tl::unexpected(links.error());
  for (const Neighbour& one : *links) {
    if (one.edge != (after ? Edge::kCauses : Edge::kCausedBy)) continue;
    std::erase(near->ids, one.record.id);
    near->ids.insert(near->ids.begin(), one.record.id);
  }
  return near;
}

Result<Found> Memory::State::search_relative(const SearchQuery& query) {
  SearchQuery inner = query;
  inner.deadline = query.deadline / 2;  // for each of the two searches
  SearchPart account;
  auto event = find_event(inner, account);
  if (!event) return tl::unexpected(event.error());
  Result<Found> found;
  if (*event) {
    std::tie(inner.filter.from, inner.filter.to) = range_of(*query.event, **event);
    inner.text = without_fillers(query.text);
    // One more, for the event itself.
    inner.limit = std::min(query.limit + 1, kMaxHits);
    found = search(inner, [&](const Stop& stop) { return nearest(**event, inner, stop); });
  } else {
    // In the time at which it was said to be there may be something else; beside it there is nothing to find.
    inner.filter.from = std::max(inner.filter.from, query.event->from);
    inner.filter.to = std::min(inner.filter.to, query.event->to);
    inner.text = (query.text + ' ' + query.event->event).substr(0, kMaxQueryText);
    found = search(inner, {});
  }
  if (!found) return found;
  if (*event) std::erase_if(found->hits, [&](const Hit& hit) { return hit.record.id == (*event)->id; });
  if (found->hits.size() > static_cast<std::size_t>(query.limit))
    found->hits.resize(static_cast<std::size_t>(query.limit));
  found->parts.insert(found->parts.begin(), account);
  found->relative_to = RelativeTo{*query.event, std::move(*event)};
  return found;
}

}  // namespace braid::retrieve
