#include "memory/record_json.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "braid/calendar/session_range.h"

namespace braid::serve {

namespace json = boost::json;

namespace {

std::int64_t to_us(UtcTime time) { return time.time_since_epoch().count() / 1000; }

/// Null where the range is open.
json::value edge(UtcTime time) {
  if (time == UtcTime::min() || time == UtcTime::max()) return nullptr;
  return to_us(time);
}

/// Null where the range isn't told by an event.
json::value relative_json(const std::optional<retrieve::RelativeTo>& relative) {
  if (!relative) return nullptr;
  json::object object{{"phrase", relative->asked.phrase},
                      {"relation", retrieve::to_string(relative->asked.relation)},
                      {"record", nullptr},
                      {"time", nullptr},
                      {"text", nullptr}};
  if (!relative->record) return object;
  object["record"] = relative->record->id;
  object["time"] = citation(*relative->record);
  object["text"] = relative->record->text;
  return object;
}

}  // namespace

std::string citation(const retrieve::Record& record) {
  const std::string start = calendar::utc_text(record.start);
  return record.end == record.start ? start : fmt::format("{}/{}", start, calendar::utc_text(record.end));
}

std::string cited_source(const retrieve::Record& record) {
  return record.page > 0 ? fmt::format("{}, page {}", record.source, record.page) : record.source;
}

json::object record_json(const retrieve::Record& record) {
  json::object object{{"id", record.id},
                      {"start_us", to_us(record.start)},
                      {"end_us", to_us(record.end)},
                      {"time", citation(record)},
                      {"source", record.source},
                      {"kind", retrieve::to_string(record.kind)},
                      {"text", record.text},
                      {"count", record.count}};
  if (!record.session.empty()) {
    object["session"] = record.session;
    object["session_start_us"] = braid::to_us(calendar::session_time(record.start, record.session_began));
    object["session_end_us"] = braid::to_us(calendar::session_time(record.end, record.session_began));
  }
  json::array links;
  for (const retrieve::RecordLink& link : record.links)
    links.push_back(json::object{{"link", retrieve::to_string(link.kind)}, {"record", link.to}});
  object["links"] = std::move(links);
  if (record.page > 0) object["page"] = record.page;
  if (record.offset >= 0) object["offset"] = record.offset;
  return object;
}

json::object hit_json(const retrieve::Hit& hit, std::size_t rank) {
  json::object object{{"type", "hit"}, {"rank", rank}, {"score", hit.score}};
  object["shares"] = {{"text", hit.shares.text},
                      {"vectors", hit.shares.vectors},
                      {"recency", hit.shares.recency},
                      {"graph", hit.shares.graph}};
  for (auto& field : record_json(hit.record)) object.insert(field);
  return object;
}

json::object neighbour_json(const retrieve::Neighbour& one) {
  json::object object{{"type", "neighbour"},
                      {"edge", retrieve::to_string(one.edge)},
                      {"of", one.from},
                      {"hops", one.hops},
                      {"gap_ms", to_ms(one.gap)},
                      {"same_source", one.same_source},
                      {"same_session", one.same_session}};
  for (auto& field : record_json(one.record)) object.insert(field);
  return object;
}

json::object search_json(const retrieve::Found& found) {
  json::array parts;
  json::array degraded;
  for (const retrieve::SearchPart& part : found.parts) {
    parts.push_back(json::object{{"part", part.name},
                                 {"verdict", retrieve::to_string(part.verdict)},
                                 {"candidates", part.candidates},
                                 {"took_ms", to_ms(part.took)}});
    if (part.verdict == retrieve::PartVerdict::kLate) degraded.emplace_back(part.name);
  }
  return {{"type", "search"},
          {"from_us", edge(found.from)},
          {"to_us", edge(found.to)},
          {"relative_to", relative_json(found.relative_to)},
          {"hits", found.hits.size()},
          {"parts", std::move(parts)},
          {"degraded", std::move(degraded)}};
}

json::object stats_json(const retrieve::MemoryStats& stats) {
  json::object object{{"type", "memory"},    {"records", stats.records}, {"segments", stats.segments},
                      {"first_us", nullptr}, {"last_us", nullptr},       {"bytes", stats.bytes}};
  if (stats.records > 0) {
    object["first_us"] = to_us(stats.first);
    object["last_us"] = to_us(stats.last);
  }
  return object;
}

}  // namespace braid::serve
