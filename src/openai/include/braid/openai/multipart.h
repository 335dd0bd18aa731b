#pragma once
// multipart/form-data (RFC 7578, RFC 2046 section 5.1): forms with files, taken apart where they stand.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/openai/api_error.h"

namespace braid::openai {

struct MultipartLimits {
  std::size_t parts = 64;
  std::size_t header_bytes = 4096;  ///< of one part
};

/// One field. `body` points into what was parsed.
struct FormPart {
  std::string name;
  std::string filename;      ///< empty: not a file
  std::string content_type;  ///< as sent, lower case; empty: none
  std::string_view body;
};

/// The boundary of a Content-Type header's value; empty if it isn't multipart/form-data with a proper one.
std::string multipart_boundary(std::string_view content_type);

/// `body` must outlive the parts. What stands before the first boundary and after the last is ignored; bare
/// LF after a boundary line or header is taken. Errors: 400, with 413 for bounds.
Parsed<std::vector<FormPart>> parse_multipart(std::string_view content_type, std::string_view body,
                                              const MultipartLimits& limits = {});

}  // namespace braid::openai
