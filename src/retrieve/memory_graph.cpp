// The memory as a graph over its records: what was before, after and at the same time, and what is linked.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "memory_state.h"

namespace braid::retrieve {

namespace {

/// In all, for each that one edge may have.
constexpr int kEdgesShown = 4;
/// Candidates for each neighbour that is wanted: some of them overlap instead of coming before.
constexpr int kCandidates = 3;

Edge edge_between(const Record& from, const Record& to) {
  if (to.end <= from.start && to.start < from.start) return Edge::kBefore;
  if (to.start >= from.end && to.end > from.end) return Edge::kAfter;
  return Edge::kOverlaps;
}

Nanoseconds gap_between(const Record& from, const Record& to) {
  return std::max({Nanoseconds(0), from.start - to.end, to.start - from.end});
}

Neighbour neighbour(const Record& from, Record to, Edge edge, int hops) {
  Neighbour found;
  found.edge = edge;
  found.from = from.id;
  found.hops = hops;
  found.gap = gap_between(from, to);
  found.same_source = from.source == to.source;
  found.same_session = !from.session.empty() && from.session == to.session;
  found.record = std::move(to);
  return found;
}

/// Nearest first; of two as near, that of the same source, and then the older.
bool nearer(const Neighbour& a, const Neighbour& b) {
  if (a.gap != b.gap) return a.gap < b.gap;
  if (a.same_source != b.same_source) return a.same_source;
  return a.record.id < b.record.id;
}

Edge edge_of(const KeptLink& link, bool outward) {
  if (link.link.kind == LinkKind::kCausedBy) return outward ? Edge::kCausedBy : Edge::kCauses;
  return outward ? Edge::kBelongsTo : Edge::kHas;
}

}  // namespace

const char* to_string(Edge edge) {
  constexpr std::array<const char*, kEdges> kNames = {"before", "after",      "overlaps", "caused_by",
                                                      "causes", "belongs_to", "has"};
  return kNames.at(static_cast<std::size_t>(edge));
}

UtcTime earlier(UtcTime time, Nanoseconds by) {
  std::int64_t ns = 0;
  const bool over = __builtin_sub_overflow(time.time_since_epoch().count(), by.count(), &ns);
  return over ? UtcTime::min() : UtcTime(Nanoseconds(ns));
}

UtcTime later(UtcTime time, Nanoseconds by) {
  std::int64_t ns = 0;
  const bool over = __builtin_add_overflow(time.time_since_epoch().count(), by.count(), &ns);
  return over ? UtcTime::max() : UtcTime(Nanoseconds(ns));
}

Result<std::vector<Neighbour>> Memory::State::linked(const Record& record, int hops) {
  const auto links = reader->links(record.id);
  if (!links) return tl::unexpected(links.error());
  std::vector<Neighbour> found;
  for (const KeptLink& link : *links) {
    const bool outward = link.from == record.id;
    auto other = reader->get({outward ? link.link.to : link.from});
    if (!other) return tl::unexpected(other.error());
    if (!other->empty())
      found.push_back(neighbour(record, std::move(other->front()), edge_of(link, outward), hops));
  }
  return found;
}

Result<std::vector<Neighbour>> Memory::State::near(const Record& record, const AroundQuery& query, int hops) {
  Filter before, after;
  before.from = earlier(record.start, query.reach);
  before.to = later(record.start, Nanoseconds(1));
  after.from = record.start;
  after.to = later(record.end, query.reach);
  const auto newest = reader->newest(before, query.limit * kCandidates, {});
  if (!newest) return tl::unexpected(newest.error());
  const auto earliest = reader->earliest(after, query.limit * kCandidates, {});
  if (!earliest) return tl::unexpected(earliest.error());
  std::vector<std::int64_t> ids = newest->ids;
  for (const std::int64_t id : earliest->ids)
    if (std::find(newest->ids.begin(), newest->ids.end(), id) == newest->ids.end()) ids.push_back(id);
  auto records = reader->get(ids);
  if (!records) return tl::unexpected(records.error());
  std::vector<Neighbour> all;
  for (Record& other : *records) {
    const Edge edge = edge_between(record, other);
    if (other.id != record.id) all.push_back(neighbour(record, std::move(other), edge, hops));
  }
  std::stable_sort(all.begin(), all.end(), nearer);
  std::vector<Neighbour> found;
  std::array<int, kEdges> taken{};
  for (Neighbour& one : all)
    if (taken.at(static_cast<std::size_t>(one.edge))++ < query.limit) found.push_back(std::move(one));
  return found;
}

Result<std::vector<Neighbour>> Memory::around(std::int64_t id, const AroundQuery& query) {
  if (query.hops < 1 || query.hops > kMaxHops)
    return fail(ErrorCode::kUsage, fmt::format("hops is {}; it must be 1..{}", query.hops, kMaxHops));
  if (query.limit < 1 || query.limit > kMaxNeighbours)
    return fail(ErrorCode::kUsage, fmt::format("limit is {}; it must be 1..{}", query.limit, kMaxNeighbours));
  auto centre = get(id);
  if (!centre) return tl::unexpected(centre.error());
  std::lock_guard lock(state_->read_mutex);
  std::set<std::int64_t> seen = {id};
  std::vector<Record> ring = {std::move(*centre)};
  std::vector<Neighbour> found;
  const auto most = static_cast<std::size_t>(query.limit) * kEdgesShown;
  for (int hops = 1; hops <= query.hops; ++hops) {
    std::vector<Record> next;
    for (const Record& record : ring) {
      auto neighbours = state_->linked(record, hops);
      if (!neighbours) return neighbours;
      auto near = state_->near(record, query, hops);
      if (!near) return near;
      neighbours->insert(neighbours->end(), near->begin(), near->end());
      for (Neighbour& one : *neighbours) {
        if (found.size() >= most) return found;
        if (!seen.insert(one.record.id).second) continue;
        next.push_back(one.record);
        found.push_back(std::move(one));
      }
    }
    ring = std::move(next);
  }
  return found;
}

}  // namespace braid::retrieve
