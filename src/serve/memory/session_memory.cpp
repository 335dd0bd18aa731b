#include "memory/session_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "braid/calendar/session_range.h"
#include "memory/record_json.h"

namespace braid::serve {

namespace {

/// A question's deadline is for the answer above all.
constexpr int kShareOfDeadline = 4;
/// For each record that a question gets: those that say the same are few records in the end.
constexpr int kCandidates = 3;

}  // namespace

UtcTime system_now() {
  return UtcTime(
      std::chrono::duration_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch()));
}

void SessionMemory::keep(retrieve::RecordKind kind, const std::string& source, SessionTime start,
                         SessionTime end, const std::string& text,
                         std::vector<retrieve::RecordVector> vectors) {
  retrieve::Record record;
  record.vectors = std::move(vectors);
  record.start = calendar::utc_time(start, began_);
  record.end = std::max(record.start, calendar::utc_time(end, began_));
  record.source = source;
  record.kind = kind;
  record.text = text.substr(0, retrieve::kMaxRecordText);
  record.session = options_.session;
  record.session_began = began_;
  if (!memory_->add(std::move(record))) ++lost_;
}

void SessionMemory::on_event(const deliver::Event& event) {
  if (const auto* perceived = std::get_if<deliver::Perceived>(&event); perceived && !perceived->text.empty())
    keep(perceived->modality == Modality::kReading ? retrieve::RecordKind::kReading
                                                   : retrieve::RecordKind::kText,
         perceived->source, perceived->start, perceived->end, perceived->text);
  if (const auto* note = std::get_if<deliver::Note>(&event); note && !note->text.empty()) {
    std::vector<retrieve::RecordVector> vectors;
    if (!note->pooled.empty()) vectors.push_back({"vision:" + note->pooled_by, note->pooled});
    keep(note->modality == Modality::kVision ? retrieve::RecordKind::kVision : retrieve::RecordKind::kAudio,
         note->source, note->start, note->end, note->text, std::move(vectors));
  }
  if (const auto* answer = std::get_if<Answer>(&event); answer && !answer->text.empty())
    keep(retrieve::RecordKind::kAnswer, "answer", answer->asked_at, answer->asked_at,
         fmt::format("{}\n{}", answer->question, answer->text));
}

std::optional<SessionTime> SessionMemory::perceived_at(const retrieve::Record& record) const {
  if (record.session != options_.session) return std::nullopt;
  const SessionTime end = calendar::session_time(record.end, record.session_began);
  // Of an earlier life, after what was saved of it: nobody has seen that in this one.
  if (record.session_began != began_ && end > options_.resumed_at) return std::nullopt;
  return end;
}

void SessionMemory::recall(Question& question) {
  if (!question.evidence.empty()) return;  // whoever asks has looked
  using retrieve::RecordKind;
  retrieve::SearchQuery query;
  query.text = question.text.substr(0, retrieve::kMaxQueryText);
  const calendar::Asker asker{{}, calendar::utc_time(question.asked_at, began_)};
  retrieve::take_asked_time(query, asker);
  query.filter.kinds = {RecordKind::kVision, RecordKind::kAudio, RecordKind::kText, RecordKind::kReading,
                        RecordKind::kDocument};
  query.limit = kCandidates * static_cast<int>(options_.evidence.records);
  query.deadline = options_.deadline;
  if (question.deadline) query.deadline = std::min(query.deadline, *question.deadline / kShareOfDeadline);
  auto found = memory_->search(query);
  if (!found || found->degraded()) question.degraded.emplace_back("memory");
  if (!found) return;
  std::vector<retrieve::Record> records;
  for (retrieve::Hit& hit : found->hits) records.push_back(std::move(hit.record));
  for (retrieve::Record& record : retrieve::compress(std::move(records), query.text, options_.evidence))
    question.evidence.push_back(
        {record.id, citation(record), cited_source(record), std::move(record.text), perceived_at(record)});
}

}  // namespace braid::serve
