#pragma once
// What a keys file says; apart from KeyStore so that it can be fed any bytes.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::net {

inline constexpr std::size_t kMaxKeyFile = 1 << 20;
inline constexpr std::size_t kMaxKeys = 10'000;

using KeyHash = std::array<unsigned char, 32>;

struct KeyEntry {
  KeyHash hash{};
  std::string name;
};

KeyHash sha256(std::string_view bytes);
/// 64 digits.
std::string hex_of(const KeyHash& hash);

/// kBadInput names the line; kLimit beyond the bounds above.
Result<std::vector<KeyEntry>> parse_keys(std::string_view bytes);

}  // namespace braid::net
