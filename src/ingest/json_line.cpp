#include "json_line.h"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>

namespace braid::ingest {

namespace {

namespace json = boost::json;
using json::error_code;

constexpr std::size_t kMaxDepth = 8;

/// What basic_parser calls: collects leaves with their paths.
struct Collector {
  static constexpr std::size_t max_object_size = 4096;
  static constexpr std::size_t max_array_size = 4096;
  static constexpr std::size_t max_key_size = 256;
  static constexpr std::size_t max_string_size = 64 << 10;

  struct Level {
    std::size_t path_length;  // of the path above
    bool array;
    std::size_t next_index;
  };
  std::size_t max_members = 0;
  std::vector<JsonMember> members;
  std::vector<Level> levels;
  std::string path;
  std::string part;  // of a key, string or number that comes in parts
  bool too_many = false;

  void name_element() {
    if (levels.empty() || !levels.back().array) return;
    path.resize(levels.back().path_length);
    extend(std::to_string(levels.back().next_index++));
  }
  void extend(std::string_view key) {
    if (!path.empty()) path += '.';
    path += key;
  }
  bool leaf(std::string_view rest, bool is_string, error_code& ec) {
    name_element();
    part += rest;
    if (members.size() >= max_members || levels.empty()) {
      too_many = !levels.empty();
      ec = levels.empty() ? json::error::syntax : json::error::object_too_large;
      return false;
    }
    members.push_back({path, std::move(part), is_string});
    part.clear();
    return true;
  }
  bool open(bool array) {
    name_element();
    levels.push_back({path.size(), array, 0});
    return true;
  }
  bool close() {
    levels.pop_back();
    return true;
  }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return open(false); }
  bool on_object_end(std::size_t, error_code&) { return close(); }
  bool on_array_begin(error_code& ec) {
    if (!levels.empty()) return open(true);
    ec = json::error::syntax;
    return false;
  }
  bool on_array_end(std::size_t, error_code&) { return close(); }
  bool on_key_part(json::string_view s, std::size_t, error_code&) {
    part += std::string_view(s.data(), s.size());
    return true;
  }
  bool on_key(json::string_view s, std::size_t, error_code&) {
    part += std::string_view(s.data(), s.size());
    path.resize(levels.back().path_length);
    extend(part);
    part.clear();
    return true;
  }
  bool on_string_part(json::string_view s, std::size_t, error_code&) {
    part += std::string_view(s.data(), s.size());
    return true;
  }
  bool on_string(json::string_view s, std::size_t, error_code& ec) {
    return leaf({s.data(), s.size()}, true, ec);
  }
  bool on_number_part(json::string_view s, error_code&) {
    part += std::string_view(s.data(), s.size());
    return true;
  }
  bool on_int64(std::int64_t, json::string_view s, error_code& ec) {
    return leaf({s.data(), s.size()}, false, ec);
  }
  bool on_uint64(std::uint64_t, json::string_view s, error_code& ec) {
    return leaf({s.data(), s.size()}, false, ec);
  }
  bool on_double(double, json::string_view s, error_code& ec) {
    return leaf({s.data(), s.size()}, false, ec);
  }
  bool on_bool(bool b, error_code& ec) { return leaf(b ? "true" : "false", false, ec); }
  bool on_null(error_code&) {
    name_element();
    return true;
  }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }
};

}  // namespace

Result<std::vector<JsonMember>> parse_json_line(std::string_view line, std::size_t max_members) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<Collector> parser(options);
  parser.handler().max_members = max_members;
  error_code ec;
  const std::size_t used = parser.write_some(false, line.data(), line.size(), ec);
  if (parser.handler().too_many)
    return fail(ErrorCode::kLimit, fmt::format("more than {} members; split the record", max_members));
  if (ec)
    return fail(ErrorCode::kBadInput,
                fmt::format("not a JSON object ({} at byte {})", ec.message(), used + 1));
  if (line.find_first_not_of(" \t", used) != std::string_view::npos)
    return fail(ErrorCode::kBadInput, fmt::format("more than one JSON object (at byte {})", used + 1));
  return std::move(parser.handler().members);
}

}  // namespace braid::ingest
