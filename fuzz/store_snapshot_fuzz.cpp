// Any bytes as a snapshot file. What is read is whole; a checksum that is made to fit lets bytes further in.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "braid/store/checksum.h"
#include "braid/store/snapshot_file.h"

namespace {

void fit_checksum(std::string& file) {
  constexpr std::size_t kHeader = 48, kChecksum = 12, kLength = 40;
  if (file.size() < kHeader) return;
  std::uint64_t length = 0;
  std::memcpy(&length, file.data() + kLength, sizeof length);
  if (length > file.size() - kHeader) return;
  std::memset(file.data() + kChecksum, 0, 4);
  const std::uint32_t checksum = braid::store::crc32c({std::string_view(file).substr(0, kHeader + length)});
  std::memcpy(file.data() + kChecksum, &checksum, sizeof checksum);
}

void look(const std::string& file) {
  const auto read = braid::store::parse_snapshot(file);
  if (read && read->body.size() + 48 > file.size()) std::abort();
  if (!read && read.error().message.size() > 500) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  look(file);
  fit_checksum(file);
  look(file);
  look(file + file);
  return 0;
}
