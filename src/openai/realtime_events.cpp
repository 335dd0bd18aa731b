#include "braid/openai/realtime_events.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "realtime_fields.h"
#include "realtime_item.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;
using Body = decltype(ClientEvent::body);

constexpr JsonIndex kRoot = 0;
constexpr std::size_t kDepth = 16;
constexpr std::size_t kMaxType = 64;                                 // bytes
constexpr std::size_t kMaxInstructions = 16U << 10;                  // bytes
constexpr std::size_t kMaxKeys = 16, kMaxKey = 64, kMaxValue = 512;  // of metadata; the last two in bytes

class EventReader {
 public:
  EventReader(FieldReader& reader, const RealtimeConfig& config, const RealtimeAbilities& abilities,
              const RealtimeLimits& limits)
      : reader_(reader), config_(config), abilities_(abilities), limits_(limits) {}

  /// Nothing: no event has that name.
  std::optional<Body> read(std::string_view type) {
    struct Known {
      std::string_view type;
      Body (EventReader::*read)();
    };
    static constexpr std::array kKnown = {
        Known{"session.update", &EventReader::session_update},
        Known{"input_audio_buffer.append", &EventReader::append_sound},
        Known{"input_audio_buffer.commit", &EventReader::empty<event::CommitSound>},
        Known{"input_audio_buffer.clear", &EventReader::empty<event::ClearSound>},
        Known{"conversation.item.create", &EventReader::create_item},
        Known{"conversation.item.retrieve", &EventReader::retrieve_item},
        Known{"conversation.item.delete", &EventReader::delete_item},
        Known{"conversation.item.truncate", &EventReader::truncate_item},
        Known{"response.create", &EventReader::create_response},
        Known{"response.cancel", &EventReader::cancel_response},
        Known{"output_audio_buffer.clear", &EventReader::empty<event::ClearOutput>},
        Known{"input_video_buffer.append", &EventReader::append_picture},
        Known{"input_sensor.append", &EventReader::append_reading},
        Known{"clock.ping", &EventReader::clock_ping},
    };
    for (const Known& known : kKnown)
      if (known.type == type) return (this->*known.read)();
    return std::nullopt;
  }

 private:
  template <class Event>
  Body empty() {
    return Event{};
  }

  Body session_update() {
    event::SessionUpdate update{config_};
    if (const auto session = reader_.required_object(kRoot, "session"))
      merge_session(reader_, *session, abilities_, update.config);
    return update;
  }

  Body append_sound() { return event::AppendSound{read_sound(reader_, kRoot, config_, abilities_, limits_)}; }

  Body create_item() {
    event::CreateItem create;
    if (const auto after = reader_.string(kRoot, "previous_item_id", limits_.id_bytes))
      create.after = std::string(*after);
    if (const auto item = reader_.required_object(kRoot, "item"))
      create.item = read_item(reader_, *item, config_, abilities_, limits_);
    return create;
  }

  std::string item_id() { return reader_.required_string(kRoot, "item_id", limits_.id_bytes); }
  Body retrieve_item() { return event::RetrieveItem{item_id()}; }
  Body delete_item() { return event::DeleteItem{item_id()}; }

  Body truncate_item() {
    event::TruncateItem truncate;
    truncate.id = item_id();
    if (reader_.required(kRoot, "content_index"))
      truncate.content_index = reader_.integer(kRoot, "content_index", 0, 1024).value_or(0);
    if (reader_.required(kRoot, "audio_end_ms"))
      truncate.audio_end_ms = reader_.integer(kRoot, "audio_end_ms", 0, 86'400'000).value_or(0);
    return truncate;
  }

  Body create_response() {
    event::CreateResponse create;
    const auto response = reader_.object(kRoot, "response");
    if (!response) return create;
    if (const auto text = reader_.string(*response, "instructions", kMaxInstructions))
      create.instructions = std::string(*text);
    read_token_limit(reader_, *response, abilities_, create.max_output_tokens);
    read_output_modalities(reader_, *response);
    read_no_tools(reader_, *response);
    if (const auto at = reader_.doc().member(*response, "conversation");
        at && (reader_.node(*at).kind != Kind::kString || reader_.node(*at).text != "auto"))
      refuse_unsupported(reader_, *at, "answers are of the session's one conversation; \"auto\" is taken.");
    for (const char* name : {"input", "prompt", "reasoning"})
      if (const auto at = reader_.doc().member(*response, name))
        refuse_unsupported(reader_, *at, "answers are of the session's one conversation; add items to it.");
    metadata(*response, create);
    return create;
  }

  void metadata(JsonIndex response, event::CreateResponse& create) {
    const auto object = reader_.object(response, "metadata");
    if (!object || !reader_.within(*object, reader_.doc().children(*object), kMaxKeys, "entries")) return;
    for (JsonIndex at = *object + 1; at < reader_.node(*object).end; at = reader_.node(at).end) {
      const std::string key(reader_.node(at).key);
      if (key.size() > kMaxKey)
        return reader_.refuse(at, "invalid_value", "A key of 'metadata' is too long.");
      if (!reader_.is(at, Kind::kString, "a string")) return;
      if (!reader_.within(at, reader_.node(at).text.size(), kMaxValue, "bytes")) return;
      create.metadata.emplace_back(key, reader_.node(at).text);
    }
  }

