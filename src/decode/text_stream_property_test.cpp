#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

#include "braid/decode/text_stream.h"

namespace braid::decode {
namespace {

// One code point at `at` by the definition: the code point's own encoding, or npos.
std::size_t whole_character(const std::string& bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes[i]));
  };
  const unsigned lead = byte(at);
  const std::size_t n = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
  if (n == 0 || lead > 0xF7 || at + n > bytes.size()) return std::string::npos;
  unsigned code = n == 1 ? lead : lead & (0xFFU >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return std::string::npos;
    code = code << 6 | (byte(at + i) & 0x3FU);
  }
  constexpr std::array<unsigned, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[n] || code > 0x10FFFF || surrogate ? std::string::npos : n;
}

// Whether `bytes` is the beginning of some character: tried by brute force over what could follow.
bool begins_a_character(const std::string& bytes) {
  constexpr std::array<const char*, 7> kEnds{"",         "\x80",         "\xBF",        "\x80\x80",
                                             "\xBF\xBF", "\x80\x80\x80", "\xBF\xBF\xBF"};
  for (const char* end : kEnds)
    if (whole_character(bytes + end, 0) == bytes.size() + std::string(end).size()) return true;
  return false;
}

// The whole text at once: valid characters, U+FFFD for each longest run that begins a character.
std::string naive_text(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t n = whole_character(bytes, at);
    const bool whole = n != std::string::npos;
    if (!whole)
      for (n = 1; at + n < bytes.size() && begins_a_character(bytes.substr(at, n + 1));) ++n;
    text += whole ? bytes.substr(at, n) : "\xEF\xBF\xBD";
    at += n;
  }
  return text;
}

struct Naive {
  std::string text;
  bool stopped = false;
};

// The stop that ends first, the longest of those that end there.
Naive naive_cut(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops)
      if (!stop.empty() && std::string_view(text).substr(0, end).ends_with(stop))
        longest = std::max(longest, stop.size());
    if (longest > 0) return {text.substr(0, end - longest), true};
  }
  return {text, false};
}

class TextStreamProperty : public ::testing::Test {
 protected:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  std::string any_bytes(int at_most) {
    // Few letters, so that stops are met, and pieces of characters, so that they break.
    constexpr std::array<const char*, 16> kPieces{
        "a",    "b",    "a",    "b",    "ab",       "\xC3\xA9", "\xE2\x82\xAC", "\xE2",
        "\x82", "\xAC", "\xF0", "\x9F", "\xED\xA0", "\xF4",     "\xC0",         "\xFF"};
    std::string bytes;
    for (int i = pick(0, at_most); i > 0; --i) bytes += kPieces[static_cast<std::size_t>(pick(0, 15))];
    return bytes;
  }
  std::vector<std::string> any_stops() {
    std::vector<std::string> stops(static_cast<std::size_t>(pick(0, 3)));
    for (std::string& stop : stops) stop = naive_text(any_bytes(3));
    return stops;
  }
  // What the stream shows for `bytes` split anywhere; no more than a stop's length is ever held back.
  Naive streamed(const std::string& bytes, const std::vector<std::string>& stops) {
    std::size_t longest = 0;
    for (const std::string& stop : stops) longest = std::max(longest, stop.size());
    TextStream stream(stops);
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = static_cast<std::size_t>(pick(1, 4));
      text += stream.push(bytes.substr(at, n));
      at = std::min(at + n, bytes.size());
      if (!stream.stopped()) {
        EXPECT_GE(text.size() + 3 + longest, naive_text(bytes.substr(0, at)).size()) << "held back too long";
      }
    }
    text += stream.finish();
    return {text, stream.stopped()};
  }

  std::mt19937 random_{5};
};

TEST_F(TextStreamProperty, any_split_of_any_bytes_equals_the_whole_text_cut_at_once) {
  int stopped = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string bytes = any_bytes(14);
    const std::vector<std::string> stops = any_stops();
    const Naive expected = naive_cut(naive_text(bytes), stops);
    const Naive shown = streamed(bytes, stops);
    ASSERT_EQ(shown.text, expected.text) << "round " << i;
    ASSERT_EQ(shown.stopped, expected.stopped) << "round " << i;
    stopped += shown.stopped;
  }
  EXPECT_GT(stopped, 1'000);
  EXPECT_LT(stopped, 9'000);
}

}  // namespace
}  // namespace braid::decode
