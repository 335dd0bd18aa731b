#include "braid/openai/base64.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace braid::openai {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kBad = 1U << 31;

// A table for each of the four characters of a group: its six bits where they belong in the three bytes,
// first byte lowest. OR of four look-ups is the group; kBad survives it. (N. Galbreath, modp_b64, 2005.)
using Table = std::array<std::uint32_t, 256>;
constexpr std::array<Table, 4> make_tables() {
  std::array<Table, 4> tables{};
  for (Table& table : tables) table.fill(kBad);
  for (std::uint32_t six = 0; six < 64; ++six) {
    const auto c = static_cast<unsigned char>(kAlphabet[six]);
    tables[0][c] = six << 2;
    tables[1][c] = (six >> 4) | ((six & 15U) << 12);
    tables[2][c] = ((six >> 2) << 8) | ((six & 3U) << 22);
    tables[3][c] = six << 16;
  }
  return tables;
}
constexpr std::array<Table, 4> kTables = make_tables();

std::uint32_t group(const char* four) {
  const auto byte = [four](int i) { return static_cast<unsigned char>(four[i]); };
  return kTables[0][byte(0)] | kTables[1][byte(1)] | kTables[2][byte(2)] | kTables[3][byte(3)];
}

// The low three bytes of `value`, in memory order.
void store(char* to, std::uint32_t value) {
  to[0] = static_cast<char>(value);
  to[1] = static_cast<char>(value >> 8);
  to[2] = static_cast<char>(value >> 16);
}

class Decoder {
 public:
  Decoder(std::string_view text, std::size_t max_bytes) : text_(text), max_bytes_(max_bytes) {}

  Result<std::string> run() {
    out_.reserve(std::min(text_.size() / 4 * 3, max_bytes_) + 3);
    while (at_ < text_.size()) {
      fast();
      if (out_.size() > max_bytes_) break;
      if (at_ < text_.size() && !one_group()) return bad_;
    }
    if (out_.size() > max_bytes_)
      return fail(ErrorCode::kLimit, fmt::format("more than {} bytes of base64 data", max_bytes_));
    return std::move(out_);
  }

 private:
  // Whole groups without anything between them, through a buffer that stays in the first-level cache: the
  // result's memory is touched once.
  void fast() {
    std::array<char, kBlock / 4 * 3> block;
    for (;;) {
      const std::size_t groups = std::min(text_.size() - at_, kBlock) / 4;
      std::size_t done = 0;
      const char* from = text_.data() + at_;
      for (; done < groups; ++done) {
        const std::uint32_t value = group(from + done * 4);
        if (value & kBad) break;
        store(block.data() + done * 3, value);
      }
      out_.append(block.data(), done * 3);
      at_ += done * 4;
      if (done < groups || done == 0 || out_.size() > max_bytes_) return;
    }
  }

  // A group that has line breaks in it or padding at its end.
  bool one_group() {
    std::array<char, 4> four{};
    std::size_t n = 0, padding = 0;
    for (; at_ < text_.size() && n < 4; ++at_) {
      const char c = text_[at_];
      if (c == '\r' || c == '\n') continue;
      if (c == '=') {
        if (n < 2) return bad("padding where data was expected");
        four[n++] = 'A';
        ++padding;
        continue;
      }
      if (padding > 0) return bad("data after padding");
      if (kTables[0][static_cast<unsigned char>(c)] & kBad) return bad("not a character of base64");
      four[n++] = c;
    }
    if (n == 0) return true;
    if (n < 4) return bad("the end came within a group of four characters");
    std::array<char, 3> three{};
    store(three.data(), group(four.data()));
    if (std::any_of(three.end() - padding, three.end(), [](char c) { return c != 0; }))
      return bad("bits set that the padding leaves unused");
    out_.append(three.data(), 3 - padding);
    if (padding > 0) {
      at_ = std::min(text_.find_first_not_of("\r\n", at_), text_.size());
      if (at_ < text_.size()) return bad("data after padding");
    }
    return true;
  }

  bool bad(const char* why) {
    bad_ = fail(ErrorCode::kBadInput, fmt::format("not valid base64: {} at character {}", why, at_));
    return false;
  }

  static constexpr std::size_t kBlock = 4096;

  std::string_view text_;
  std::size_t max_bytes_;
  std::size_t at_ = 0;
  std::string out_;
  Result<std::string> bad_;
};

}  // namespace

Result<std::string> decode_base64(std::string_view text, std::size_t max_bytes) {
  return Decoder(text, max_bytes).run();
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [bytes](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : std::uint32_t{0};
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kAlphabet[three >> 18];
    text += kAlphabet[three >> 12 & 63];
    text += i + 1 < bytes.size() ? kAlphabet[three >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kAlphabet[three & 63] : '=';
  }
  return text;
}

}  // namespace braid::openai