  Body cancel_response() {
    return event::CancelResponse{
        std::string(reader_.string(kRoot, "response_id", limits_.id_bytes).value_or(""))};
  }

  Body append_picture() {
    static constexpr std::array<std::string_view, 5> kKeys = {"type", "event_id", "image", "capture_ts_us",
                                                              "source"};
    reader_.only(kRoot, kKeys);
    event::AppendPicture picture;
    picture.captured_us = reader_.integer(kRoot, "capture_ts_us", 0, kMaxTimeUs);
    picture.source = reader_.string(kRoot, "source", limits_.id_bytes).value_or("");
    picture.bytes = read_picture(reader_, kRoot, "image", abilities_, limits_);
    return picture;
  }

  Body append_reading() {
    static constexpr std::array<std::string_view, 5> kKeys = {"type", "event_id", "source", "at_us",
                                                              "values"};
    reader_.only(kRoot, kKeys);
    event::AppendReading reading;
    reading.source = reader_.required_string(kRoot, "source", limits_.id_bytes);
    reading.at_us = reader_.integer(kRoot, "at_us", 0, kMaxTimeUs);
    const auto values = reader_.required_object(kRoot, "values");
    if (!values || !reader_.within(*values, reader_.doc().children(*values), limits_.readings, "values"))
      return reading;
    if (reader_.doc().children(*values) == 0)
      reader_.refuse(*values, "invalid_value", "Invalid 'values': empty. Expected a value at least.");
    for (JsonIndex at = *values + 1; at < reader_.node(*values).end; at = reader_.node(at).end) {
      const JsonNode& node = reader_.node(at);
      if (node.kind != Kind::kNumber && node.kind != Kind::kString && node.kind != Kind::kBool) {
        reader_.wrong_type(at, "one of a number, string or boolean");
        return reading;
      }
      const std::string_view text = node.kind != Kind::kBool ? node.text : node.truth ? "true" : "false";
      if (!reader_.within(at, node.key.size() + text.size(), limits_.id_bytes, "bytes")) return reading;
      reading.values.emplace_back(node.key, text);
    }
    return reading;
  }

  /// On a clock of the sender's, which may begin anywhere.
  std::optional<std::int64_t> time(std::string_view name) {
    return reader_.integer(kRoot, name, -kMaxTimeUs, kMaxTimeUs);
  }

  Body clock_ping() {
    static constexpr std::array<std::string_view, 5> kKeys = {"type", "event_id", "t1_us", "pong_us",
                                                              "sources"};
    reader_.only(kRoot, kKeys);
    event::ClockPing ping;
    if (reader_.required(kRoot, "t1_us")) ping.t1_us = time("t1_us").value_or(0);
    ping.pong_us = time("pong_us");
    const auto sources = reader_.array(kRoot, "sources");
    if (!sources ||
        !reader_.within(*sources, reader_.doc().children(*sources), limits_.clock_sources, "sources"))
      return ping;
    for (JsonIndex at = *sources + 1; at < reader_.node(*sources).end; at = reader_.node(at).end) {
      if (!reader_.is(at, Kind::kString, "a string")) return ping;
      if (!reader_.within(at, reader_.node(at).text.size(), limits_.id_bytes, "bytes")) return ping;
      ping.sources.emplace_back(reader_.node(at).text);
    }
    return ping;
  }

  FieldReader& reader_;
  const RealtimeConfig& config_;
  const RealtimeAbilities& abilities_;
  const RealtimeLimits& limits_;
};

std::size_t names(const JsonDoc& doc, std::string_view name) {
  std::size_t count = 0;
  for (JsonIndex at = kRoot + 1; at < doc[kRoot].end; at = doc[at].end) count += doc[at].key == name;
  return count;
}

tl::unexpected<EventError> refusal(ApiError error, std::string_view event_id) {
  return tl::unexpected(EventError{std::move(error), std::string(event_id)});
}

}  // namespace

tl::expected<ClientEvent, EventError> parse_client_event(std::string_view text, const RealtimeConfig& current,
                                                         const RealtimeAbilities& abilities,
                                                         const RealtimeLimits& limits) {
  const Parsed<JsonDoc> doc = parse_object(text, limits.event_bytes, {limits.values, kDepth}, "event");
  if (!doc) return refusal(doc.error(), "");
  FieldReader reader(*doc);
  ClientEvent client;
  const auto id = reader.string(kRoot, "event_id", limits.id_bytes);
  if (id) client.id = *id;
  if (names(*doc, "type") > 1)
    reader.refuse("type", "invalid_value", "Invalid 'type': given twice. An event has one type.");
  const std::string type = reader.required_string(kRoot, "type", limits.event_bytes);
  if (reader.failed()) return refusal(reader.take_error(), client.id);
  client.type = type.substr(0, kMaxType);
  auto body = EventReader(reader, current, abilities, limits).read(type);
  if (!body)
    reader.refuse(
        "type", "invalid_value",
        fmt::format("Invalid value for 'type': '{}'. docs/realtime.md lists the events that are taken.",
                    client.type));
  if (reader.failed()) return refusal(reader.take_error(), client.id);
  client.body = std::move(*body);
  return client;
}

}  // namespace braid::openai
