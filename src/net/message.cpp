#include "message.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

#include "braid/base/log.h"

namespace braid::net::detail {

namespace {

// A page may load what came with it, and show pictures and sound that it made itself; nothing else.
constexpr std::string_view kPagePolicy =
    "Content-Security-Policy: default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob: data:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors "
    "'none'\r\n"
    "Permissions-Policy: camera=(self), microphone=(self), display-capture=(self), geolocation=()\r\n";
constexpr std::string_view kDataPolicy =
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";
constexpr std::string_view kForAll =
    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n";

// These describe the message; only this file knows what is true.
constexpr std::array<std::string_view, 5> kReserved{"content-length", "transfer-encoding", "connection",
                                                    "date", "x-request-id"};

bool is_token_char(char c) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(c) != std::string_view::npos;
}

bool can_be_sent(std::string_view name, std::string_view value) {
  if (name.empty()) return false;
  for (const char c : name)
    if (!is_token_char(c)) return false;
  for (const char c : value)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) return false;
  for (const std::string_view reserved : kReserved)
    if (equals_ignoring_case(name, reserved)) return false;
  return true;
}

void add_header(std::string& out, std::string_view name, std::string_view value) {
  if (!can_be_sent(name, value))
    return log(LogLevel::kError, "an answer's header that can't be sent was left out");
  out.append(name).append(": ").append(value).append("\r\n");
}

// RFC 9110, 5.6.7. The calendar is what the protocol asks for; nothing is measured by it.
std::string date_now() {
  static constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(utc.tm_wday)],
                     utc.tm_mday, kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Calls `take` with each item and its parameters (";q=0.5").
template <class Take>
void for_each_item(std::string_view list, Take take) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    const std::size_t semicolon = item.find(';');
    const std::string_view name = trimmed(item.substr(0, semicolon));
    if (!name.empty())
      take(name, semicolon == std::string_view::npos ? std::string_view{} : item.substr(semicolon));
  }
}

// "q=0", "q=0.0", "q=0.000".
bool is_refused(std::string_view parameters) {
  const std::size_t q = parameters.find_first_of("qQ");
  if (q == std::string_view::npos) return false;
  const std::size_t value = parameters.find_first_not_of(" =", q + 1);
  if (value == std::string_view::npos) return false;
  return trimmed(parameters.substr(value)).find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

std::string head_text(const Answer& answer, const HeadFacts& facts) {
  std::string out;
  out.reserve(768);
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nDate: {}\r\n", answer.status,
                 status_text(answer.status), date_now());
  if (!facts.request_id.empty()) out.append("x-request-id: ").append(facts.request_id).append("\r\n");
  if (!answer.content_type.empty()) add_header(out, "Content-Type", answer.content_type);
  if (facts.framing == Framing::kLength)
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", facts.length);
  if (facts.framing == Framing::kChunked) out += "Transfer-Encoding: chunked\r\n";
  if (!facts.keep_alive)
    out += "Connection: close\r\n";
  else if (facts.http_1_0)
    out += "Connection: keep-alive\r\n";
  out += kForAll;
  out += facts.page ? kPagePolicy : kDataPolicy;
  if (!facts.cors_origin.empty()) {
    add_header(out, "Access-Control-Allow-Origin", facts.cors_origin);
    out += "Access-Control-Expose-Headers: x-request-id\r\nVary: Origin\r\n";
  }
  for (const auto& [name, value] : answer.headers) add_header(out, name, value);
  return out += "\r\n";
}

void add_chunk(std::string& out, std::string_view piece) {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", piece.size());
  out.append(piece).append("\r\n");
}

std::vector<std::string_view> list_items(std::string_view list) {
  std::vector<std::string_view> items;
  for_each_item(list, [&](std::string_view name, std::string_view) { items.push_back(name); });
  return items;
}

bool list_holds(std::string_view list, std::string_view token) {
  bool found = false;
  for_each_item(list,
                [&](std::string_view name, std::string_view) { found |= equals_ignoring_case(name, token); });
  return found;
}

bool accepts_coding(std::string_view list, std::string_view coding) {
  std::optional<bool> named;
  bool any = false;
  for_each_item(list, [&](std::string_view name, std::string_view parameters) {
    if (equals_ignoring_case(name, coding))
      named = !is_refused(parameters);
    else if (name == "*")
      any = !is_refused(parameters);
  });
  return named.value_or(any);
}

}  // namespace braid::net::detail
