#pragma once
// Request targets and URLs (RFC 3986), decoded strictly. Pure functions of outside bytes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"
#include "braid/net/request.h"

namespace braid::net {

/// `text` with %XX decoded; `plus_is_blank` as in queries. kBadInput: a '%' without two hex digits, or what
/// is no valid UTF-8 afterwards, or holds a control character.
Result<std::string> percent_decoded(std::string_view text, bool plus_is_blank = false);

/// "a=1&b=two+words" to pairs. At most 256; kLimit beyond.
Result<Pairs> parse_query(std::string_view query);

/// A request's target.
struct Target {
  std::vector<std::string> segments;  ///< decoded; "/" has one empty segment
  std::string path;                   ///< "/" + segments joined by '/'
  Pairs query;
};
/// Takes "/path?query" and "http://host/path?query". kBadInput: another form, an encoded slash, "." or "..",
/// and what percent_decoded refuses.
Result<Target> parse_target(std::string_view target);

/// An absolute URL.
struct Url {
  bool tls = false;
  std::string host;  ///< name or IP literal, without brackets, lower case
  std::uint16_t port = 80;
  std::string target = "/";  ///< path and query as written, without fragment

  /// "https://host:8443": the port only if it isn't the scheme's own.
  std::string origin() const;
  /// What a Host header says.
  std::string authority() const;
};
/// kUsage: not http or https, no host, user info, blanks or control characters, a port that is none.
Result<Url> parse_url(std::string_view text);
/// A redirect's Location, seen from `base`.
Result<Url> resolve_url(const Url& base, std::string_view location);

}  // namespace braid::net
