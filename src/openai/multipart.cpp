#include "braid/openai/multipart.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ascii.h"
#include "braid/base/utf8.h"
#include "header_value.h"

namespace braid::openai {

namespace {

constexpr std::size_t kMaxBoundary = 70;  // RFC 2046, section 5.1.1

tl::unexpected<ApiError> refuse(std::string message, int status = 400) {
  return tl::unexpected(ApiError{status, std::move(message), "invalid_request_error", "", "invalid_form"});
}

bool boundary_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos;
}

// Takes a line off the front, without its end; false if there is none.
bool take_line(std::string_view& text, std::string_view& line) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

void read_header(std::string_view line, FormPart& part) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon), value = line.substr(colon + 1);
  if (equal_ignoring_case(name, "content-disposition")) {
    part.name = to_valid_utf8(header_parameter(value, "name").value_or(""));
    part.filename = to_valid_utf8(header_parameter(value, "filename").value_or(""));
  } else if (equal_ignoring_case(name, "content-type")) {
    part.content_type = to_valid_utf8(lower_case(trimmed(value)));
  }
}

class Parser {
 public:
  Parser(std::string_view body, std::string_view boundary, const MultipartLimits& limits)
      : rest_(body), delimiter_(fmt::format("\r\n--{}", boundary)), limits_(limits) {}

  Parsed<std::vector<FormPart>> run() {
    if (!find_first()) return refuse("The form's first boundary is missing.");
    std::vector<FormPart> parts;
    for (;;) {
      if (rest_.substr(0, 2) == "--") return parts;
      std::string_view padding;
      if (!take_line(rest_, padding) || padding.find_first_not_of(" \t") != std::string_view::npos)
        return refuse("A boundary of the form isn't followed by a line's end.");
      if (parts.size() >= limits_.parts)
        return refuse(fmt::format("The form has more than {} parts.", limits_.parts), 413);
      FormPart part;
      if (const char* why = headers(part)) return refuse(why);
      const std::size_t end = end_of_part();
      if (end == std::string_view::npos)
        return refuse("The form ends within a part; its last boundary is missing.");
      part.body = rest_.substr(0, end);
      rest_.remove_prefix(end + delimiter_.size());
      if (part.name.empty())
        return refuse("A part of the form has no name (Content-Disposition: form-data; name=...).");
      parts.push_back(std::move(part));
    }
  }

 private:
  // A boundary begins a line; the body's first line may be one.
  bool find_first() {
    const std::string_view bare = std::string_view(delimiter_).substr(2);
    if (rest_.substr(0, bare.size()) == bare) {
      rest_.remove_prefix(bare.size());
      return true;
    }
    const std::size_t at = rest_.find(delimiter_);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + delimiter_.size());
    return true;
  }

  // Why they can't be read; null: they were.
  const char* headers(FormPart& part) {
    const std::size_t before = rest_.size();
    std::string_view line;
    while (take_line(rest_, line)) {
      if (before - rest_.size() > limits_.header_bytes)
        return "The headers of a part of the form are too long.";
      if (line.empty()) return nullptr;
      read_header(line, part);
    }
    return "The form ends within a part's headers.";
  }

  // A longer word that begins as the boundary does is part of the data.
  std::size_t end_of_part() const {
    for (std::size_t at = rest_.find(delimiter_); at != std::string_view::npos;
         at = rest_.find(delimiter_, at + 1)) {
      const std::string_view after = rest_.substr(at + delimiter_.size());
      const bool ends = after.substr(0, 2) == "--" || after.empty();
      const std::size_t filled = after.find_first_not_of(" \t");
      if (ends || (filled != std::string_view::npos && (after[filled] == '\r' || after[filled] == '\n')))
        return at;
    }
    return std::string_view::npos;
  }

  std::string_view rest_;
  std::string delimiter_;
  MultipartLimits limits_;
};

}  // namespace

std::string multipart_boundary(std::string_view content_type) {
  if (!equal_ignoring_case(trimmed(content_type.substr(0, content_type.find(';'))), "multipart/form-data"))
    return {};
  std::string boundary = header_parameter(content_type, "boundary").value_or("");
  const bool proper = boundary.size() <= kMaxBoundary && (boundary.empty() || boundary.back() != ' ') &&
                      std::all_of(boundary.begin(), boundary.end(), boundary_character);
  return proper ? boundary : std::string();
}

Parsed<std::vector<FormPart>> parse_multipart(std::string_view content_type, std::string_view body,
                                              const MultipartLimits& limits) {
  const std::string boundary = multipart_boundary(content_type);
  if (boundary.empty())
    return refuse("Expected Content-Type: multipart/form-data with a boundary of at most 70 characters.");
  return Parser(body, boundary, limits).run();
}

}  // namespace braid::openai
