#include "server/embeddings_api.h"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "braid/openai/embeddings.h"
#include "server/api_errors.h"

namespace braid::serve {

namespace {

constexpr int kMaxTokens = 16'384;  // of one request: seconds of a core
constexpr std::size_t kPiece = 8;   // texts; a memory's search waits for no more
constexpr Nanoseconds kPatience = std::chrono::seconds(30);

openai::ApiError refused(std::string message, std::string param, std::string code) {
  return {400, std::move(message), "invalid_request_error", std::move(param), std::move(code)};
}

/// Tokens of all texts.
openai::Parsed<std::int64_t> count(const engine::TextEmbedder& model, const std::vector<std::string>& texts) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const int tokens = model.tokens(texts[i]);
    if (tokens > model.most_tokens())
      return tl::unexpected(
          refused(fmt::format("'input[{}]' has {} tokens; the model reads {}: split the text", i, tokens,
                              model.most_tokens()),
                  "input", "context_length_exceeded"));
    all += tokens;
  }
  if (all <= kMaxTokens) return all;
  return tl::unexpected(refused(
      fmt::format("'input' has {} tokens in all; a request may have {}: send it in parts", all, kMaxTokens),
      "input", "input_too_long"));
}

Result<std::vector<float>> embed(const EmbeddingsApiParts& parts, retrieve::Embedder& turns,
                                 const std::vector<std::string>& texts, const net::Exchange& exchange) {
  std::vector<float> all;
  for (std::size_t at = 0; at < texts.size(); at += kPiece) {
    if (exchange.gone()) return fail(ErrorCode::kCancelled, "the client went away");
    const auto piece = std::span(texts).subspan(at, std::min(kPiece, texts.size() - at));
    auto made = turns.query({piece.begin(), piece.end()}, parts.clock.now() + kPatience);
    if (!made) return made;
    all.insert(all.end(), made->begin(), made->end());
  }
  return all;
}

openai::Parsed<openai::Embeddings> answer(const EmbeddingsApiParts& parts,
                                          const openai::EmbeddingsRequest& wanted,
                                          const net::Exchange& exchange) {
  const auto model = parts.embedder.get();
  if (!model) return tl::unexpected(openai::to_api_error(model.error()));
  if (!model->turns)
    return tl::unexpected(openai::ApiError{
        404,
        "this server has no model that makes vectors of texts: prepare one or name it with --embedder FILE",
        "invalid_request_error", "model", "model_not_found"});
  const int dim = model->model->dim();
  if (wanted.dimensions.value_or(dim) != dim)
    return tl::unexpected(
        refused(fmt::format("'dimensions' is {}; this model's vectors have {} and can't be cut",
                            *wanted.dimensions, dim),
                "dimensions", "unsupported_value"));
  const auto tokens = count(*model->model, wanted.input);
  if (!tokens) return tl::unexpected(tokens.error());
  auto values = embed(parts, *model->turns, wanted.input, exchange);
  if (!values) return tl::unexpected(openai::to_api_error(values.error()));
  return openai::Embeddings{wanted.model, wanted.base64, static_cast<std::size_t>(dim), std::move(*values),
                            *tokens};
}

void handle(const EmbeddingsApiParts& parts, const net::Request& request, net::Exchange exchange) {
  const auto wanted = openai::parse_embeddings(request.body);
  if (!wanted) return respond_error(exchange, wanted.error());
  const auto made = answer(parts, *wanted, exchange);
  if (!made) return respond_error(exchange, made.error());
  exchange.respond(200, "application/json", openai::print_embeddings(*made));
}

}  // namespace

void add_embeddings_route(net::Router& router, const EmbeddingsApiParts& parts) {
  router.route("POST", "/v1/embeddings", on_workers(parts, parts.workers, handle));
}

}  // namespace braid::serve
