#pragma once
// Packets, questions and a reader of what comes out, for the tests of this module.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "braid/sync/synchronizer.h"
#include "sound_for_tests.h"

namespace braid::sync::test {

inline constexpr std::array<bool, kStreamKinds> kVideoOnly = {true, false, false, false};
inline constexpr std::array<bool, kStreamKinds> kAudioOnly = {false, true, false, false};
inline constexpr std::array<bool, kStreamKinds> kTextOnly = {false, false, true, false};
inline constexpr std::array<bool, kStreamKinds> kReadingsOnly = {false, false, false, true};

/// `mark` is told by the width.
inline Frame frame_at(double seconds, int mark = 1) {
  Frame frame;
  frame.captured = at(seconds);
  frame.width = mark;
  return frame;
}

inline TextLine line_at(double start, double end, std::string text = "text") {
  TextLine line;
  line.start = at(start);
  line.end = at(end);
  line.text = std::move(text);
  return line;
}

inline Reading reading_at(double seconds, std::string value = "1") {
  Reading reading;
  reading.at = at(seconds);
  reading.values = {{"channel", std::move(value)}};
  return reading;
}

inline Question question(std::string text, std::optional<SessionTime> asked_for = {}) {
  Question question;
  question.text = std::move(text);
  question.at = asked_for;
  return question;
}

inline Bound bound(StreamKind kind, double seconds) { return {kind, at(seconds)}; }

/// What came out, one text an item: kind, source, times in µs and content.
struct Describe {
  std::string operator()(const Frame& f) const {
    return fmt::format("frame {} at {} mark {}", f.source.value, to_us(f.captured), f.width);
  }
  std::string operator()(const TextLine& l) const {
    return fmt::format("line {} {}-{} {}", l.source.value, to_us(l.start), to_us(l.end), l.text);
  }
  std::string operator()(const Reading& r) const {
    return fmt::format("reading {} at {} {}", r.source.value, to_us(r.at), r.values.front().second);
  }
  std::string operator()(const Utterance& u) const {
    double weighted = 0;  // tells the samples and their order
    for (std::size_t i = 0; i < u.samples.size(); ++i) weighted += u.samples[i] * static_cast<double>(i + 1);
    return fmt::format("utterance {} {}-{} {} {}", u.source.value, to_us(u.start), to_us(u.end),
                       u.samples.size(), weighted);
  }
  std::string operator()(const Question& q) const {
    return fmt::format("question {} asked at {}", q.text, to_us(q.asked_at));
  }
  std::string operator()(const StreamsEnd& end) const { return fmt::format("end at {}", to_us(end.at)); }
  std::string operator()(const Damage& d) const {
    return fmt::format("damage {} at {} {}", d.source.value, to_us(d.at), d.error.message);
  }
};

inline std::string describe(const Timed& timed) { return std::visit(Describe{}, timed); }

}  // namespace braid::sync::test
