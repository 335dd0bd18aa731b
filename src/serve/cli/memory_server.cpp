#include "cli/memory_server.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <utility>

#include "braid/base/utf8.h"
#include "braid/net/client.h"
#include "config/time_text.h"

namespace braid::serve {

namespace json = boost::json;

namespace {

constexpr std::size_t kMaxAnswerBytes = 64U << 20;  // a thousand of the longest records, and to spare
constexpr std::size_t kMaxShown = 300;              // bytes of an answer that isn't understood

Result<std::string> body_of(const MemoryFlags& flags) {
  const auto deadline = parse_span(flags.deadline);
  if (!deadline) return tl::unexpected(deadline.error());
  json::object body{{"limit", flags.limit}, {"deadline_ms", to_ms(*deadline)}, {"zone", flags.zone}};
  const auto put = [&](const char* name, const std::string& text) {
    if (!text.empty()) body[name] = text;
  };
  put("query", flags.question);
  put("during", flags.during);
  put("from", flags.from);
  put("to", flags.to);
  if (!flags.sources.empty()) body["source"] = json::value_from(flags.sources);
  if (!flags.kinds.empty()) body["kind"] = json::value_from(flags.kinds);
  return json::serialize(body);
}

/// What it refused, in its own words.
Error refusal(const MemoryFlags& flags, const net::ClientResponse& answer) {
  boost::system::error_code error;
  const json::value parsed = json::parse(answer.body, error);
  const json::value* said = nullptr;
  if (!error) said = parsed.find_pointer("/error/message", error);
  const std::string words =
      said && said->is_string() ? std::string(said->get_string()) : answer.body.substr(0, kMaxShown);
  return {answer.status == 400 ? ErrorCode::kUsage : ErrorCode::kBadInput,
          fmt::format("{} answered {}: {}", flags.server, answer.status, printable(words))};
}

}  // namespace

Result<ServerFound> search_server(const MemoryFlags& flags) {
  auto body = body_of(flags);
  if (!body) return tl::unexpected(body.error());
  net::ClientOptions options;
  options.allow = nullptr;
  auto client = net::Client::make(std::move(options));
  if (!client) return tl::unexpected(client.error());
  net::ClientRequest request;
  request.method = "POST";
  request.url = flags.server + "/v1/memory/search";
  request.body = std::move(*body);
  request.max_body = kMaxAnswerBytes;
  request.headers.add("Content-Type", "application/json");
  const char* const from_environment = std::getenv("BRAID_KEY");
  const std::string key = !flags.key.empty() ? flags.key : from_environment ? from_environment : "";
  if (!key.empty()) request.headers.add("Authorization", "Bearer " + key);
  const auto answer = (*client)->fetch(std::move(request));
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200) return tl::unexpected(refusal(flags, *answer));
  boost::system::error_code error;
  json::value parsed = json::parse(answer->body, error);
  json::object* object = error ? nullptr : parsed.if_object();
  json::value* data = object ? object->if_contains("data") : nullptr;
  if (!data || !data->is_array())
    return fail(ErrorCode::kBadInput, fmt::format("{} is no server of Braid's: it answered {}", flags.server,
                                                  printable(answer->body.substr(0, kMaxShown))));
  ServerFound found;
  found.hits = std::move(data->get_array());
  found.search = {{"type", "search"}, {"hits", found.hits.size()}};
  for (auto& field : *object)
    if (field.key() != "data" && field.key() != "object") found.search.insert(field);
  return found;
}

}  // namespace braid::serve
