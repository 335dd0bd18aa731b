#include "pipeline/held_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/reading_words.h"

namespace braid::serve {

namespace {

constexpr std::size_t kFewReadings = 4;  // each is told by itself
constexpr std::size_t kMostLines = 32;

bool among(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void HeldStreams::add_source(SourceId source, const ingest::SourceInfo& info) {
  names_.resize(std::max(names_.size(), static_cast<std::size_t>(source.value) + 1));
  names_[static_cast<std::size_t>(source.value)] = info.name;
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    if (!info.streams[kind]) continue;
    const sync::StreamKey key{source, static_cast<StreamKind>(kind)};
    each([&](sync::AlignedStreams& streams) { streams.add_stream(key); });
    items_.try_emplace(key);
  }
}

const std::string& HeldStreams::name(SourceId source) const {
  return names_[static_cast<std::size_t>(source.value)];
}

std::size_t HeldStreams::add_windows(StageWindows windows) {
  auto added = std::make_unique<Windows>();
  added->sliding = std::make_unique<sync::Sliding>(windows.length, windows.hop);
  windows_.push_back(std::move(added));
  return windows_.size() - 1;
}

std::optional<sync::AlignedWindow> HeldStreams::next_window(std::size_t index) {
  return windows_[index]->sliding->next(windows_[index]->streams);
}

void HeldStreams::add(sync::StreamKey key, SessionTime at, Nanoseconds error_bound, Item item) {
  const auto stream = items_.find(key);
  if (stream == items_.end()) return;  // it wasn't announced
  item.number = next_++;
  if (item.picture) pictured_.emplace_back(key, item.number);
  item.at = at;
  each([&](sync::AlignedStreams& streams) { streams.add(key, {at, error_bound, item.number}); });
  stream->second.push_back(std::move(item));
  if (stream->second.size() <= kMostHeld) return;
  let_go(stream->second.front());
  stream->second.pop_front();
}

std::shared_ptr<const HeldPicture> HeldStreams::keep(const Frame& frame) {
  const auto bytes = 3 * static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height);
  if (!keeps_pictures_ || !frame.pixels || bytes > kMostPictureBytes) return nullptr;
  while (picture_bytes_ + bytes > kMostPictureBytes) {
    const auto [key, number] = pictured_.front();
    pictured_.pop_front();
    auto& items = items_.at(key);
    const auto item = std::lower_bound(items.begin(), items.end(), number,
                                       [](const Item& one, std::uint64_t n) { return one.number < n; });
    if (item == items.end() || item->number != number) continue;
    let_go(*item);
    item->picture.reset();
  }
  auto picture = std::make_shared<HeldPicture>();
  picture->at = frame.captured;
  picture->width = frame.width;
  picture->height = frame.height;
  picture->rgb.resize(bytes);
  const std::size_t row = 3 * static_cast<std::size_t>(frame.width);
  for (int y = 0; y < frame.height; ++y)
    std::copy_n(frame.pixels.data() + static_cast<std::ptrdiff_t>(y) * frame.stride, row,
                picture->rgb.data() + static_cast<std::size_t>(y) * row);
  picture_bytes_ += bytes;
  return picture;
}

/// Its picture counts no more. What was gathered of it lives on.
void HeldStreams::let_go(const Item& item) {
  if (item.picture) picture_bytes_ -= item.picture->rgb.size();
}

void HeldStreams::arrived(SourceId source, const Packet& packet) {
  const auto settle = [&](StreamKind kind, SessionTime at) {
    each([&](sync::AlignedStreams& streams) { streams.settle({source, kind}, at); });
  };
  Item item;
  if (const auto* frame = std::get_if<Frame>(&packet)) {
    item.picture = keep(*frame);
    add({source, StreamKind::kVideo}, frame->captured, frame->error_bound, std::move(item));
    settle(StreamKind::kVideo, frame->captured);
  } else if (const auto* line = std::get_if<TextLine>(&packet)) {
    item.text = line->text;
    add({source, StreamKind::kText}, line->start, line->error_bound, std::move(item));
    settle(StreamKind::kText, line->start);
  } else if (const auto* reading = std::get_if<Reading>(&packet)) {
    item.values = reading->values;
    add({source, StreamKind::kReading}, reading->at, reading->error_bound, std::move(item));
    settle(StreamKind::kReading, reading->at);
  } else if (const auto* bound = std::get_if<Bound>(&packet); bound && bound->stream != StreamKind::kAudio) {
    settle(bound->stream, bound->nothing_before);
  }
}

void HeldStreams::heard(const Utterance& utterance) {
  add({utterance.source, StreamKind::kAudio}, utterance.end, utterance.error_bound, {});
}

void HeldStreams::assumed(const std::vector<sync::Advance>& advances) {
  for (const sync::Advance& advance : advances)
    if (advance.stream.kind != StreamKind::kAudio)
      each([&](sync::AlignedStreams& streams) { streams.assume(advance); });
}

void HeldStreams::ended(SourceId source) {
  for (const StreamKind kind : {StreamKind::kVideo, StreamKind::kText, StreamKind::kReading})
    each([&](sync::AlignedStreams& streams) { streams.end_stream({source, kind}); });
}

void HeldStreams::passed(SessionTime frontier) {
  for (const auto& [key, items] : items_) {
    if (key.kind != StreamKind::kAudio) continue;
    each([&](sync::AlignedStreams& streams) {
      if (frontier == SessionTime::max())
        streams.end_stream(key);
      else
        streams.settle(key, frontier);
    });
  }
}

bool HeldStreams::settled(SessionTime time) const { return streams_.bound() >= time; }

std::vector<const HeldStreams::Item*> HeldStreams::items_of(const sync::StreamPart& part) const {
  const std::deque<Item>& items = items_.at(part.stream);
  std::vector<const Item*> found;
  for (const sync::Member& member : part.members) {
    const auto item =
        std::lower_bound(items.begin(), items.end(), member.item,
                         [](const Item& one, std::uint64_t number) { return one.number < number; });
    if (item != items.end() && item->number == member.item) found.push_back(&*item);
  }
  return found;
}

void HeldStreams::put_in_words(const sync::StreamPart& part, const Wanted& wanted,
                               const std::function<std::string(SessionTime)>& when,
                               Gathered& gathered) const {
  const std::string& source = name(part.stream.source);
  const bool seen = !wanted.unperceived->contains(source);
  const auto say = [&](SessionTime at, std::string text) {
    Evidence& one = gathered.words.emplace_back();
    one.time = when(at);
    one.source = source;
    one.text = std::move(text);
    if (seen) one.perceived_at = at;
  };
  const auto items = items_of(part);
  if (part.stream.kind == StreamKind::kVideo) {
    for (const Item* item : items)
      if (item->picture) gathered.pictures[source].push_back(item->picture);
  } else if (part.stream.kind == StreamKind::kText) {
    for (std::size_t i = items.size() - std::min(items.size(), kMostLines); i < items.size(); ++i)
      say(items[i]->at, items[i]->text);
  } else if (part.stream.kind == StreamKind::kReading && items.size() <= kFewReadings) {
    for (const Item* item : items) say(item->at, words_of(item->values));
  } else if (part.stream.kind == StreamKind::kReading) {
    std::vector<const ReadingValues*> readings;
    readings.reserve(items.size());
    for (const Item* item : items) readings.push_back(&item->values);
    say(items.back()->at, summary_of(readings));
  }
}

std::optional<Gathered> HeldStreams::gather(const Wanted& wanted,
                                            const std::function<std::string(SessionTime)>& when) {
  const Nanoseconds reach = (wanted.to - wanted.from - Nanoseconds(1)) / 2;
  const auto window = wanted.take == StageTake::kAsOf ? sync::AsOf().align(streams_, wanted.from)
                      : wanted.take == StageTake::kNearest
                          ? sync::Nearest(reach).align(streams_, wanted.from + reach)
                          : sync::Interval().align(streams_, wanted.from, wanted.to);
  if (!window) return std::nullopt;
  Gathered gathered;
  for (const sync::StreamPart& part : window->streams) {
    const std::string& source = name(part.stream.source);
    if (!among(wanted.sources, source)) continue;
    deliver::PipelineStream& stream = gathered.streams.emplace_back();
    stream.source = source;
    stream.kind = part.stream.kind;
    stream.count = part.members.size();
    for (const sync::Member& member : part.members)
      if (stream.members.size() < deliver::PipelineStream::kMostMembers) stream.members.push_back(member.at);
    if (!part.members.empty()) stream.age = wanted.moment - part.members.back().at;
    stream.error_bound = part.error_bound;
    stream.coverage = sync::to_string(part.coverage);
    put_in_words(part, wanted, when, gathered);
  }
  std::stable_sort(gathered.words.begin(), gathered.words.end(),
                   [](const Evidence& a, const Evidence& b) { return a.time < b.time; });
  return gathered;
}

void HeldStreams::forget_before(SessionTime time) {
  streams_.forget_before(time);
  // The windows' members are kept here as long as those: the numbers are the same.
  for (auto& [key, items] : items_)
    // The last before it still holds.
    for (; items.size() > 1 && items[1].at < time; items.pop_front()) let_go(items.front());
}

}  // namespace braid::serve
