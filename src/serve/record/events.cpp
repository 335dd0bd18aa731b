#include "record/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "braid/store/checksum.h"
#include "record/event_fields.h"

namespace braid::serve {

namespace {

constexpr int kMaxSide = 1 << 14;  // pixels

}  // namespace

void pixels(ByteWriter& archive, const Frame& frame) {
  const auto row = 3 * static_cast<std::size_t>(std::max(frame.width, 0));
  const bool there = frame.pixels && frame.width > 0 && frame.height > 0;
  archive(static_cast<std::uint64_t>(there ? row * static_cast<std::size_t>(frame.height) : 0));
  if (!there) return;
  const char* at = reinterpret_cast<const char*>(frame.pixels.data());
  for (int y = 0; y < frame.height; ++y, at += frame.stride) archive.bytes.append(at, row);
}

void pixels(ByteReader& archive, Frame& frame) {
  std::uint64_t bytes = 0;
  archive(bytes);
  if (!archive.ok() || bytes == 0) return;
  const auto side = [](int pixels) { return pixels > 0 && pixels <= kMaxSide; };
  if (!side(frame.width) || !side(frame.height) ||
      bytes != std::uint64_t{3} * static_cast<unsigned>(frame.width) * static_cast<unsigned>(frame.height))
    return archive.refuse();
  const std::string_view pixels = archive.raw(bytes);
  if (!archive.ok()) return;
  // A pool of its own: how many are held at once is up to who reads.
  auto slot = SlotPool(pixels.size(), 1).take();
  if (!slot) return archive.refuse();
  std::memcpy(slot->data(), pixels.data(), pixels.size());
  frame.stride = 3 * frame.width;
  frame.pixels = std::move(*slot);
}

namespace {

/// `archive` is given the alternative that stands at `index`.
template <class Variant, std::size_t I = 0, class Reader>
bool read_alternative(Reader& archive, std::size_t index, Variant& value) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index != I) return read_alternative<Variant, I + 1>(archive, index, value);
    archive(value.template emplace<I>());
    return true;
  } else {
    return false;
  }
}

}  // namespace

void fields(ByteWriter& archive, const Packet& packet) {
  archive(static_cast<std::uint8_t>(packet.index()));
  std::visit([&](const auto& value) { archive(value); }, packet);
}

void fields(ByteReader& archive, Packet& packet) {
  std::uint8_t kind = 0;
  archive(kind);
  if (archive.ok() && !read_alternative(archive, kind, packet)) archive.refuse();
}

namespace {

template <class Text>
std::uint32_t sum(const Text& text) {
  return store::crc32c(
      {std::string_view(reinterpret_cast<const char*>(text.data()), text.size() * sizeof(*text.data()))});
}

struct KeyOf {
  ItemKey operator()(const Frame& v) const {
    return key(v.source.value, v.captured, v.captured, sum(std::array{v.width, v.height}), v.camera);
  }
  ItemKey operator()(const Utterance& v) const { return key(v.source.value, v.start, v.end, sum(v.samples)); }
  ItemKey operator()(const TextLine& v) const { return key(v.source.value, v.start, v.end, sum(v.text)); }
  ItemKey operator()(const Reading& v) const {
    ByteWriter values;
    values(v.values);
    return key(v.source.value, v.at, v.at, sum(values.bytes));
  }
  ItemKey operator()(const Question& v) const {
    const SessionTime at = v.at.value_or(SessionTime::max());
    return key(v.id.value, v.asked_at, at, sum(v.text) + static_cast<std::uint32_t>(v.max_tokens));
  }
  ItemKey operator()(const Damage& v) const { return key(v.source.value, v.at, v.at, sum(v.error.message)); }
  ItemKey operator()(const sync::StreamsEnd& v) const { return key(-1, v.at, v.at, 0); }

  static ItemKey key(std::int64_t owner, SessionTime start, SessionTime end, std::uint32_t content,
                     int camera = 0) {
    return {0, owner, camera, start, end, content};
  }
};

}  // namespace

ItemKey key_of(const sync::Timed& item) {
  ItemKey key = std::visit(KeyOf{}, item);
  key.kind = static_cast<std::uint8_t>(item.index());
  return key;
}

Handled handled_as(const ItemKey& item, const encode::Encoded& made) {
  Handled handled;
  handled.item = item;
  handled.kept = made.chunk != nullptr;
  handled.reason = made.reason;
  handled.tokens = made.tokens;
  if (made.chunk) {
    handled.rows = made.chunk->prompt.rows();
    handled.positions = made.chunk->prompt.positions();
  }
  return handled;
}

std::vector<StepShare> shares_of(const StepPlan& plan) {
  std::vector<StepShare> shares;
  for (std::size_t i = 0; i < plan.rows.size();) {
    const Row& first = plan.rows[i];
    ByteWriter content;
    std::size_t end = i;
    for (; end < plan.rows.size(); ++end) {
      const Row& row = plan.rows[end];
      if (row.sequence != first.sequence || row.kind != first.kind) break;
      content(row.position);
      content(row.y);
      content(row.x);
      content(row.token);
      content(row.wants_logits);
    }
    shares.push_back(
        {first.sequence, first.kind, static_cast<std::int32_t>(end - i), first.position, sum(content.bytes)});
    i = end;
  }
  return shares;
}

std::string to_bytes(const RecordedEvent& event) {
  ByteWriter archive;
  std::visit([&](const auto& value) { archive(value); }, event);
  return std::move(archive.bytes);
}

std::string arrived_bytes(SourceId source, const Packet& packet, std::optional<SessionTime> arrived) {
  ByteWriter archive;
  archive(source);
  fields(archive, packet);
  archive(arrived);
  return std::move(archive.bytes);
}

Result<RecordedEvent> parse_event(std::uint32_t type, std::string_view bytes) {
  if (type >= std::variant_size_v<RecordedEvent>)
    return fail(ErrorCode::kUnsupported,
                fmt::format("an event of kind {}: it was recorded by a later program", type));
  ByteReader archive(bytes);
  RecordedEvent event;
  read_alternative(archive, type, event);
  if (archive.whole()) return event;
  return fail(ErrorCode::kBadInput, fmt::format("{} bytes are no event of kind {}", bytes.size(), type));
}

}  // namespace braid::serve
