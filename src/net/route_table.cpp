#include "route_table.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace braid::net {

namespace detail {

namespace {

bool is_param(const std::string& segment) { return segment.starts_with('{') && segment.ends_with('}'); }

bool matches(const Route& route, const std::vector<std::string>& segments) {
  return std::equal(route.segments.begin(), route.segments.end(), segments.begin(), segments.end(),
                    [](const std::string& pattern, const std::string& segment) {
                      return is_param(pattern) ? !segment.empty() : pattern == segment;
                    });
}

// Whether `a` is literal where the two first differ in that.
bool is_more_literal(const Route& a, const Route& b) {
  for (std::size_t i = 0; i < a.segments.size(); ++i)
    if (is_param(a.segments[i]) != is_param(b.segments[i])) return is_param(b.segments[i]);
  return false;
}

bool answers(const Route& route, std::string_view method, bool upgrade) {
  if (upgrade != static_cast<bool>(route.upgrade)) return false;
  return route.method == method;
}

std::vector<std::string> pattern_of(std::string_view path) {
  if (!path.starts_with('/'))
    throw std::invalid_argument("a route's path begins with '/': " + std::string(path));
  std::vector<std::string> segments;
  for (bool more = true; more;) {
    path.remove_prefix(1);
    const std::size_t slash = path.find('/');
    more = slash != std::string_view::npos;
    segments.emplace_back(path.substr(0, slash));
    if (more) path.remove_prefix(slash);
  }
  return segments;
}

}  // namespace

void RouteTable::add(Route route, std::string_view path) {
  route.segments = pattern_of(path);
  std::erase_if(routes_, [&](const Route& other) {
    return other.segments == route.segments && answers(other, route.method, static_cast<bool>(route.upgrade));
  });
  routes_.push_back(std::move(route));
}

RouteTable::Match RouteTable::find(std::string_view method, const std::vector<std::string>& segments,
                                   bool upgrade) const {
  Match match;
  for (const Route& route : routes_) {
    if (!answers(route, method, upgrade) || !matches(route, segments)) continue;
    if (match.route == nullptr || is_more_literal(route, *match.route)) match.route = &route;
  }
  if (match.route == nullptr) return method == "HEAD" ? find("GET", segments, upgrade) : match;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string& pattern = match.route->segments[i];
    if (is_param(pattern)) match.params.emplace_back(pattern.substr(1, pattern.size() - 2), segments[i]);
  }
  return match;
}

const Page* RouteTable::page(std::string_view path) const {
  const auto found = pages_.find(path);
  return found == pages_.end() ? nullptr : &found->second;
}

std::string RouteTable::allowed(const Target& target) const {
  std::set<std::string> methods;
  for (const Route& route : routes_)
    if (matches(route, target.segments)) methods.insert(route.method);
  if (page(target.path) != nullptr) methods.insert("GET");
  if (methods.contains("GET")) methods.insert("HEAD");
  if (!methods.empty()) methods.insert("OPTIONS");
  std::string list;
  for (const std::string& method : methods) list += (list.empty() ? "" : ", ") + method;
  return list;
}

bool RouteTable::is_web_socket(const std::vector<std::string>& segments) const {
  return std::any_of(routes_.begin(), routes_.end(),
                     [&](const Route& route) { return route.upgrade && matches(route, segments); });
}

}  // namespace detail

Router::Router() : table_(std::make_unique<detail::RouteTable>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Router& Router::route(std::string_view method, std::string_view path, Handler handler, RouteOptions options) {
  table_->add({std::string(method), {}, std::move(handler), {}, options.max_body, options.open, {}}, path);
  return *this;
}

Router& Router::websocket(std::string_view path, UpgradeHandler handler, WebSocketRouteOptions options) {
  table_->add({"GET", {}, {}, std::move(handler), 0, options.open, std::move(options.key_subprotocol)}, path);
  return *this;
}

Router& Router::static_files(std::span<const StaticFile> files) {
  for (const StaticFile& file : files) table_->add(file);
  return *this;
}

}  // namespace braid::net
