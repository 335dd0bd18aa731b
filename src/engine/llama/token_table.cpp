#include "token_table.h"

#include <fmt/format.h>

#include <cstring>

namespace braid::engine::llama {

Result<TokenTable> TokenTable::open(const GgufFile& file, int vocabulary, const char* tensor) {
  const std::int64_t id = gguf_find_tensor(file.raw(), tensor);
  if (id < 0) return fail(ErrorCode::kUnsupported, fmt::format("the file holds no {}", tensor));
  const std::int64_t* ne = gguf_get_tensor_ne(file.raw(), id);
  const ggml_type type = gguf_get_tensor_type(file.raw(), id);
  if (ne[1] < vocabulary || (type != GGML_TYPE_F32 && !ggml_get_type_traits(type)->to_float))
    return fail(ErrorCode::kUnsupported, fmt::format("its {} can't be read row by row", tensor));
  auto bytes = MappedFile::open(file.path());
  if (!bytes) return tl::unexpected(bytes.error());
  TokenTable table(std::move(*bytes));
  table.begin_ = file.tensor_at(id);
  table.row_bytes_ = ggml_row_size(type, ne[0]);
  table.columns_ = static_cast<int>(ne[0]);
  table.type_ = type;
  return table;
}

void TokenTable::row(Token token, float* out) const {
  const std::uint8_t* from = bytes_.data() + begin_ + static_cast<std::size_t>(token) * row_bytes_;
  if (type_ == GGML_TYPE_F32)
    std::memcpy(out, from, row_bytes_);
  else
    ggml_get_type_traits(type_)->to_float(from, out, columns_);
}

}  // namespace braid::engine::llama
