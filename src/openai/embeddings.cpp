#include "braid/openai/embeddings.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "braid/openai/base64.h"
#include "field_reader.h"
#include "json_out.h"
#include "text_list.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

constexpr JsonIndex kRoot = 0;
constexpr JsonBounds kBounds{4096, 4};
constexpr std::size_t kMaxWord = 256;  // bytes
constexpr int kMaxDimensions = 1 << 16;

static_assert(std::endian::native == std::endian::little, "base64 carries the values as they lie in memory");

/// Stock clients send them for OpenAI's own models.
bool holds_tokens(const JsonDoc& doc, JsonIndex input) {
  return doc[input].kind == Kind::kArray && doc.children(input) > 0 && doc[input + 1].kind != Kind::kString;
}

void read_input(FieldReader& reader, const EmbeddingsLimits& limits, std::vector<std::string>& input) {
  const std::optional<JsonIndex> at = reader.required(kRoot, "input");
  if (!at) return;
  if (holds_tokens(reader.doc(), *at))
    return reader.refuse("input", "unsupported_value",
                         "Unsupported 'input': token ids are of another model's vocabulary. Send texts.");
  input = read_texts(reader, kRoot, "input", {limits.texts, limits.text_bytes});
  if (input.empty())
    reader.refuse("input", "empty_array", "Invalid 'input': empty array. Expected a text at least.");
}

std::string_view bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void append(JsonOut& out, std::span<const float> values, bool base64) {
  out.name("embedding");
  if (base64) {
    out.string(encode_base64(bytes_of(values)));
    return;
  }
  out.begin_array();
  for (const float value : values) out.raw(fmt::format("{}", value));
  out.end_array();
}

}  // namespace

Parsed<EmbeddingsRequest> parse_embeddings(std::string_view body, const EmbeddingsLimits& limits) {
  const auto doc = parse_object(body, limits.body_bytes, kBounds);
  if (!doc) return tl::unexpected(doc.error());
  FieldReader reader(*doc);
  EmbeddingsRequest request;
  read_input(reader, limits, request.input);
  request.model = reader.required_string(kRoot, "model", kMaxWord);
  if (const auto format = reader.word(kRoot, "encoding_format", {"float", "base64"}))
    request.base64 = *format == "base64";
  if (const auto dimensions = reader.integer(kRoot, "dimensions", 1, kMaxDimensions))
    request.dimensions = static_cast<int>(*dimensions);
  if (reader.failed()) return tl::unexpected(reader.take_error());
  return request;
}

std::string print_embeddings(const Embeddings& embeddings) {
  JsonOut out;
  out.begin_object().name("object").string("list").name("data").begin_array();
  const std::span<const float> all(embeddings.values);
  for (std::size_t i = 0; embeddings.dim > 0 && i < all.size() / embeddings.dim; ++i) {
    out.begin_object().name("object").string("embedding").name("index").count(i);
    append(out, all.subspan(i * embeddings.dim, embeddings.dim), embeddings.base64);
    out.end_object();
  }
  out.end_array().name("model").string(embeddings.model).name("usage").begin_object();
  out.name("prompt_tokens").integer(embeddings.tokens).name("total_tokens").integer(embeddings.tokens);
  out.end_object().end_object();
  return out.take();
}

}  // namespace braid::openai
