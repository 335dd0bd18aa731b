#include "mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace braid::engine::llama {

void MappedFile::Unmap::operator()(const std::uint8_t* bytes) const {
  munmap(const_cast<std::uint8_t*>(bytes), size);
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  void* bytes = MAP_FAILED;
  if (descriptor >= 0 && fstat(descriptor, &info) == 0 && info.st_size > 0)
    bytes = mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
  if (descriptor >= 0) ::close(descriptor);
  if (bytes == MAP_FAILED)
    return fail(ErrorCode::kResource,
                fmt::format("'{}' can't be mapped into memory; check its permissions", path));
  MappedFile file;
  file.bytes_ = {static_cast<const std::uint8_t*>(bytes), Unmap{static_cast<std::size_t>(info.st_size)}};
  return file;
}

}  // namespace braid::engine::llama
