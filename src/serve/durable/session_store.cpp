#include "durable/session_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "durable/run_bytes.h"

namespace braid::serve {

namespace {

std::string snapshot_path(const std::string& folder) { return folder + "/snapshot"; }

}  // namespace

std::string fingerprint_of(const engine::EngineInfo& model) {
  return fmt::format("{}/{}/{}x{}", model.family, model.name, model.vocabulary, model.dim);
}

SessionStore::SessionStore(std::string folder, std::shared_ptr<store::Charge> charge, store::RecordLog log)
    : folder_(std::move(folder)),
      charge_(std::move(charge)),
      log_(std::move(log)),
      snapshot_(snapshot_path(folder_)) {
  charge_->settle(bytes());
}

Result<std::unique_ptr<SessionStore>> SessionStore::open(std::string folder,
                                                         std::shared_ptr<store::Charge> charge) {
  auto log = store::RecordLog::open(folder);
  if (!log) return tl::unexpected(log.error());
  return std::unique_ptr<SessionStore>(
      new SessionStore(std::move(folder), std::move(charge), std::move(*log)));
}

Result<LoadedSession> SessionStore::peek(const std::string& folder) {
  auto snapshot = store::read_snapshot(snapshot_path(folder));
  if (!snapshot) return tl::unexpected(snapshot.error());
  auto saved = parse_saved_session(snapshot->body);
  if (!saved) return tl::unexpected(saved.error());
  LoadedSession loaded;
  loaded.saved = std::move(*saved);
  loaded.written_us = snapshot->stamp.wall_us;
  loaded.refused = std::move(snapshot->refused);
  return loaded;
}

Result<kv::Kept> SessionStore::load(const SavedEntry& entry, const engine::EngineInfo& model) {
  Prompt prompt;
  for (const auto& piece : entry.pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
      for (const Token token : *tokens)
        if (token < 0 || token >= model.vocabulary)
          return fail(ErrorCode::kBadInput, fmt::format("the model has no token {}", token));
      prompt.pieces.emplace_back(*tokens);
      continue;
    }
    const auto& place = std::get<SavedRun>(piece);
    const auto bytes = log_.read(place.offset, place.id);
    if (!bytes) return tl::unexpected(bytes.error());
    auto run = parse_run(*bytes);
    if (!run) return tl::unexpected(run.error());
    if (run->rows->columns != static_cast<std::size_t>(model.dim))
      return fail(ErrorCode::kMismatch, fmt::format("embeddings of {} columns; the model's have {}",
                                                    run->rows->columns, model.dim));
    known_[run->rows.get()] = {run->rows, place};
    prompt.pieces.emplace_back(std::move(*run));
  }
  if (!entry.is_chunk) return std::make_shared<const kv::Turns>(kv::Turns{std::move(prompt), entry.start});
  auto chunk = std::make_shared<Chunk>();
  chunk->id = ChunkId{entry.chunk};
  chunk->modality = entry.modality;
  chunk->source = SourceId{entry.source};
  chunk->start = entry.start;
  chunk->end = entry.end;
  chunk->error_bound = entry.error_bound;
  chunk->prompt = std::move(prompt);
  return std::shared_ptr<const Chunk>(std::move(chunk));
}

Result<LoadedSession> SessionStore::load(const engine::EngineInfo& model) {
  auto loaded = peek(folder_);
  if (!loaded) return loaded;
  const SavedSession& saved = loaded->saved;
  if (saved.model != fingerprint_of(model))
    return fail(ErrorCode::kMismatch,
                fmt::format("it was a session of the model {}, this is {}: serve that one", saved.model,
                            fingerprint_of(model)));
  next_run_ = saved.next_run;
  loaded->image.now = saved.now;
  loaded->image.evicted = saved.evicted;
  loaded->image.next_question = saved.next_question;
  for (const SavedEntry& entry : saved.timeline) {
    auto kept = load(entry, model);
    if (kept)
      loaded->image.timeline.push_back(std::move(*kept));
    else
      loaded->refused.push_back(fmt::format("what was perceived at {:.1f} s is left out: {}",
                                            to_seconds(entry.start), kept.error().message));
  }
  return loaded;
}

Result<SavedRun> SessionStore::keep(const EmbeddingRun& run) {
  const std::string bytes = to_bytes(run);
  constexpr std::uint64_t kHeaders = 64;
  // The snapshot, without which it is of no use, keeps its room.
  if (Status charged = charge_->set(log_.bytes() + bytes.size() + kHeaders + snapshot_.bytes_with(0));
      !charged)
    return tl::unexpected(charged.error());
  const auto offset = log_.append(next_run_, bytes);
  if (!offset) return tl::unexpected(offset.error());
  return SavedRun{next_run_++, *offset};
}

Result<SavedEntry> SessionStore::save(const kv::Kept& kept, std::map<const Matrix*, Known>& used) {
  SavedEntry entry;
  if (const auto* held = std::get_if<std::shared_ptr<const Chunk>>(&kept)) {
    const Chunk& chunk = **held;
    entry = {true,        chunk.id.value, chunk.modality,    chunk.source.value,
             chunk.start, chunk.end,      chunk.error_bound, {}};
  } else {
    entry.start = entry.end = std::get<std::shared_ptr<const kv::Turns>>(kept)->at;
  }
  for (const Piece& piece : kv::prompt_of(kept).pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
      entry.pieces.emplace_back(*tokens);
      continue;
    }
    const auto& run = std::get<EmbeddingRun>(piece);
    auto known = known_.find(run.rows.get());
    if (known == known_.end()) {
      const auto place = keep(run);
      if (!place) return tl::unexpected(place.error());
      known = known_.emplace(run.rows.get(), Known{run.rows, *place}).first;
    }
    entry.pieces.emplace_back(known->second.place);
    used.insert(*known);
  }
  return entry;
}

Result<std::size_t> SessionStore::write(SavedSession saved, const SessionImage& image, SteadyTime now,
                                        std::int64_t wall_us) {
  std::map<const Matrix*, Known> used;
  std::size_t left_out = 0;
  for (const kv::Kept& kept : image.timeline) {
    auto entry = save(kept, used);
    if (entry)
      saved.timeline.push_back(std::move(*entry));
    else
      ++left_out;
  }
  saved.now = image.now;
  saved.evicted = image.evicted;
  saved.next_question = image.next_question;
  saved.next_run = next_run_;
  const Status written = write_snapshot(saved, now, wall_us);
  charge_->settle(bytes());  // what failed takes no room
  if (!written) return tl::unexpected(written.error());
  // The other slot may refer to what this one doesn't any more: it goes with the next one.
  std::uint64_t oldest = log_.end();
  for (const auto* runs : {&used, &known_})
    for (const auto& [rows, known] : *runs) oldest = std::min(oldest, known.place.offset);
  log_.forget_before(oldest);
  known_ = std::move(used);
  charge_->settle(bytes());
  return left_out;
}

Status SessionStore::write_snapshot(const SavedSession& saved, SteadyTime now, std::int64_t wall_us) {
  if (Status synced = log_.sync(); !synced) return synced;
  const std::string body = print_saved_session(saved);
  if (Status charged = charge_->set(log_.bytes() + snapshot_.bytes_with(body.size())); !charged)
    return charged;
  return snapshot_.write(body, now, wall_us);
}

}  // namespace braid::serve
