#pragma once
// What a Realtime client sends, typed and bounded.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "braid/openai/api_error.h"
#include "braid/openai/realtime_config.h"

namespace braid::openai {

struct RealtimeLimits {
  std::size_t event_bytes = 16U << 20;            ///< of one event
  std::size_t values = 1U << 14;                  ///< JSON values in one event
  std::size_t id_bytes = 128;                     ///< of an id that the client gives
  std::size_t clock_sources = 32;                 ///< of one clock.ping
  std::size_t text_bytes = 64U << 10;             ///< of an item's texts together
  std::size_t parts = 64;                         ///< of one item
  std::size_t media_bytes = 12U << 20;            ///< decoded, of one sound or picture
  std::size_t readings = 64;                      ///< values of one input_sensor.append
  std::size_t items = 512;                        ///< of the conversation; then the oldest is forgotten
  std::size_t items_bytes = 1U << 20;             ///< of all their texts; then the oldest is forgotten
  Nanoseconds buffer = std::chrono::seconds(60);  ///< sound that waits to be committed
  Nanoseconds min_commit = Milliseconds(100);     ///< shorter sound can't be committed
};

struct ItemPart {
  enum class Kind : std::uint8_t { kInputText, kInputAudio, kInputImage, kOutputText };
  Kind kind = Kind::kInputText;
  std::string text;                       ///< texts
  std::optional<std::string> transcript;  ///< of kInputAudio, once it is known
  std::string bytes;                      ///< of media, until they are passed on
};

/// A message of the conversation.
struct Item {
  enum class Role : std::uint8_t { kSystem, kUser, kAssistant };
  enum class State : std::uint8_t { kInProgress, kCompleted, kIncomplete };
  std::string id;
  Role role = Role::kUser;
  State state = State::kCompleted;
  std::vector<ItemPart> content;

  std::string text() const;  ///< its texts, a line each
};

namespace event {
struct SessionUpdate {
  RealtimeConfig config;  ///< merged
};
struct AppendSound {
  std::string bytes;  ///< in the session's input format; whole samples
};
struct CommitSound {};
struct ClearSound {};
struct CreateItem {
  Item item;                         ///< the id may be empty
  std::optional<std::string> after;  ///< none: last; "root": first
};
struct RetrieveItem {
  std::string id;
};
struct DeleteItem {
  std::string id;
};
struct TruncateItem {
  std::string id;
  std::int64_t content_index = 0;
  std::int64_t audio_end_ms = 0;
};
struct CreateResponse {
  std::optional<std::string> instructions;  ///< in place of the session's
  std::optional<int> max_output_tokens;     ///< in place of the session's
  std::vector<std::pair<std::string, std::string>> metadata;
};
struct CancelResponse {
  std::string id;  ///< empty: the open one
};
struct ClearOutput {};
/// Braid's.
struct AppendPicture {
  std::string bytes;                        ///< a JPEG, PNG or WebP file
  std::optional<std::int64_t> captured_us;  ///< on the sender's clock; none: now
  std::string source;                       ///< whose clock; empty: the connection's
};
struct AppendReading {
  std::string source;
  std::optional<std::int64_t> at_us;  ///< as above
  std::vector<std::pair<std::string, std::string>> values;
};
struct ClockPing {
  std::int64_t t1_us = 0;               ///< the client's clock
  std::optional<std::int64_t> pong_us;  ///< when the last clock.pong came, on the same clock
  std::vector<std::string> sources;     ///< whose stamps are by that clock too
};
}  // namespace event

struct ClientEvent {
  std::string id;    ///< event_id; may be empty
  std::string type;  ///< as it came, cut to 64 bytes
  std::variant<event::SessionUpdate, event::AppendSound, event::CommitSound, event::ClearSound,
               event::CreateItem, event::RetrieveItem, event::DeleteItem, event::TruncateItem,
               event::CreateResponse, event::CancelResponse, event::ClearOutput, event::AppendPicture,
               event::AppendReading, event::ClockPing>
      body;
};

/// A refusal and whose: `event_id` is the client's, as far as it could be read.
struct EventError {
  ApiError error;
  std::string event_id;
};

/// Doesn't throw, doesn't block; any thread.
tl::expected<ClientEvent, EventError> parse_client_event(std::string_view text, const RealtimeConfig& current,
                                                         const RealtimeAbilities& abilities,
                                                         const RealtimeLimits& limits = {});

}  // namespace braid::openai
