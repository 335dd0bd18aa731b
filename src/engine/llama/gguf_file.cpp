#include "gguf_file.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "logging.h"

namespace braid::engine::llama {

namespace {

Status check_magic(const std::string& path, const std::string& what) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status))
    return fail(ErrorCode::kNotFound, fmt::format("{} '{}' is not there; check the path", what, path));
  if (std::filesystem::is_directory(status))
    return fail(ErrorCode::kBadInput, fmt::format("{} '{}' is a folder; a GGUF file is needed", what, path));
  if (!std::filesystem::is_regular_file(status))
    return fail(ErrorCode::kBadInput,
                fmt::format("{} '{}' is a pipe or device; a GGUF file is needed", what, path));
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return fail(ErrorCode::kResource,
                fmt::format("{} '{}' can't be opened; check its permissions", what, path));
  std::array<char, 4> magic{};
  file.read(magic.data(), magic.size());
  if (!file || std::string_view(magic.data(), magic.size()) != "GGUF")
    return fail(ErrorCode::kBadInput,
                fmt::format("{} '{}' is not a GGUF file (it doesn't begin with \"GGUF\")", what, path));
  return {};
}

Status check_complete(const GgufFile& file, const std::string& what) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file.path(), failed);
  const std::int64_t tensors = gguf_get_n_tensors(file.raw());
  for (std::int64_t i = 0; i < tensors; ++i) {
    const std::size_t end = file.tensor_at(i) + gguf_get_tensor_size(file.raw(), i);
    if (failed || end > size)
      return fail(ErrorCode::kBadInput,
                  fmt::format("{} '{}' is cut short: it has {} bytes and needs at least {}; get it again",
                              what, file.path(), size, end));
  }
  return {};
}

}  // namespace

Result<GgufFile> GgufFile::open(const std::string& path, const std::string& what) {
  route_logs();
  if (auto ok = check_magic(path, what); !ok) return tl::unexpected(ok.error());
  GgufFile file;
  file.path_ = path;
  file.gguf_.reset(gguf_init_from_file(path.c_str(), {.no_alloc = true, .ctx = nullptr}));
  if (!file.gguf_)
    return fail(ErrorCode::kBadInput,
                fmt::format("{} '{}' has a broken GGUF header or is cut short; get it again", what, path));
  if (auto ok = check_complete(file, what); !ok) return tl::unexpected(ok.error());
  return file;
}

std::optional<std::string> GgufFile::text(const char* key) const {
  const std::int64_t id = gguf_find_key(gguf_.get(), key);
  if (id < 0 || gguf_get_kv_type(gguf_.get(), id) != GGUF_TYPE_STRING) return std::nullopt;
  return gguf_get_val_str(gguf_.get(), id);
}

std::optional<std::int64_t> GgufFile::integer(const char* key) const {
  const std::int64_t id = gguf_find_key(gguf_.get(), key);
  if (id < 0) return std::nullopt;
  switch (gguf_get_kv_type(gguf_.get(), id)) {
    case GGUF_TYPE_UINT32:
      return gguf_get_val_u32(gguf_.get(), id);
    case GGUF_TYPE_INT32:
      return gguf_get_val_i32(gguf_.get(), id);
    case GGUF_TYPE_UINT64:
      return static_cast<std::int64_t>(gguf_get_val_u64(gguf_.get(), id));
    case GGUF_TYPE_INT64:
      return gguf_get_val_i64(gguf_.get(), id);
    default:
      return std::nullopt;
  }
}

std::optional<double> GgufFile::real(const char* key) const {
  const std::int64_t id = gguf_find_key(gguf_.get(), key);
  if (id < 0 || gguf_get_kv_type(gguf_.get(), id) != GGUF_TYPE_FLOAT32) return std::nullopt;
  return gguf_get_val_f32(gguf_.get(), id);
}

bool GgufFile::flag(const char* key) const {
  const std::int64_t id = gguf_find_key(gguf_.get(), key);
  return id >= 0 && gguf_get_kv_type(gguf_.get(), id) == GGUF_TYPE_BOOL && gguf_get_val_bool(gguf_.get(), id);
}

std::size_t GgufFile::tensor_at(std::int64_t tensor) const {
  return gguf_get_data_offset(gguf_.get()) + gguf_get_tensor_offset(gguf_.get(), tensor);
}

}  // namespace braid::engine::llama
