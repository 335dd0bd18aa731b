#include "gguf_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace braid::engine::llama {

GgufWriter::GgufWriter(std::string path, const gguf_context* layout)
    : path_(std::move(path)),
      unfinished_(fmt::format("{}.{}.tmp", path_, getpid())),
      layout_(layout),
      file_(std::fopen(unfinished_.c_str(), "wb")) {}

GgufWriter::~GgufWriter() {
  if (!file_) return;
  file_.reset();
  std::remove(unfinished_.c_str());
}

Status GgufWriter::failed() const {
  return fail(ErrorCode::kResource,
              fmt::format("'{}' can't be written: {}; free space or choose another place", path_,
                          std::strerror(errno)));
}

Result<GgufWriter> GgufWriter::create(const std::string& path, const gguf_context* layout) {
  GgufWriter writer(path, layout);
  if (!writer.file_ || !gguf_write_to_file_ptr(layout, writer.file_.get(), /*only_meta=*/true))
    return tl::unexpected(writer.failed().error());
  return writer;
}

Status GgufWriter::append(const void* data, std::size_t bytes) {
  static constexpr std::array<char, 4096> kZeros{};
  const std::size_t padding = GGML_PAD(bytes, gguf_get_alignment(layout_)) - bytes;
  if (std::fwrite(data, 1, bytes, file_.get()) != bytes) return failed();
  if (padding > kZeros.size() || std::fwrite(kZeros.data(), 1, padding, file_.get()) != padding)
    return failed();
  return {};
}

Status GgufWriter::finish() {
  if (std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0) return failed();
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) return failed();
  file_.reset();
  return {};
}

}  // namespace braid::engine::llama
