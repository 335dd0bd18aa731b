#include "braid/store/checksum.h"

#include <boost/crc.hpp>

namespace braid::store {

std::uint32_t crc32c(std::initializer_list<std::string_view> parts) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  for (const std::string_view part : parts) crc.process_bytes(part.data(), part.size());
  return crc.checksum();
}

}  // namespace braid::store
