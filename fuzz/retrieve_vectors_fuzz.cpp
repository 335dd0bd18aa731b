// Any bytes as a memory's file of vectors: read or refused, and what is read lies within them.
#include <cstdint>
#include <string>

#include "braid/store/checksum.h"
#include "vectors/sealed.h"

namespace {

constexpr std::size_t kChecksumAt = 40;  // of the header

void look(const std::string& bytes, const braid::retrieve::SealedKey& key) {
  const auto sealed = braid::retrieve::Sealed::parse(bytes, key);
  if (!sealed || sealed->rows() == 0) return;
  const braid::retrieve::CoarseQuery query(std::vector<float>(sealed->dim(), 0.5F));
  for (std::size_t i = 0; i < sealed->rows(); ++i) {
    static_cast<void>(sealed->id(i));
    static_cast<void>(sealed->score(query, i));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const braid::retrieve::SealedKey key{7, 5, 9};
  look(bytes, key);
  // Behind the checksum, too.
  if (bytes.size() < kChecksumAt + 4) return 0;
  bytes.replace(kChecksumAt, 4, 4, '\0');
  const std::uint32_t right = braid::store::crc32c({bytes});
  bytes.replace(kChecksumAt, 4, reinterpret_cast<const char*>(&right), 4);
  look(bytes, key);
  return 0;
}
