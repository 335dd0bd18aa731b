#pragma once
// Base64 (RFC 4648, section 4) and data URIs (RFC 2397).

#include <cstddef>
#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::openai {

/// Strict: the standard alphabet, padded, unused bits zero. Line breaks (CR, LF) may stand anywhere, as MIME
/// puts them. At most `max_bytes` come out. Errors: kBadInput with the offset, kLimit.
Result<std::string> decode_base64(std::string_view text, std::size_t max_bytes);

/// Padded, in one line.
std::string encode_base64(std::string_view bytes);

/// What a data URI holds.
struct DataUri {
  std::string mime;   ///< lower case, without parameters; text/plain if it names none
  std::string bytes;  ///< decoded
};

/// Whether `uri` claims to be one: begins with "data:" in any case.
bool is_data_uri(std::string_view uri);

/// `data:[type/subtype][;name=value]...[;base64],data`. Percent escapes are resolved. At most `max_bytes`
/// come out. Errors: kBadInput, kLimit.
Result<DataUri> parse_data_uri(std::string_view uri, std::size_t max_bytes);

}  // namespace braid::openai
