#include "text_list.h"

#include <fmt/format.h>

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

void append_text(FieldReader& reader, JsonIndex at, std::size_t max_bytes, std::vector<std::string>& texts) {
  const std::string_view text = reader.node(at).text;
  if (!reader.within(at, text.size(), max_bytes, "bytes")) return;
  if (text.empty())
    return reader.refuse(at, "empty_string",
                         fmt::format("Invalid '{}': empty string. Expected a text of a character at least.",
                                     reader.doc().path(at)));
  texts.emplace_back(text);
}

}  // namespace

std::vector<std::string> read_texts(FieldReader& reader, JsonIndex object, std::string_view name,
                                    const TextListBounds& bounds) {
  std::vector<std::string> texts;
  const std::optional<JsonIndex> member = reader.doc().member(object, name);
  if (!member || reader.failed()) return texts;
  if (reader.node(*member).kind == Kind::kString) {
    append_text(reader, *member, bounds.bytes, texts);
    return texts;
  }
  if (!reader.is(*member, Kind::kArray, "a string or an array of strings")) return texts;
  if (!reader.within(*member, reader.doc().children(*member), bounds.texts, "items")) return texts;
  for (JsonIndex at = *member + 1; at < reader.node(*member).end; at = reader.node(at).end) {
    if (!reader.is(at, Kind::kString, "a string")) return texts;
    append_text(reader, at, bounds.bytes, texts);
  }
  return texts;
}

}  // namespace braid::openai
