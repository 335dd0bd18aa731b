#include "chat/remote_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace braid::serve {

namespace {

constexpr int kMaxRedirects = 5;

bool is_entry(std::string_view entry) {
  if (entry.starts_with("*.")) entry.remove_prefix(2);
  return !entry.empty() && std::all_of(entry.begin(), entry.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == ':';
  });
}

Error refusal(const std::string& url, const Error& why) {
  const ErrorCode code = why.code == ErrorCode::kFull || why.code == ErrorCode::kLimit ||
                                 why.code == ErrorCode::kUnsupported || why.code == ErrorCode::kCancelled
                             ? why.code
                             : ErrorCode::kBadInput;
  const char* cure = code == ErrorCode::kUnsupported
                         ? "; send a data: URI, or have it listed: --media-host, or hosts of [remote_media]"
                         : "";
  return {code, fmt::format("{} can't be fetched: {}{}", url, why.message, cure), why.retryable};
}

}  // namespace

bool host_is_listed(std::string_view host, const std::vector<std::string>& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view entry) {
    if (!entry.starts_with("*.")) return net::equals_ignoring_case(host, entry);
    const std::string_view tail = entry.substr(1);
    return host.size() > tail.size() &&
           net::equals_ignoring_case(host.substr(host.size() - tail.size()), tail);
  });
}

/// One request's media, fetched one after the other.
struct RemoteMedia::Gathering {
  std::shared_ptr<openai::ChatRequest> chat;
  std::function<bool()> has_left;
  std::function<void(Status)> then;
  SteadyTime until;  // for all together
  std::vector<openai::Part*> parts;
  std::size_t next = 0;
  std::size_t bytes_left = 0;
};

Result<std::unique_ptr<RemoteMedia>> RemoteMedia::make(const RemoteMediaOptions& options, Clock& clock) {
  for (const std::string& host : options.hosts)
    if (!is_entry(host))
      return fail(ErrorCode::kUsage,
                  fmt::format("'{}' is no host that media may come from; expected a name as example.com or "
                              "*.example.com",
                              host));
  net::ClientOptions client;
  if (options.allow_private) client.allow = nullptr;
  client.allow_host = [hosts = options.hosts](std::string_view host) { return host_is_listed(host, hosts); };
  auto made = net::Client::make(std::move(client));
  if (!made) return tl::unexpected(made.error());
  return std::unique_ptr<RemoteMedia>(new RemoteMedia(options, clock, std::move(*made)));
}

void RemoteMedia::fetch(std::shared_ptr<openai::ChatRequest> chat, std::function<bool()> has_left,
                        std::function<void(Status)> then) {
  const auto gathering = std::make_shared<Gathering>();
  gathering->has_left = std::move(has_left);
  gathering->until = clock_.now() + options_.timeout;
  gathering->bytes_left = options_.max_bytes;
  for (openai::Message& message : chat->messages)
    for (openai::Part& part : message.content)
      if (!part.url.empty()) gathering->parts.push_back(&part);
  if (!gathering->parts.empty() && options_.hosts.empty())
    return then(
        fail(ErrorCode::kUnsupported,
             "media at a URL are not fetched by this server; send a data: URI, or have the host listed: "
             "--media-host, or hosts of [remote_media]"));
  gathering->chat = std::move(chat);
  gathering->then = std::move(then);
  fetch_next(gathering);
}

void RemoteMedia::fetch_next(const std::shared_ptr<Gathering>& gathering) {
  if (gathering->next == gathering->parts.size()) return gathering->then({});
  if (gathering->has_left()) return gathering->then(fail(ErrorCode::kCancelled, "the client has gone"));
  net::ClientRequest request;
  request.url = gathering->parts[gathering->next]->url;
  request.timeout = std::chrono::ceil<Milliseconds>(gathering->until - clock_.now());
  if (request.timeout <= Milliseconds(0))
    return gathering->then(tl::unexpected(
        refusal(request.url, {ErrorCode::kBadInput, fmt::format("the media of one request have {} s together",
                                                                to_seconds(options_.timeout))})));
  request.max_body = gathering->bytes_left;
  request.max_redirects = kMaxRedirects;
  client_->send(std::move(request), [this, gathering](Result<net::ClientResponse> response) {
    openai::Part& part = *gathering->parts[gathering->next];
    if (!response) return gathering->then(tl::unexpected(refusal(part.url, response.error())));
    if (response->status != 200 || response->body.empty())
      return gathering->then(tl::unexpected(
          refusal(part.url, {ErrorCode::kBadInput,
                             fmt::format("the answer has status {} and {} bytes; expected 200 and a medium",
                                         response->status, response->body.size())})));
    gathering->bytes_left -= response->body.size();
    part.bytes = std::move(response->body);
    part.url.clear();
    ++gathering->next;
    fetch_next(gathering);
  });
}

}  // namespace braid::serve
