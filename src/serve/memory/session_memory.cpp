#include "memory/session_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "braid/calendar/session_range.h"
#include "braid/retrieve/asked_time.h"
#include "memory/record_json.h"
#include "memory/text_embedder.h"

namespace braid::serve {

namespace {

/// A question's deadline is for the answer above all.
constexpr int kShareOfDeadline = 4;

}  // namespace

UtcTime system_now() {
  return UtcTime(
      std::chrono::duration_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch()));
}

Result<std::unique_ptr<SessionMemory>> SessionMemory::open(SessionMemoryOptions options, Clock& clock) {
  retrieve::MemoryOptions memory_options;
  if (Status added = add_embedder(options.embedder, memory_options); !added)
    return tl::unexpected(added.error());
  auto memory = retrieve::Memory::open(options.folder, std::move(memory_options), clock);
  if (!memory) return tl::unexpected(memory.error());
  return std::unique_ptr<SessionMemory>(new SessionMemory(std::move(options), std::move(*memory)));
}

void SessionMemory::begin() { began_ = options_.began.value_or(system_now()); }

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
  if (record.kind == retrieve::RecordKind::kDocument || record.start < began_) return std::nullopt;
  return calendar::session_time(record.end, began_);
}

void SessionMemory::recall(Question& question) {
  using retrieve::RecordKind;
  retrieve::SearchQuery query;
  query.text = question.text.substr(0, retrieve::kMaxQueryText);
  const calendar::Asker asker{{}, calendar::utc_time(question.asked_at, began_)};
  if (auto asked = retrieve::find_asked_time(query.text, asker)) {
    query.filter.from = asked->from;
    query.filter.to = asked->to;
    query.text = std::move(asked->rest);
  }
  query.filter.kinds = {RecordKind::kVision, RecordKind::kAudio, RecordKind::kText, RecordKind::kReading,
                        RecordKind::kDocument};
  query.limit = options_.hits;
  query.deadline = options_.deadline;
  if (question.deadline) query.deadline = std::min(query.deadline, *question.deadline / kShareOfDeadline);
  auto found = memory_->search(query);
  if (!found || found->degraded()) question.degraded.emplace_back("memory");
  if (!found) return;
  for (retrieve::Hit& hit : found->hits)
    question.evidence.push_back({hit.record.id, citation(hit.record), hit.record.source,
                                 std::move(hit.record.text), perceived_at(hit.record)});
}

/// Of a commit that failed.
Error SessionMemory::explained(const Error& error) const {
  return {error.code,
          fmt::format("the memory {} can't be written, what is to be remembered waits: {}", options_.folder,
                      error.message),
          true};
}

std::optional<Error> SessionMemory::new_trouble() {
  const std::optional<Error> failing = memory_->failing();
  if (!std::exchange(in_trouble_, failing.has_value()) && failing) return explained(*failing);
  return std::nullopt;
}

Status SessionMemory::finish() {
  if (Status flushed = memory_->flush(); !flushed)
    return fail(
        flushed.error().code,
        fmt::format("{} records are lost: the memory {} can't be written: {}; make room there, or name "
                    "another folder",
                    memory_->waiting() + lost_, options_.folder, flushed.error().message));
  if (lost_ == 0) return {};
  return fail(
      ErrorCode::kFull,
      fmt::format("{} records came faster than the memory could write them and were left out", lost_.load()));
}

}  // namespace braid::serve
