#include "braid/net/url.h"

#include <fmt/format.h>

#include <charconv>

#include "braid/base/utf8.h"

namespace braid::net {

namespace {

constexpr std::size_t kMaxPairs = 256;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_blank_or_control(char c) { return c == ' ' || is_control(c); }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// "http://" or "https://" at the beginning of `text`, taken from it.
std::optional<bool> take_scheme(std::string_view& text) {
  for (const bool tls : {false, true}) {
    const std::string_view scheme = tls ? "https://" : "http://";
    if (!equals_ignoring_case(text.substr(0, scheme.size()), scheme)) continue;
    text.remove_prefix(scheme.size());
    return tls;
  }
  return std::nullopt;
}

Result<std::uint16_t> parse_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port < 1 || port > 65535)
    return fail(ErrorCode::kUsage,
                fmt::format("port '{}' of a URL; expected 1 to 65535", to_valid_utf8(text)));
  return static_cast<std::uint16_t>(port);
}

bool is_host_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_';
}

// "host", "host:port", "[v6]:port" into `url`.
Status parse_authority(std::string_view authority, Url& url) {
  const auto bad = [] {
    return fail(ErrorCode::kUsage,
                "a URL's host can't be read; expected name, name:port or [IPv6]:port, no user info");
  };
  std::string_view host = authority;
  std::string_view rest;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return bad();
    host = authority.substr(1, end - 1);
    rest = authority.substr(end + 1);
    for (const char c : host)
      if (hex_digit(c) < 0 && c != ':' && c != '.') return bad();
  } else {
    const std::size_t colon = authority.find(':');
    host = authority.substr(0, colon);
    if (colon != std::string_view::npos) rest = authority.substr(colon);
    for (const char c : host)
      if (!is_host_char(c)) return bad();
  }
  if (host.empty() || host.size() > 253) return bad();
  url.host = lower(host);
  url.port = url.tls ? 443 : 80;
  if (rest.empty() || rest == ":") return {};
  if (rest[0] != ':') return bad();
  const auto port = parse_port(rest.substr(1));
  if (!port) return tl::unexpected(port.error());
  url.port = *port;
  return {};
}

}  // namespace

Result<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        return fail(ErrorCode::kBadInput, "a '%' in the URL isn't followed by two hex digits");
      result += static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (is_control(result.back())) return fail(ErrorCode::kBadInput, "the URL holds a control character");
  }
  if (to_valid_utf8(result) != result) return fail(ErrorCode::kBadInput, "the decoded URL isn't valid UTF-8");
  return result;
}

Result<Pairs> parse_query(std::string_view query) {
  Pairs pairs;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view field = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (field.empty()) continue;
    if (pairs.size() == kMaxPairs)
      return fail(ErrorCode::kLimit, fmt::format("the query has more than {} fields", kMaxPairs));
    const std::size_t equals = field.find('=');
    auto name = percent_decoded(field.substr(0, equals), true);
    if (!name) return tl::unexpected(std::move(name.error()));
    auto value = percent_decoded(equals == std::string_view::npos ? "" : field.substr(equals + 1), true);
    if (!value) return tl::unexpected(std::move(value.error()));
    pairs.emplace_back(std::move(*name), std::move(*value));
  }
  return pairs;
}

Result<Target> parse_target(std::string_view target) {
  if (take_scheme(target)) {
    const std::size_t end = target.find_first_of("/?");
    target.remove_prefix(end == std::string_view::npos ? target.size() : end);
    if (!target.starts_with('/')) {
      auto at_root = parse_target(fmt::format("/{}", target));
      return at_root;
    }
  }
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos)
    return fail(ErrorCode::kBadInput, "the request's target is no path; expected /path?query");
  const std::size_t question = target.find('?');
  std::string_view path = target.substr(1, question == std::string_view::npos ? question : question - 1);

  Target result;
  for (bool more = true; more;) {
    const std::size_t slash = path.find('/');
    more = slash != std::string_view::npos;
    auto segment = percent_decoded(path.substr(0, slash));
    if (!segment) return tl::unexpected(std::move(segment.error()));
    if (*segment == "." || *segment == ".." || segment->find_first_of("/\\") != std::string::npos)
      return fail(ErrorCode::kBadInput, "the path holds '.', '..', a backslash or an encoded slash");
    result.path += '/' + *segment;
    result.segments.push_back(std::move(*segment));
    if (more) path.remove_prefix(slash + 1);
  }
  if (question == std::string_view::npos) return result;
  auto query = parse_query(target.substr(question + 1));
  if (!query) return tl::unexpected(std::move(query.error()));
  result.query = std::move(*query);
  return result;
}

std::string Url::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  std::string text = v6 ? '[' + host + ']' : host;
  if (port != (tls ? 443 : 80)) text += fmt::format(":{}", port);
  return text;
}

std::string Url::origin() const { return (tls ? "https://" : "http://") + authority(); }

Result<Url> parse_url(std::string_view text) {
  for (const char c : text)
    if (is_blank_or_control(c))
      return fail(ErrorCode::kUsage, "a URL holds a blank or control character; encode it as %XX");
  Url url;
  const auto tls = take_scheme(text);
  if (!tls) return fail(ErrorCode::kUsage, "a URL must begin with http:// or https://");
  url.tls = *tls;
  const std::size_t end = text.find_first_of("/?#\\");
  if (auto status = parse_authority(text.substr(0, end), url); !status) return tl::unexpected(status.error());
  if (end == std::string_view::npos) return url;
  std::string_view target = text.substr(end);
  target = target.substr(0, target.find('#'));
  url.target = target.starts_with('/') ? std::string(target) : '/' + std::string(target);
  return url;
}

Result<Url> resolve_url(const Url& base, std::string_view location) {
  std::string_view rest = location;
  if (take_scheme(rest)) return parse_url(location);
  if (location.starts_with("//")) return parse_url((base.tls ? "https:" : "http:") + std::string(location));
  if (location.starts_with('/')) return parse_url(base.origin() + std::string(location));
  const std::string_view path = std::string_view(base.target).substr(0, base.target.find('?'));
  if (location.starts_with('?')) return parse_url(base.origin() + std::string(path) + std::string(location));
  // Another scheme ("ftp:x") would read as a path; nothing that is redirected to has a colon in its first
  // segment.
  if (location.substr(0, location.find('/')).find(':') != std::string_view::npos)
    return fail(ErrorCode::kUsage, "a redirect leads to another scheme than http and https");
  return parse_url(base.origin() + std::string(path.substr(0, path.rfind('/') + 1)) + std::string(location));
}

}  // namespace braid::net
