#include "key_file.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "braid/base/utf8.h"

namespace braid::net {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool parse_hash(std::string_view hex, KeyHash& hash) {
  if (hex.size() != 2 * hash.size()) return false;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const char c = hex[i];
    int digit = 0;
    if (c >= '0' && c <= '9')
      digit = c - '0';
    else if (c >= 'a' && c <= 'f')
      digit = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F')
      digit = c - 'A' + 10;
    else
      return false;
    hash[i / 2] = static_cast<unsigned char>(hash[i / 2] << 4 | digit);
  }
  return true;
}

}  // namespace

KeyHash sha256(std::string_view bytes) {
  KeyHash hash{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, EVP_sha256(), nullptr);
  return hash;
}

std::string hex_of(const KeyHash& hash) {
  std::string hex;
  for (const unsigned char byte : hash) hex += fmt::format("{:02x}", byte);
  return hex;
}

Result<std::vector<KeyEntry>> parse_keys(std::string_view bytes) {
  if (bytes.size() > kMaxKeyFile)
    return fail(ErrorCode::kLimit, fmt::format("more than {} bytes; split off what isn't keys", kMaxKeyFile));
  std::vector<KeyEntry> keys;
  for (int number = 1; !bytes.empty(); ++number) {
    const std::size_t end = bytes.find('\n');
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (keys.size() == kMaxKeys) return fail(ErrorCode::kLimit, fmt::format("more than {} keys", kMaxKeys));
    KeyEntry entry;
    const std::size_t blank = line.find_first_of(kBlanks);
    if (!parse_hash(line.substr(0, blank), entry.hash))
      return fail(
          ErrorCode::kBadInput,
          fmt::format(
              "line {} doesn't begin with a SHA-256 as 64 hex digits; a key itself must not stand here",
              number));
    if (blank != std::string_view::npos) entry.name = to_valid_utf8(trimmed(line.substr(blank)));
    // Not by its line: that changes with the lines before it, and sessions belong to names.
    if (entry.name.empty()) entry.name = "key-" + hex_of(entry.hash).substr(0, 12);
    keys.push_back(std::move(entry));
  }
  return keys;
}

}  // namespace braid::net
