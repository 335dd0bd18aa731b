#include "chat/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace braid::serve {

Result<MemoryFile> MemoryFile::holding(const std::string& bytes) {
  MemoryFile file(memfd_create("medium", MFD_CLOEXEC));
  if (file.descriptor_ < 0) return fail(ErrorCode::kResource, "no memory for a medium: try again", true);
  for (std::size_t done = 0; done < bytes.size();) {
    const auto wrote = write(file.descriptor_, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) return fail(ErrorCode::kResource, "no memory for a medium: try again", true);
    done += static_cast<std::size_t>(wrote);
  }
  return file;
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

}  // namespace braid::serve
