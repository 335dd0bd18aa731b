#pragma once
// Realtime's server events, as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/openai/api_error.h"
#include "braid/openai/chat_response.h"
#include "braid/openai/realtime_events.h"
#include "json_out.h"

namespace braid::openai {

/// As members take them.
void append_session(JsonOut& out, const RealtimeConfig& config);
void append_item(JsonOut& out, const Item& item);

/// One event: event_id and type are there, `fields` adds the rest.
template <class Fields>
std::string print_event(std::string_view id, std::string_view type, Fields fields) {
  JsonOut out;
  out.begin_object().name("event_id").string(id).name("type").string(type);
  fields(out);
  out.end_object();
  return out.take();
}

/// What a response event tells of the response.
struct ResponseState {
  std::string id;
  std::string conversation;
  std::string status = "in_progress";  ///< completed, cancelled, failed, incomplete, in_progress
  std::string reason;                  ///< turn_detected, client_cancelled, max_output_tokens; empty: none
  std::optional<ApiError> error;       ///< of failed
  std::optional<int> max_output_tokens;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<Usage> usage;
};
/// As an object.
std::string metadata_text(const std::vector<std::pair<std::string, std::string>>& metadata);
/// `output`: the item it has made; null: none.
void append_response(JsonOut& out, const ResponseState& response, const Item* output);

}  // namespace braid::openai
