#include "realtime_fields.h"

#include <fmt/format.h>

#include <limits>

namespace braid::openai {

using Kind = JsonNode::Kind;

bool explicit_null(const JsonDoc& doc, JsonIndex object, std::string_view name) {
  bool null = false;
  for (JsonIndex at = object + 1; at < doc[object].end; at = doc[at].end)
    if (doc[at].key == name) null = doc[at].kind == Kind::kNull;
  return null;
}

void refuse_unsupported(FieldReader& reader, JsonIndex at, std::string_view why) {
  if (reader.failed()) return;
  reader.refuse(at, "unsupported_value",
                fmt::format("Unsupported value: '{}': {}", reader.doc().path(at), why));
}

bool read_token_limit(FieldReader& reader, JsonIndex object, const RealtimeAbilities& abilities,
                      std::optional<int>& limit) {
  const std::optional<JsonIndex> at = reader.doc().member(object, "max_output_tokens");
  if (!at) return false;
  if (reader.node(*at).kind == Kind::kString) {
    if (!reader.word(object, "max_output_tokens", {"inf"})) return false;
    limit.reset();
    return true;
  }
  const JsonNode& node = reader.node(*at);
  const std::optional<std::int64_t> wanted = as_integer(node);
  if (node.kind == Kind::kNumber && (wanted ? *wanted > abilities.max_output_tokens : is_huge(node))) {
    refuse_unsupported(
        reader, *at,
        fmt::format("a session here has room for answers of 1 to {} tokens.", abilities.max_output_tokens));
    return false;
  }
  const auto count = reader.integer(object, "max_output_tokens", 1, abilities.max_output_tokens);
  if (!count) return false;
  limit = static_cast<int>(*count);
  return true;
}

void read_output_modalities(FieldReader& reader, JsonIndex object) {
  const std::optional<JsonIndex> list = reader.array(object, "output_modalities");
  if (!list) return;
  if (reader.doc().children(*list) == 0)
    refuse_unsupported(reader, *list, "an empty list; [\"text\"] is what can be had.");
  for (JsonIndex at = *list + 1; at < reader.node(*list).end; at = reader.node(at).end)
    if (reader.is(at, Kind::kString, "a string") && reader.node(at).text != "text")
      refuse_unsupported(reader, at, "only text comes out of this server; ask for [\"text\"].");
}

void read_no_tools(FieldReader& reader, JsonIndex object) {
  if (const auto tools = reader.array(object, "tools"); tools && reader.doc().children(*tools) > 0)
    refuse_unsupported(reader, *tools, "live sessions call no tools; leave it out or empty.");
  const std::optional<JsonIndex> choice = reader.doc().member(object, "tool_choice");
  if (!choice) return;
  const JsonNode& node = reader.node(*choice);
  if (node.kind != Kind::kString || (node.text != "auto" && node.text != "none"))
    refuse_unsupported(reader, *choice, "live sessions call no tools; \"auto\" and \"none\" are taken.");
}

}  // namespace braid::openai
