#pragma once
// Which members of a recording's values go into the file, in which order. New ones are added at the end, read
// where there are bytes left; none is ever taken away.

#include "braid/base/byte_archive.h"
#include "record/events.h"

namespace braid {

template <>
inline constexpr int kEnumValues<ErrorCode> = 11;
template <>
inline constexpr int kEnumValues<StreamKind> = kStreamKinds;
template <>
inline constexpr int kEnumValues<RowKind> = kRowKinds;
template <>
inline constexpr int kEnumValues<serve::Fate> = 3;

}  // namespace braid

namespace braid::serve {

struct RecordingHome;  // where the archives look for fields()
using ByteWriter = ArchiveWriter<RecordingHome>;
using ByteReader = ArchiveReader<RecordingHome>;

/// [height, width, 3] u8 without what may stand between rows; none: no bytes.
void pixels(ByteWriter& archive, const Frame& frame);
void pixels(ByteReader& archive, Frame& frame);
/// Its alternative, then that.
void fields(ByteWriter& archive, const Packet& packet);
void fields(ByteReader& archive, Packet& packet);

template <class Archive>
void fields(Archive& a, kv::WindowOptions& v) {
  all(a, v.max_rows, v.turn_over_at, v.keep, v.max_age);
}
template <class Archive>
void fields(Archive& a, sync::SyncOptions& v) {
  std::uint64_t held = v.max_held;
  all(a, v.preroll, v.postroll, v.end_silence, v.min_speech, v.max_utterance, v.speech_threshold,
      v.silence_threshold, v.lateness.cap, v.lateness.floor, v.lateness.target_per_mille, held);
  v.max_held = held;
}
template <class Archive>
void fields(Archive& a, encode::EncodeOptions& v) {
  std::uint64_t text = v.max_text_bytes;
  all(a, v.novelty.enabled, v.novelty.cell_threshold, v.novelty.heartbeat, v.novelty.blank_deviation, text);
  v.max_text_bytes = text;
}
template <class Archive>
void fields(Archive& a, SessionOptions& v) {
  std::uint64_t queue = v.queue;
  all(a, v.realtime, v.stay_open, v.join_turns, v.asks_blind, v.max_open_answers, v.max_answer_tokens,
      v.max_waiting_questions, queue, v.live_lateness, v.frame_patience, v.first_packet_patience, v.window,
      v.sync, v.encode);
  v.queue = queue;
}
template <class Archive>
void fields(Archive& a, HostOptions& v) {
  all(a, v.deterministic, v.step_target, v.idle_after);
}
template <class Archive>
void fields(Archive& a, engine::EngineInfo& v) {
  all(a, v.name, v.family, v.device, v.on_gpu, v.dim, v.vocabulary, v.trained_context, v.cells,
      v.max_sequences, v.max_step_rows, v.sees, v.hears, v.audio_sample_rate, v.max_frame_side, v.one_pass,
      v.can_hide_ranges, v.can_forget, v.indivisible_media);
}
template <class Archive>
void fields(Archive& a, engine::ChatFormat& v) {
  all(a, v.begin, v.end_of_question, v.next_turn, v.stops);
}
template <class Archive>
void fields(Archive& a, RecordedSource& v) {
  all(a, v.name, v.streams, v.bounded, v.duration);
}
template <class Archive>
void fields(Archive& a, Opened& v) {
  all(a, v.program, v.options, v.host, v.model, v.chat, v.encodes, v.hears, v.at, v.begins, v.sources);
}

template <class Archive>
void fields(Archive& a, Error& v) {
  all(a, v.code, v.message, v.retryable);
}
template <class Archive>
void fields(Archive& a, Frame& v) {
  all(a, v.source, v.camera, v.captured, v.error_bound, v.width, v.height, v.scene_change);
  pixels(a, v);
}
template <class Archive>
void fields(Archive& a, AudioBlock& v) {
  all(a, v.source, v.start, v.sample_rate, v.samples, v.error_bound);
  if constexpr (Archive::kReads)
    if (v.sample_rate < 1) a.refuse();
}
template <class Archive>
void fields(Archive& a, TextLine& v) {
  all(a, v.source, v.start, v.end, v.text, v.error_bound);
}
template <class Archive>
void fields(Archive& a, Reading& v) {
  all(a, v.source, v.at, v.values, v.error_bound);
}
template <class Archive>
void fields(Archive& a, Bound& v) {
  all(a, v.stream, v.nothing_before);
}
template <class Archive>
void fields(Archive& a, Damage& v) {
  all(a, v.source, v.at, v.error, v.notice);
}
template <class Archive>
void fields(Archive& a, Sampling& v) {
  all(a, v.temperature, v.top_k, v.top_p, v.min_p, v.seed, v.frequency_penalty, v.presence_penalty,
      v.logit_bias);
}
template <class Archive>
void fields(Archive& a, Question& v) {
  all(a, v.id, v.text, v.at, v.every, v.standing, v.now, v.deadline, v.max_tokens, v.sampling, v.stops,
      v.asked, v.asked_at, v.degraded);
}
template <class Archive>
void fields(Archive& a, sync::Advance& v) {
  all(a, v.stream.source, v.stream.kind, v.nothing_before);
}

template <class Archive>
void fields(Archive& a, Arrived& v) {
  a(v.source);
  fields(a, v.packet);
  a(v.arrived);
}
template <class Archive>
void fields(Archive& a, AskedOf& v) {
  a(v.question);
}
template <class Archive>
void fields(Archive& a, Withdrawn& v) {
  a(v.id);
}
template <class Archive>
void fields(Archive& a, SourceEnded& v) {
  a(v.source);
}
template <class Archive>
void fields(Archive& a, BoundsMoved& v) {
  a(v.advances);
}
template <class Archive>
void fields(Archive&, SyncFinished&) {}
template <class Archive>
void fields(Archive& a, SpeechHeard& v) {
  all(a, v.detector, v.probability);
}
template <class Archive>
void fields(Archive& a, ItemKey& v) {
  all(a, v.kind, v.owner, v.camera, v.start, v.end, v.content);
}
template <class Archive>
void fields(Archive& a, LetOut& v) {
  all(a, v.item, v.fate);
}
template <class Archive>
void fields(Archive& a, Handled& v) {
  all(a, v.item, v.passed_over, v.kept, v.reason, v.tokens, v.rows, v.positions);
}
template <class Archive>
void fields(Archive& a, ControlTaken& v) {
  all(a, v.all, v.id, v.reason, v.delivered);
}
template <class Archive>
void fields(Archive& a, Took& v) {
  all(a, v.rounds, v.chunks, v.at, v.controls, v.awaited);
}
template <class Archive>
void fields(Archive& a, StepShare& v) {
  all(a, v.sequence, v.kind, v.rows, v.position, v.content);
}
template <class Archive>
void fields(Archive& a, Stepped& v) {
  all(a, v.rounds, v.begin, v.end, v.failed, v.shares, v.sampled);
}
template <class Archive>
void fields(Archive& a, Answered& v) {
  all(a, v.id, v.finish, v.text);
}
template <class Archive>
void fields(Archive& a, Tokenized& v) {
  all(a, v.text, v.special, v.tokens);
}
template <class Archive>
void fields(Archive& a, Spelled& v) {
  all(a, v.token, v.piece, v.ends);
}
template <class Archive>
void fields(Archive& a, FrameSized& v) {
  all(a, v.width, v.height, v.rows);
}
template <class Archive>
void fields(Archive& a, GridPosition& v) {
  all(a, v.t, v.y, v.x);
}
template <class Archive>
void fields(Archive& a, PieceShape& v) {
  all(a, v.tokens, v.rows, v.positions, v.indivisible, v.grid);
}
template <class Archive>
void fields(Archive& a, MediumEncoded& v) {
  all(a, v.error, v.pieces);
}
template <class Archive>
void fields(Archive&, EventsLost&) {}
template <class Archive>
void fields(Archive&, RecordingEnded&) {}

}  // namespace braid::serve
