#include <algorithm>
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
    if (const auto open = reader_.object(0, "open")) saved_.open = response(*open);
    if (reader_.failed()) return tl::unexpected(reader_.take_error());
    return std::move(saved_);
  }

 private:
  std::string text(JsonIndex at, std::string_view name) {
    return std::string(reader_.string(at, name, limits_.items_bytes).value_or(""));
  }

  SavedResponse response(JsonIndex at) {
    SavedResponse response;
    response.id = text(at, "id");
    response.question = text(at, "question");
    if (const auto most = reader_.integer(at, "max_output_tokens", 1))
      response.max_output_tokens =
          static_cast<int>(std::min<std::int64_t>(*most, abilities_.max_output_tokens));
    if (const auto pairs = reader_.object(at, "metadata"))
      for (JsonIndex value = *pairs + 1; value < reader_.node(*pairs).end; value = reader_.node(value).end)
        if (reader_.is(value, JsonNode::Kind::kString, "a string"))
          response.metadata.emplace_back(reader_.node(value).key, reader_.node(value).text);
    return response;
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

void append_open(JsonOut& out, const SavedResponse& open) {
  out.begin_object().name("id").string(open.id).name("question").string(open.question);
  if (open.max_output_tokens) out.name("max_output_tokens").integer(*open.max_output_tokens);
  if (!open.metadata.empty()) out.name("metadata").raw(metadata_text(open.metadata));
  out.end_object();
}

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
  out.end_array();
  if (saved.open) append_open(out.name("open"), *saved.open);
  out.end_object();
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
  RealtimeState& s = *state_;
  SavedConversation saved{s.config, s.conversation, s.pending, s.items.all(), s.again};
  if (s.open && s.open->cancelled.empty()) {
    const ResponseState& open = s.open->state;
    saved.open = {open.id, s.open->question, open.max_output_tokens, open.metadata};
    std::erase_if(saved.items, [&](const Item& item) { return item.id == s.open->item.id; });
  } else if (s.next) {
    saved.open = s.asking(*s.next);
    saved.pending.clear();
  }
  return saved;
}

std::uint64_t RealtimeConversation::changes() const { return state_->changes; }

}  // namespace braid::openai
