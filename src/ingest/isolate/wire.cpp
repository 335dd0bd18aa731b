#include "isolate/wire.h"

#include "braid/base/byte_archive.h"

namespace braid {

template <>
inline constexpr int kEnumValues<ErrorCode> = 11;
template <>
inline constexpr int kEnumValues<StreamKind> = kStreamKinds;
template <>
inline constexpr int kEnumValues<ingest::SourceKind> = 7;
template <>
inline constexpr int kEnumValues<ingest::TimeUnit> = 5;
template <>
inline constexpr int kEnumValues<ingest::Transport> = 5;

}  // namespace braid

namespace braid::ingest::isolate {

namespace {

struct Home;
using Writer = ArchiveWriter<Home>;
using Reader = ArchiveReader<Home>;

template <class A>
void fields(A& a, Error& v) {
  all(a, v.code, v.message, v.retryable);
}
template <class A>
void fields(A& a, Confinement& v) {
  all(a, v.filter, v.limits, v.landlock, v.namespaces);
}
template <class A>
void fields(A& a, Opened& v) {
  all(a, v.streams, v.may_stall, v.duration, v.description, v.confinement);
}
template <class A>
void fields(A& a, Refused& v) {
  a(v.error);
}
template <class A>
void fields(A& a, Handled& v) {
  all(a, v.captured, v.decoding);
}
template <class A>
void fields(A& a, SentFrame& v) {
  all(a, v.pool, v.slot, v.captured, v.error_bound, v.width, v.height, v.stride, v.scene_change, v.handled);
}
template <class A>
void fields(A& a, SentSound& v) {
  all(a, v.start, v.error_bound, v.sample_rate, v.samples, v.handled);
}
template <class A>
void fields(A& a, SentLine& v) {
  all(a, v.start, v.end, v.error_bound, v.text, v.handled);
}
template <class A>
void fields(A& a, SentBound& v) {
  all(a, v.stream, v.nothing_before);
}
template <class A>
void fields(A& a, SentDamage& v) {
  all(a, v.at, v.error, v.notice);
}
template <class A>
void fields(A& a, Ended& v) {
  a(v.error);
}
template <class A>
void fields(A& a, WantPool& v) {
  a(v.slot_bytes);
}
template <class A>
void fields(A& a, Observed& v) {
  all(a, v.stamp, v.arrival);
}
template <class A>
void fields(A& a, SourceSpec& v) {
  all(a, v.name, v.target, v.kind, v.transport, v.live, v.video, v.audio, v.synced);
}
template <class A>
void fields(A& a, InputLimits& v) {
  all(a, v.max_side, v.max_pixels, v.max_streams, v.max_duration, v.max_unpacked_bytes, v.max_probe_bytes);
}
template <class A>
void fields(A& a, IngestOptions& v) {
  std::uint64_t slots = v.frame_slots;
  all(a, v.fps, v.max_fps, v.max_frame_side, v.realtime, slots, v.limits, v.network_timeout, v.pipe_timeout);
  v.frame_slots = slots;
}
template <class A>
void fields(A& a, Open& v) {
  all(a, v.spec, v.options, v.has_clock, v.verbose, v.memory_bytes, v.computing, v.patience);
}
template <class A>
void fields(A& a, Run& v) {
  a(v.session_start);
}
template <class A>
void fields(A& a, PoolGiven& v) {
  all(a, v.number, v.slots, v.slot_bytes);
}
template <class A>
void fields(A& a, StampClock::Captured& v) {
  all(a, v.at, v.error_bound, v.believed);
}

template <class Message>
std::string encode_any(const Message& message) {
  Writer writer;
  writer(static_cast<std::uint8_t>(message.index()));
  std::visit([&writer](const auto& content) { writer(content); }, message);
  return std::move(writer.bytes);
}

/// The alternative of that number.
template <class Message, std::size_t I = 0>
bool emplace(Message& message, std::size_t number) {
  if constexpr (I < std::variant_size_v<Message>) {
    if (number != I) return emplace<Message, I + 1>(message, number);
    message.template emplace<I>();
    return true;
  }
  return false;
}

template <class Message>
std::optional<Message> decode_any(std::string_view bytes) {
  if (bytes.size() > kMaxMessage) return std::nullopt;
  Reader reader(bytes);
  std::uint8_t number = 0;
  reader(number);
  Message message;
  if (!emplace(message, number)) return std::nullopt;
  std::visit([&reader](auto& content) { reader(content); }, message);
  return reader.whole() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace

std::string encode(const FromWorker& message) { return encode_any(message); }
std::string encode(const ToWorker& message) { return encode_any(message); }
std::optional<FromWorker> decode_from_worker(std::string_view bytes) { return decode_any<FromWorker>(bytes); }
std::optional<ToWorker> decode_to_worker(std::string_view bytes) { return decode_any<ToWorker>(bytes); }

}  // namespace braid::ingest::isolate
