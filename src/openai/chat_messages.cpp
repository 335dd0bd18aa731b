#include "chat_messages.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "chat_media.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxName = 256;       // bytes
constexpr std::size_t kMaxToolCalls = 128;  // of one message

class MessageReader {
 public:
  MessageReader(FieldReader& reader, const ChatLimits& limits)
      : reader_(reader), limits_(limits), media_(reader, limits), text_left_(limits.text_bytes) {}

  Message read(JsonIndex at) {
    Message message;
    if (!reader_.is(at, Kind::kObject, "an object")) return message;
    message.role = role(at);
    if (const auto name = reader_.string(at, "name", kMaxName)) message.name = *name;
    const std::optional<JsonIndex> content = reader_.doc().member(at, "content");
    if (content) message.content = contents(*content, message.role);
    if (message.role == Role::kAssistant) assistant(at, message);
    if (message.role == Role::kTool)
      message.tool_call_id = reader_.required_string(at, "tool_call_id", kMaxName);
    const bool may_be_silent =
        !message.tool_calls.empty() || (message.role == Role::kAssistant && !message.content.empty());
    if (!content && !may_be_silent) reader_.required(at, "content");
    return message;
  }

 private:
  Role role(JsonIndex at) {
    if (!reader_.required(at, "role")) return Role::kUser;
    const auto word = reader_.word(at, "role", {"system", "developer", "user", "assistant", "tool"});
    for (const Role role : {Role::kSystem, Role::kDeveloper, Role::kAssistant, Role::kTool})
      if (word == to_string(role)) return role;
    return Role::kUser;
  }

  std::vector<Part> contents(JsonIndex at, Role role) {
    std::vector<Part> parts;
    if (reader_.node(at).kind == Kind::kString) {
      parts.emplace_back().text = take_text(at);
      return parts;
    }
    if (!reader_.is(at, Kind::kArray, "one of a string or array of objects")) return parts;
    const std::size_t count = reader_.doc().children(at);
    if (!reader_.within(at, count, limits_.parts, "parts")) return parts;
    if (count == 0)
      reader_.refuse(at, "empty_array", fmt::format("Invalid '{}': empty array.", reader_.doc().path(at)));
    parts.reserve(count);
    for (JsonIndex child = at + 1; child < reader_.node(at).end && !reader_.failed();
         child = reader_.node(child).end)
      parts.push_back(part(child, role));
    return parts;
  }

  Part part(JsonIndex at, Role role) {
    Part part;
    if (!reader_.is(at, Kind::kObject, "an object")) return part;
    const std::optional<JsonIndex> type = reader_.required(at, "type");
    if (!type || !reader_.is(*type, Kind::kString, "a string")) return part;
    part.timestamp_us = reader_.integer(at, "timestamp_us", 0, kMaxTimeUs);
    const std::string_view word = reader_.node(*type).text;
    if (word == "text") {
      if (const auto text = reader_.required(at, "text")) part.text = take_text(*text);
    } else if (word == "refusal" && role == Role::kAssistant) {
      part.kind = Part::Kind::kRefusal;
      if (const auto text = reader_.required(at, "refusal")) part.text = take_text(*text);
    } else if (role != Role::kUser || !media_.read(at, word, part)) {
      if (role == Role::kUser)
        reader_.unsupported_word(*type, {"text", "image_url", "input_audio", "video_url"});
      else if (role == Role::kAssistant)
        reader_.unsupported_word(*type, {"text", "refusal"});
      else
        reader_.unsupported_word(*type, {"text"});
    }
    return part;
  }

  void assistant(JsonIndex at, Message& message) {
    if (const auto refusal = reader_.doc().member(at, "refusal")) {
      Part& part = message.content.emplace_back();
      part.kind = Part::Kind::kRefusal;
      part.text = take_text(*refusal);
    }
    const std::optional<JsonIndex> calls = reader_.array(at, "tool_calls");
    if (!calls || !reader_.within(*calls, reader_.doc().children(*calls), kMaxToolCalls, "calls")) return;
    for (JsonIndex call = *calls + 1; call < reader_.node(*calls).end && !reader_.failed();
         call = reader_.node(call).end)
      message.tool_calls.push_back(tool_call(call));
  }

  ToolCall tool_call(JsonIndex at) {
    ToolCall call;
    if (!reader_.is(at, Kind::kObject, "an object")) return call;
    reader_.word(at, "type", {"function"});
    call.id = reader_.required_string(at, "id", kMaxName);
    const std::optional<JsonIndex> function = reader_.required_object(at, "function");
    if (!function) return call;
    call.name = reader_.required_string(*function, "name", kMaxName);
    if (const auto text = reader_.required(*function, "arguments")) call.arguments = take_text(*text);
    return call;
  }

  std::string take_text(JsonIndex at) {
    if (!reader_.is(at, Kind::kString, "a string")) return {};
    const std::string_view text = reader_.node(at).text;
    if (text.size() > text_left_) {
      reader_.refuse(at, "string_above_max_length",
                     fmt::format("The messages' texts are longer than {} bytes together; shorten them.",
                                 limits_.text_bytes),
                     413);
      return {};
    }
    text_left_ -= text.size();
    return std::string(text);
  }

  FieldReader& reader_;
  const ChatLimits& limits_;
  MediaReader media_;
  std::size_t text_left_;
};

}  // namespace

const char* to_string(Role role) {
  static constexpr std::array<const char*, 5> kNames = {"system", "developer", "user", "assistant", "tool"};
  return kNames[static_cast<std::size_t>(role)];
}

std::vector<Message> read_messages(FieldReader& reader, JsonIndex array, const ChatLimits& limits) {
  std::vector<Message> messages;
  const std::size_t count = reader.doc().children(array);
  if (!reader.within(array, count, limits.messages, "messages")) return messages;
  if (count == 0)
    reader.refuse(array, "empty_array", "Invalid 'messages': empty array. Expected at least one message.");
  messages.reserve(count);
  MessageReader one(reader, limits);
  for (JsonIndex at = array + 1; at < reader.node(array).end && !reader.failed(); at = reader.node(at).end)
    messages.push_back(one.read(at));
  return messages;
}

}  // namespace braid::openai
