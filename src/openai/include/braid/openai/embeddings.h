#pragma once
// POST /v1/embeddings.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/openai/api_error.h"

namespace braid::openai {

struct EmbeddingsLimits {
  std::size_t body_bytes = 4U << 20;
  std::size_t texts = 256;
  std::size_t text_bytes = 64U << 10;
};

/// {"input": a text or an array of texts, "model", "encoding_format"?: "float" or "base64", "dimensions"?}.
/// Token ids as input are refused: they would be another model's.
struct EmbeddingsRequest {
  std::vector<std::string> input;
  std::string model;
  bool base64 = false;  ///< f32, little-endian
  std::optional<int> dimensions;
};
Parsed<EmbeddingsRequest> parse_embeddings(std::string_view body, const EmbeddingsLimits& limits = {});

struct Embeddings {
  std::string model;
  bool base64 = false;
  std::size_t dim = 0;
  std::vector<float> values;  ///< [texts, dim]
  std::int64_t tokens = 0;    ///< of all texts
};
std::string print_embeddings(const Embeddings& embeddings);

}  // namespace braid::openai
