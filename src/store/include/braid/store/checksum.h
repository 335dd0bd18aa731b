#pragma once
// CRC32C (Castagnoli, Braeuer, Herrmann 1993), as iSCSI and ext4 use it.

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace braid::store {

/// Of the parts one after the other. Any thread.
std::uint32_t crc32c(std::initializer_list<std::string_view> parts);

}  // namespace braid::store
