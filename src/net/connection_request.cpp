// How a request is read, checked and handed to its handler.
#include <boost/beast/http/error.hpp>
#include <utility>

#include "braid/base/log.h"
#include "braid/net/client.h"
#include "connection.h"
#include "gate.h"

namespace braid::net::detail {

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

TimePoint now() { return std::chrono::steady_clock::now(); }

std::string_view bytes_of(const boost::beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

HttpError as_error(int status, std::string message, const char* code) {
  return {status, std::move(message), {}, {}, code};
}

// Made apart: GCC 12 can't have braced lists among the arguments of what is awaited.
Headers one_header(const char* name, std::string value) {
  Headers headers;
  headers.add(name, std::move(value));
  return headers;
}

HttpError timed_out() { return {408, "the request didn't come in time", {}, {}, "request_timeout"}; }

HttpError unknown_path(const Request& request) {
  return {404, "unknown request URL: " + request.method + ' ' + request.path, {}, {}, "unknown_url"};
}

bool is_fatal(const error_code& error) { return error && error != boost::beast::http::error::need_more; }

}  // namespace

Task<bool> Connection::serve_one() {
  if (!co_await first_byte()) co_return false;
  RequestParser parser(core_->options.limits.header_bytes);
  facts_.id = core_->ids.next();
  if (!co_await read_header(parser)) co_return false;
  served_one_ = true;
  facts_.http_1_0 = parser.http_1_0();
  facts_.keep_alive = parser.keep_alive();
  facts_.head_only = parser.request().method == "HEAD";
  if (HttpError fault = parser.header_fault(); fault.status != 0)
    co_return co_await refuse(std::move(fault), false);
  const bool go_on = co_await route(parser);
  body_share_.release();
  co_return go_on && !ended_;
}

// Waits for a request to begin. Nothing was asked yet, so nothing is answered when none comes.
Task<bool> Connection::first_byte() {
  const Limits& limits = core_->options.limits;
  const TimePoint until = now() + (served_one_ ? limits.keep_alive_timeout : limits.header_timeout);
  while (true) {
    // An empty line in front of a request is let pass (RFC 9112, 2.2).
    while (in_.size() > 0 && (bytes_of(in_)[0] == '\r' || bytes_of(in_)[0] == '\n')) in_.consume(1);
    if (in_.size() > 0) co_return true;
    if (in_closed_ || stopping_) co_return false;
    in_.shrink_to_fit();
    read_more();
    if (!co_await changed_.wait(until) && now() >= until) {
      if (!served_one_) drop(DropReason::kTimeout);
      co_return false;
    }
  }
}

Task<bool> Connection::more(TimePoint deadline) {
  const std::size_t before = in_.size();
  read_more();
  while (in_.size() == before && !in_closed_) {
    if (!co_await changed_.wait(deadline) && now() >= deadline) co_return co_await refuse(timed_out(), false);
  }
  if (in_.size() == before) drop(DropReason::kGone);
  co_return in_.size() > before;
}

Task<bool> Connection::read_header(RequestParser& parser) {
  const TimePoint deadline = now() + core_->options.limits.header_timeout;
  while (true) {
    error_code error;
    in_.consume(parser.feed(bytes_of(in_), error));
    if (!is_fatal(error) && in_.size() >= in_.max_size()) error = boost::beast::http::error::header_limit;
    if (is_fatal(error)) co_return co_await refuse(parse_error(error), false);
    if (parser.is_header_done()) co_return true;
    if (!co_await more(deadline)) co_return false;
  }
}

Task<bool> Connection::read_body(RequestParser& parser) {
  const Limits& limits = core_->options.limits;
  const TimePoint began = now();
  while (!parser.is_done()) {
    error_code error;
    if (in_.size() > 0) in_.consume(parser.feed(bytes_of(in_), error));
    if (parser.was_refused())
      co_return co_await refuse(as_error(503, "too many large requests at once; try again", "overloaded"),
                                false);
    if (!is_fatal(error) && in_.size() >= in_.max_size()) error = boost::beast::http::error::bad_chunk;
    if (is_fatal(error)) co_return co_await refuse(parse_error(error), false);
    if (parser.is_done()) break;
    TimePoint deadline = now() + limits.body_timeout;
    if (limits.body_bytes_per_second > 0) {
      const std::chrono::seconds earned(parser.request().body.size() / limits.body_bytes_per_second);
      deadline = std::min(deadline, began + limits.body_timeout + earned);
    }
    if (!co_await more(deadline)) co_return false;
  }
  co_return true;
}

Task<bool> Connection::route(RequestParser& parser) {
  Request& request = parser.request();
  request.id = facts_.id;
  request.remote = remote_.to_string();
  request.loopback = is_loopback_address(request.remote);
  request.tls = transport_.is_tls();
  const bool whole = !parser.has_body();
  HttpError fault = origin_fault(request, core_->options, facts_.cors_origin);
  if (fault.status != 0) {
    const bool go_on = whole && fault.status != 400;
    co_return co_await refuse(std::move(fault), go_on);
  }
  auto target = parse_target(request.method == "OPTIONS" && parser.target() == "*" ? "/" : parser.target());
  if (!target) co_return co_await refuse(as_error(400, target.error().message, "malformed_url"), false);
  request.path = target->path;
  request.query = std::move(target->query);
  if (request.method == "OPTIONS") co_return co_await options(parser, *target);

  RouteTable::Match match =
      core_->table->find(request.method, target->segments, !facts_.http_1_0 && wants_web_socket(request));
  if (match.route == nullptr) co_return co_await without_route(parser, *target);
  request.params = std::move(match.params);
  read_credentials(request, match.route->key_subprotocol);
  if (!match.route->open && core_->options.authorise) {
    std::optional<Caller> caller;
    guarded("authorise", [&] { caller = core_->options.authorise(request); });
    if (!caller) co_return co_await refuse(no_key(request), whole, one_header("WWW-Authenticate", "Bearer"));
    request.key_name = std::move(caller->name);
    facts_.key = std::move(caller->key);
  }
  if (!co_await receive(parser, *match.route)) co_return false;
  co_return co_await call(*match.route, std::move(request));
}

Task<bool> Connection::without_route(RequestParser& parser, const Target& target) {
  const Request& request = parser.request();
  const bool whole = !parser.has_body();
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (const Page* page = core_->table->page(request.path); page != nullptr && reads && whole)
    co_return co_await send_answer(page_answer(*page, request), true);
  if (reads && core_->table->is_web_socket(target.segments))
    co_return co_await refuse(as_error(426, "this endpoint speaks WebSocket alone", "upgrade_required"),
                              whole, one_header("Upgrade", "websocket"));
  const std::string allowed = core_->table->allowed(target);
  if (allowed.empty()) co_return co_await refuse(unknown_path(request), whole);
  HttpError error =
      as_error(405, request.method + " isn't taken here; expected " + allowed, "method_not_allowed");
  co_return co_await refuse(std::move(error), whole, one_header("Allow", allowed));
}

Task<bool> Connection::options(RequestParser& parser, const Target& target) {
  const Request& request = parser.request();
  const bool whole = !parser.has_body();
  const std::string allowed =
      parser.target() == "*" ? "GET, HEAD, OPTIONS, POST" : core_->table->allowed(target);
  if (allowed.empty()) co_return co_await refuse(unknown_path(request), whole);
  if (!whole) facts_.keep_alive = false;
  Answer answer;
  answer.status = 204;
  answer.headers.add("Allow", allowed);
  if (!facts_.cors_origin.empty() && request.header("Access-Control-Request-Method")) {
    answer.headers.add("Access-Control-Allow-Methods", allowed);
    if (const auto headers = request.header("Access-Control-Request-Headers"))
      answer.headers.add("Access-Control-Allow-Headers", std::string(*headers));
    answer.headers.add("Access-Control-Max-Age", "600");
  }
  co_return co_await send_answer(std::move(answer));
}

// The body, if one comes. On refusal the rest of it is not read.
Task<bool> Connection::receive(RequestParser& parser, const Route& route) {
  const std::size_t max = route.max_body > 0 ? route.max_body : core_->options.limits.body_bytes;
  if (parser.content_length().value_or(0) > max)
    co_return co_await refuse(parse_error(boost::beast::http::error::body_limit), false);
  if (const auto expect = parser.request().header("Expect")) {
    if (!equals_ignoring_case(*expect, "100-continue"))
      co_return co_await refuse(
          as_error(417, "the only expectation known is 100-continue", "expectation_failed"), false);
    if (parser.has_body() && in_.size() == 0 && !facts_.http_1_0 && !co_await write(kContinue))
      co_return false;
  }
  parser.begin_body(max, [this](std::size_t bytes) { return body_share_.take(bytes); });
  co_return co_await read_body(parser);
}

Task<bool> Connection::call(const Route& route, Request request) {
  const bool upgrades = static_cast<bool>(route.upgrade);
  if (upgrades && (reading_ || in_.size() > 0)) {
    HttpError error =
        as_error(400, "nothing may be sent around a request for a WebSocket before it is answered",
                 "malformed_request");
    co_return co_await refuse(std::move(error), false);
  }
  const Sleeper sleeper{io_, weak_from_this()};
  exchange_ = std::make_shared<ExchangeState>(sleeper, core_->options.limits.outgoing_bytes, facts_.head_only,
                                              core_->error_body);
  ++core_->counters.requests_open;
  std::optional<Request> upgrade;
  if (upgrades) upgrade = request;
  guarded("a handler", [&] {
    Exchange exchange(exchange_);
    if (upgrades)
      route.upgrade(std::move(request), Upgrade(std::move(exchange)));
    else
      route.handler(std::move(request), std::move(exchange));
  });
  const bool go_on = co_await answer(upgrade ? &*upgrade : nullptr);
  guarded("on_gone", exchange_->detach());
  exchange_ = nullptr;
  --core_->counters.requests_open;
  co_return go_on;
}

}  // namespace braid::net::detail
