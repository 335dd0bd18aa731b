#include "packet_queue.h"

#include <algorithm>
#include <utility>

namespace braid::ingest::ffmpeg {

PacketQueue::Entry PacketQueue::Line::pop() {
  Entry entry = std::move(entries[begin++]);
  if (2 * begin >= entries.size()) {
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = 0;
  }
  return entry;
}

PacketPtr PacketQueue::blank() {
  if (spare_.empty()) return make_packet();
  PacketPtr packet = std::move(spare_.back());
  spare_.pop_back();
  return packet;
}

void PacketQueue::recycle(PacketPtr packet) {
  av_packet_unref(packet.get());
  if (spare_.size() < kMaxPackets) spare_.push_back(std::move(packet));
}

void PacketQueue::push(Entry entry) {
  ++packets_;
  bytes_ += static_cast<std::size_t>(entry.packet->size);
  furthest_ = std::max(furthest_, entry.at);
  auto& entries = lines_[static_cast<std::size_t>(entry.stream)].entries;
  entries.push_back(std::move(entry));
}

void PacketQueue::move_newest(StreamKind stream, Nanoseconds by, AVRational base) {
  Line& line = lines_[static_cast<std::size_t>(stream)];
  if (line.empty()) return;
  Entry& entry = line.entries.back();
  const std::int64_t ticks = av_rescale_q(by.count(), AVRational{1, 1'000'000'000}, base);
  if (entry.packet->pts != AV_NOPTS_VALUE) entry.packet->pts += ticks;
  if (entry.packet->dts != AV_NOPTS_VALUE) entry.packet->dts += ticks;
  entry.at += by;
  entry.due += by;
}

bool PacketQueue::ready() const {
  if (packets_ == 0) return false;
  if (full()) return true;
  SessionTime oldest = SessionTime::max();
  for (std::size_t i = 0; i < kStreamKinds; ++i)
    if (!lines_[i].empty())
      oldest = std::min(oldest, lines_[i].front().at);
    else if (expected_[i])
      return false;
  return furthest_ - oldest >= lookahead_;
}

PacketQueue::Entry PacketQueue::pop() {
  Line* earliest = nullptr;
  for (auto& stream : lines_)
    if (!stream.empty() && (!earliest || stream.front().due < earliest->front().due)) earliest = &stream;
  Entry entry = earliest->pop();
  --packets_;
  bytes_ -= static_cast<std::size_t>(entry.packet->size);
  return entry;
}

SessionTime PacketQueue::nothing_before(StreamKind stream) const {
  if (empty(stream) && expected_[static_cast<std::size_t>(stream)] && !full()) return SessionTime::min();
  const SessionTime unread = furthest_ - kInterleave;
  return empty(stream) ? unread : std::min(unread, of(stream).front().at);
}

}  // namespace braid::ingest::ffmpeg
