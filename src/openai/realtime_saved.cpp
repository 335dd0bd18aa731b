#include <array>
#include <utility>

#include "braid/openai/realtime_conversation.h"
#include "field_reader.h"
#include "realtime_fields.h"
#include "realtime_print.h"
#include "realtime_state.h"

namespace braid::openai {

namespace {

using Kind = ItemPart::Kind;

constexpr JsonBounds kBounds{1U << 18, 16};
constexpr std::size_t kMaxSaved = 16U << 20;  // bytes
constexpr std::array<std::pair<const char*, Kind>, 4> kKinds{{{"input_text", Kind::kInputText},
                                                              {"input_audio", Kind::kInputAudio},
                                                              {"input_image", Kind::kInputImage},
                                                              {"output_text", Kind::kOutputText}}};

class SavedReader {
 public:
  SavedReader(const JsonDoc& doc, const RealtimeAbilities& abilities, const RealtimeLimits& limits)
      : reader_(doc), abilities_(abilities), limits_(limits) {}

  Parsed<SavedConversation> read() {
    if (const auto session = reader_.required_object(0, "session")) {
      merge_session(reader_, *session, abilities_, saved_.config);
      saved_.config.id = text(*session, "id");
    }
    saved_.id = text(0, "id");
    saved_.pending = text(0, "pending");
    if (const auto items = reader_.array(0, "items"))
      for (JsonIndex at = *items + 1; at < reader_.node(*items).end; at = reader_.node(at).end)
        saved_.items.push_back(item(at));
    if (reader_.failed()) return tl::unexpected(reader_.take_error());
    return std::move(saved_);
  }

 private:
  std::string text(JsonIndex at, std::string_view name) {
    return std::string(reader_.string(at, name, limits_.items_bytes).value_or(""));
  }

  Item item(JsonIndex at) {
    Item item;
    if (!reader_.is(at, JsonNode::Kind::kObject, "an object")) return item;
    item.id = text(at, "id");
    const std::string role = text(at, "role");
    item.role = role == "system"      ? Item::Role::kSystem
                : role == "assistant" ? Item::Role::kAssistant
                                      : Item::Role::kUser;
    // What was being made when it was saved will not be gone on with.
    if (text(at, "status") != "completed") item.state = Item::State::kIncomplete;
    if (const auto content = reader_.array(at, "content"))
      for (JsonIndex part = *content + 1; part < reader_.node(*content).end; part = reader_.node(part).end)
        if (reader_.is(part, JsonNode::Kind::kObject, "an object")) item.content.push_back(read_part(part));
    return item;
  }

  ItemPart read_part(JsonIndex at) {
    ItemPart part;
    const std::string type = text(at, "type");
    for (const auto& [name, kind] : kKinds)
      if (type == name) part.kind = kind;
    part.text = text(at, "text");
    if (const auto transcript = reader_.string(at, "transcript", limits_.items_bytes))
      part.transcript = *transcript;
    return part;
  }

  FieldReader reader_;
  const RealtimeAbilities& abilities_;
  const RealtimeLimits& limits_;
  SavedConversation saved_;
};

Error error_of(const ApiError& error) {
  return {error.code == "unsupported_value" ? ErrorCode::kUnsupported : ErrorCode::kBadInput, error.message};
}

}  // namespace

std::string print_saved(const SavedConversation& saved) {
  RealtimeConfig config = saved.config;
  config.braid.resume_token.clear();
  JsonOut out;
  out.begin_object();
  append_session(out.name("session"), config);
  out.name("id").string(saved.id).name("pending").string(saved.pending).name("items").begin_array();
  for (const Item& item : saved.items) append_item(out, item);
  out.end_array().end_object();
  return out.take();
}

Result<SavedConversation> parse_saved(std::string_view json, const RealtimeAbilities& abilities,
                                      const RealtimeLimits& limits) {
  const Parsed<JsonDoc> doc = parse_object(json, kMaxSaved, kBounds);
  if (!doc) return tl::unexpected(error_of(doc.error()));
  auto saved = SavedReader(*doc, abilities, limits).read();
  if (!saved) return tl::unexpected(error_of(saved.error()));
  return std::move(*saved);
}

SavedConversation RealtimeConversation::save() const {
  return {state_->config, state_->conversation, state_->pending, state_->items.all()};
}

std::uint64_t RealtimeConversation::changes() const { return state_->changes; }

}  // namespace braid::openai
