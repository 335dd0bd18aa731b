#include "server/memory_api.h"

#include <boost/json.hpp>
#include <utility>

#include "braid/openai/memory_api.h"
#include "memory/record_json.h"
#include "memory/search_words.h"
#include "server/api_errors.h"

namespace braid::serve {

namespace json = boost::json;

namespace {

openai::ApiError no_memory() {
  return {404, "this server remembers nothing: it was started without --memory", "invalid_request_error", "",
          "no_memory"};
}

openai::Parsed<retrieve::SearchQuery> query_of(const openai::MemorySearch& wanted) {
  const auto asker = asker_in(wanted.zone.empty() ? "UTC" : wanted.zone);
  if (!asker) return tl::unexpected(openai::to_api_error({ErrorCode::kUsage, asker.error().message}, "zone"));
  SearchWords words{wanted.query,   wanted.during, wanted.from, wanted.to,
                    wanted.sources, wanted.kinds,  wanted.limit};
  if (wanted.deadline) words.deadline = *wanted.deadline;
  auto query = search_query(words, *asker, "");
  if (!query) return tl::unexpected(openai::to_api_error(query.error().error, query.error().name));
  return std::move(*query);
}

/// {"object":"list","data":[hits]} and the range and the parts as `braid memory search` tells them.
std::string print_found(const retrieve::Found& found) {
  json::array hits;
  for (std::size_t i = 0; i < found.hits.size(); ++i) {
    json::object hit = hit_json(found.hits[i], i + 1);
    hit.erase("type");
    hits.push_back(std::move(hit));
  }
  json::object answer{{"object", "list"}, {"data", std::move(hits)}};
  json::object search = search_json(found);
  search.erase("type");
  search.erase("hits");
  for (auto& field : search) answer.insert(field);
  return json::serialize(answer);
}

void search(const MemoryApiParts& parts, const net::Request& request, net::Exchange exchange) {
  if (parts.memories == nullptr) return respond_error(exchange, no_memory());
  const auto wanted = openai::parse_memory_search(request.body);
  if (!wanted) return respond_error(exchange, wanted.error());
  const auto query = query_of(*wanted);
  if (!query) return respond_error(exchange, query.error());
  const auto memory = parts.memories->of(request.key_name);
  if (!memory) return respond_error(exchange, openai::to_api_error(memory.error()));
  const auto found = (*memory)->memory()->search(*query);
  if (!found) return respond_error(exchange, openai::to_api_error(found.error(), "query"));
  exchange.respond(200, "application/json", print_found(*found));
}

}  // namespace

void add_memory_route(net::Router& router, const MemoryApiParts& parts) {
  router.route("POST", "/v1/memory/search", on_workers(parts, parts.workers, search));
}

}  // namespace braid::serve
