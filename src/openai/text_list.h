#pragma once
// A text, or several.

#include <string>
#include <string_view>
#include <vector>

#include "field_reader.h"

namespace braid::openai {

struct TextListBounds {
  std::size_t texts = 0;
  std::size_t bytes = 0;  ///< of one
};

/// The member `name` of `object`: a string, or an array of strings; none of them empty. No member: none.
std::vector<std::string> read_texts(FieldReader& reader, JsonIndex object, std::string_view name,
                                    const TextListBounds& bounds);

}  // namespace braid::openai
