#include "realtime_item.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "braid/openai/base64.h"
#include "realtime_fields.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

bool looks_like_picture(std::string_view bytes) {
  const auto begins = [&](std::string_view magic, std::size_t at = 0) {
    return bytes.substr(at).starts_with(magic);
  };
  if (bytes.size() < 12) return false;
  return begins("\xFF\xD8\xFF") || begins("\x89PNG\r\n\x1A\n") || (begins("RIFF") && begins("WEBP", 8));
}

class ItemReader {
 public:
  ItemReader(FieldReader& reader, const RealtimeConfig& config, const RealtimeAbilities& abilities,
             const RealtimeLimits& limits)
      : reader_(reader), config_(config), abilities_(abilities), limits_(limits) {}

  Item read(JsonIndex at) {
    Item item;
    if (reader_.required(at, "type")) kind(at);
    if (const auto id = reader_.string(at, "id", limits_.id_bytes)) item.id = *id;
    reader_.word(at, "status", {"completed", "incomplete", "in_progress"});
    if (!reader_.required(at, "role")) return item;
    const auto role = reader_.word(at, "role", {"system", "user", "assistant"});
    if (!role) return item;
    item.role = *role == "system" ? Item::Role::kSystem
                : *role == "user" ? Item::Role::kUser
                                  : Item::Role::kAssistant;
    const auto content = reader_.required(at, "content");
    if (!content || !reader_.is(*content, Kind::kArray, "an array of objects")) return item;
    if (!reader_.within(*content, reader_.doc().children(*content), limits_.parts, "parts")) return item;
    for (JsonIndex part = *content + 1; part < reader_.node(*content).end; part = reader_.node(part).end)
      if (reader_.is(part, Kind::kObject, "an object")) item.content.push_back(read_part(part, item.role));
    return item;
  }

 private:
  void kind(JsonIndex at) {
    const auto kind = reader_.string(at, "type", limits_.id_bytes);
    if (kind && *kind != "message")
      refuse_unsupported(reader_, *reader_.doc().member(at, "type"),
                         "live sessions call no tools; items are messages.");
  }

  ItemPart read_part(JsonIndex at, Item::Role role) {
    ItemPart part;
    if (!reader_.required(at, "type")) return part;
    std::optional<std::string_view> type;
    if (role == Item::Role::kUser)
      type = reader_.word(at, "type", {"input_text", "input_audio", "input_image"});
    else if (role == Item::Role::kSystem)
      type = reader_.word(at, "type", {"input_text"});
    else
      type = reader_.word(at, "type", {"output_text"});
    if (!type || reader_.failed()) return part;
    if (*type == "input_audio") return sound(at);
    if (*type == "input_image") return picture(at);
    part.kind = *type == "output_text" ? ItemPart::Kind::kOutputText : ItemPart::Kind::kInputText;
    part.text = reader_.required_string(at, "text", limits_.text_bytes);
    text_bytes_ += part.text.size();
    if (text_bytes_ > limits_.text_bytes)
      reader_.within(at, text_bytes_, limits_.text_bytes, "bytes of text");
    return part;
  }

  ItemPart sound(JsonIndex at) {
    ItemPart part;
    part.kind = ItemPart::Kind::kInputAudio;
    if (const auto transcript = reader_.string(at, "transcript", limits_.text_bytes))
      part.transcript = *transcript;
    part.bytes = read_sound(reader_, at, config_, abilities_, limits_);
    return part;
  }

  ItemPart picture(JsonIndex at) {
    ItemPart part;
    part.kind = ItemPart::Kind::kInputImage;
    reader_.word(at, "detail", {"auto", "low", "high"});
    part.bytes = read_picture(reader_, at, "image_url", abilities_, limits_);
    return part;
  }

  FieldReader& reader_;
  const RealtimeConfig& config_;
  const RealtimeAbilities& abilities_;
  const RealtimeLimits& limits_;
  std::size_t text_bytes_ = 0;
};

}  // namespace

std::string Item::text() const {
  std::string all;
  for (const ItemPart& part : content)
    if (!part.text.empty()) all.append(all.empty() ? "" : "\n").append(part.text);
  return all;
}

std::string read_sound(FieldReader& reader, JsonIndex object, const RealtimeConfig& config,
                       const RealtimeAbilities& abilities, const RealtimeLimits& limits) {
  const auto at = reader.required(object, "audio");
  if (!at || !reader.is(*at, Kind::kString, "a string") || reader.failed()) return {};
  if (!abilities.hears) {
    refuse_unsupported(reader, *at, "the model that is served takes no sound.");
    return {};
  }
  auto bytes = decode_base64(reader.node(*at).text, limits.media_bytes);
  const auto width = static_cast<std::size_t>(bytes_per_sample(config.input));
  if (!bytes || bytes->size() % width != 0) {
    reader.refuse(
        *at, "invalid_value",
        fmt::format("Invalid '{}': {}. Expected base64 of {} samples.", reader.doc().path(*at),
                    bytes ? "it ends within a sample" : bytes.error().message, to_string(config.input)));
    return {};
  }
  return std::move(*bytes);
}

std::string read_picture(FieldReader& reader, JsonIndex object, std::string_view name,
                         const RealtimeAbilities& abilities, const RealtimeLimits& limits) {
  const auto at = reader.required(object, name);
  if (!at || !reader.is(*at, Kind::kString, "a string") || reader.failed()) return {};
  if (!abilities.sees) {
    refuse_unsupported(reader, *at, "the model that is served takes no pictures.");
    return {};
  }
  const std::string_view text = reader.node(*at).text;
  Result<std::string> bytes =
      is_data_uri(text)
          ? parse_data_uri(text, limits.media_bytes).map([](DataUri uri) { return std::move(uri.bytes); })
          : decode_base64(text, limits.media_bytes);
  if (bytes && looks_like_picture(*bytes)) return std::move(*bytes);
  reader.refuse(*at, "invalid_value",
                fmt::format("Invalid '{}': {}. Expected a JPEG, PNG or WebP file as base64 or a data URI.",
                            reader.doc().path(*at), bytes ? "no such picture" : bytes.error().message));
  return {};
}

Item read_item(FieldReader& reader, JsonIndex at, const RealtimeConfig& config,
               const RealtimeAbilities& abilities, const RealtimeLimits& limits) {
  return ItemReader(reader, config, abilities, limits).read(at);
}

}  // namespace braid::openai
