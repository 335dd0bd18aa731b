#include <fmt/format.h>

#include <utility>

#include "account.h"
#include "realtime_state.h"

namespace braid::openai {

namespace {

const char* status_of(RealtimeEnd::Kind kind) {
  switch (kind) {
    case RealtimeEnd::Kind::kCompleted:
      return "completed";
    case RealtimeEnd::Kind::kLength:
      return "incomplete";
    case RealtimeEnd::Kind::kCancelled:
      return "cancelled";
    case RealtimeEnd::Kind::kFailed:
      break;
  }
  return "failed";
}

/// The place of a response's one item and its one part.
JsonOut& place(JsonOut& out, const OpenResponse& open) {
  return out.name("response_id")
      .string(open.state.id)
      .name("item_id")
      .string(open.item.id)
      .name("output_index")
      .integer(0);
}

JsonOut& part_of(JsonOut& out, std::string_view text) {
  return out.name("part").begin_object().name("type").string("text").name("text").string(text).end_object();
}

}  // namespace

void RealtimeState::on(event::CreateResponse& create, const std::string& event) {
  const bool ending = open && !open->cancelled.empty();
  if ((open && !ending) || next)
    return send_error(
        {400,
         fmt::format("Conversation already has an active response in progress: {}. Wait until the "
                     "response is finished before creating a new one.",
                     open->state.id),
         "invalid_request_error", "", "conversation_already_has_active_response"},
        event);
  ++changes;
  if (ending)
    next = std::move(create);
  else
    start(create);
}

void RealtimeState::on(event::CancelResponse& cancelled, const std::string& event) {
  const bool known = open && (cancelled.id.empty() || cancelled.id == open->state.id);
  const bool ending = open && !open->cancelled.empty();
  if (ending && next && cancelled.id.empty()) return drop_next("client_cancelled");
  if (!known || ending)
    return send_error({400, "Cancellation failed: no active response found", "invalid_request_error",
                       cancelled.id.empty() ? "" : "response_id", "response_cancel_not_active"},
                      event);
  cancel("client_cancelled");
}

void RealtimeState::cancel(std::string why) {
  if (next) drop_next(why);
  if (!open || !open->cancelled.empty()) return;
  ++changes;
  open->cancelled = std::move(why);
  open->held = false;
  host.cancel(open->state.id, open->begun ? open->item.content.front().text.size() : 0);
  if (!open->held_end) return;
  open->held_end->kind = RealtimeEnd::Kind::kCancelled;  // it was made and not delivered
  end(*std::exchange(open->held_end, std::nullopt));
}

bool RealtimeState::hold(Nanoseconds at) {
  if (!open || !open->cancelled.empty() || !config.turns || !config.turns->interrupt_response) return false;
  if (std::exchange(open->held, true)) return true;
  send("braid.delivery.paused", [&](JsonOut& out) {
    out.name("response_id").string(open->state.id).name("audio_start_ms").integer(at / Milliseconds(1));
  });
  return true;
}

void RealtimeState::resume(Nanoseconds at, std::string_view reason) {
  if (!open || !std::exchange(open->held, false)) return;
  send("braid.delivery.resumed", [&](JsonOut& out) {
    out.name("response_id").string(open->state.id).name("audio_end_ms").integer(at / Milliseconds(1));
    out.name("reason").string(reason);
  });
  if (const std::string text = std::exchange(open->held_text, {}); !text.empty()) add_text(text);
  if (open->held_end) end(*std::exchange(open->held_end, std::nullopt));
}

void RealtimeState::add_text(std::string_view text) {
  begin_output();
  open->item.content.front().text += text;
  send("response.output_text.delta",
       [&](JsonOut& out) { place(out, *open).name("content_index").integer(0).name("delta").string(text); });
}

SavedResponse RealtimeState::asking(const event::CreateResponse& create) {
  SavedResponse response;
  response.question = create.instructions.value_or(config.instructions);
  if (const Item* item = items.find(pending))
    response.question.append(response.question.empty() ? "" : "\n").append(item->text());
  response.max_output_tokens = create.max_output_tokens ? create.max_output_tokens : config.max_output_tokens;
  response.metadata = create.metadata;
  return response;
}

void RealtimeState::start(const event::CreateResponse& create) {
  SavedResponse response = asking(create);
  pending.clear();
  start(std::move(response));
}

void RealtimeState::start(SavedResponse response) {
  ++changes;
  open.emplace();
  open->state.id = response.id.empty() ? new_id("resp_") : std::move(response.id);
  open->state.conversation = conversation;
  open->state.max_output_tokens = response.max_output_tokens;
  open->state.metadata = std::move(response.metadata);
  open->question = response.question;
  send_open();
  RealtimeAsk ask{open->state.id, std::move(response.question), open->state.max_output_tokens,
                  config.braid.deadline};
  if (const Status asked = host.ask(std::move(ask)); !asked) {
    RealtimeEnd failed;
    failed.kind = RealtimeEnd::Kind::kFailed;
    failed.error = to_api_error(asked.error());
    end(std::move(failed));
  }
}

void RealtimeState::send_open() {
  send("response.created",
       [&](JsonOut& out) { append_response(out.name("response"), open->state, nullptr); });
  if (open->begun) send_output();
}

void RealtimeState::begin_output() {
  if (std::exchange(open->begun, true)) return;
  ++changes;
  Item& item = open->item;
  item.id = new_id("item_");
  item.role = Item::Role::kAssistant;
  item.state = Item::State::kInProgress;
  items.add(item, std::nullopt);
  item.content.emplace_back().kind = ItemPart::Kind::kOutputText;
  send_output();
}

void RealtimeState::send_output() {
  const Item* const listed = items.find(open->item.id);  // without its text
  const Item& item = listed != nullptr ? *listed : open->item;
  send("response.output_item.added", [&](JsonOut& out) {
    out.name("response_id").string(open->state.id).name("output_index").integer(0);
    append_item(out.name("item"), item);
  });
  send_item("conversation.item.added", item);
  const std::string& text = open->item.content.front().text;
  send("response.content_part.added",
       [&](JsonOut& out) { part_of(place(out, *open).name("content_index").integer(0), text); });
}

void RealtimeState::end_output() {
  Item& item = open->item;
  const std::string& text = item.content.front().text;
  send("response.output_text.done",
       [&](JsonOut& out) { place(out, *open).name("content_index").integer(0).name("text").string(text); });
  send("response.content_part.done",
       [&](JsonOut& out) { part_of(place(out, *open).name("content_index").integer(0), text); });
  item.state = open->state.status == "completed" ? Item::State::kCompleted : Item::State::kIncomplete;
  if (Item* listed = items.find(item.id)) *listed = item;
  send_item("conversation.item.done", item);
  send("response.output_item.done", [&](JsonOut& out) {
    out.name("response_id").string(open->state.id).name("output_index").integer(0);
    append_item(out.name("item"), item);
  });
}

void RealtimeState::end(RealtimeEnd ended) {
  ++changes;
  if (ended.kind == RealtimeEnd::Kind::kCompleted) begin_output();
  ResponseState& state = open->state;
  state.status = status_of(ended.kind);
  if (ended.kind == RealtimeEnd::Kind::kLength) state.reason = "max_output_tokens";
  if (ended.kind == RealtimeEnd::Kind::kCancelled) state.reason = open->cancelled;
  state.error = std::move(ended.error);
  state.usage = ended.usage;
  if (open->begun) end_output();
  send("response.done", [&](JsonOut& out) {
    append_response(out.name("response"), state, open->begun ? &open->item : nullptr);
  });
  if (ended.account)
    send("braid.stages", [&](JsonOut& out) {
      out.name("response_id").string(state.id).name("braid").begin_object();
      append_account(out, *ended.account);
      out.end_object();
    });
  open.reset();
  if (next) start(*std::exchange(next, std::nullopt));
}

void RealtimeState::drop_next(std::string why) {
  ++changes;
  ResponseState never;
  never.id = new_id("resp_");
  never.conversation = conversation;
  never.metadata = std::exchange(next, std::nullopt)->metadata;
  send("response.created", [&](JsonOut& out) { append_response(out.name("response"), never, nullptr); });
  never.status = "cancelled";
  never.reason = std::move(why);
  send("response.done", [&](JsonOut& out) { append_response(out.name("response"), never, nullptr); });
}

void RealtimeState::answer_turn() {
  if (!config.turns || !config.turns->create_response || next) return;
  if (!open)
    start(event::CreateResponse{});
  else if (!open->cancelled.empty())
    next.emplace();
}

void RealtimeConversation::response_begun(const std::string& response) {
  if (state_->open && state_->open->state.id == response && !state_->open->held) state_->begin_output();
}

void RealtimeConversation::response_text(const std::string& response, std::string_view text) {
  RealtimeState& s = *state_;
  if (!s.open || s.open->state.id != response) return;
  if (!s.open->cancelled.empty()) return;  // it ends with what the client had then
  s.open->held ? static_cast<void>(s.open->held_text += text) : s.add_text(text);
}

void RealtimeConversation::response_ended(const std::string& response, RealtimeEnd end) {
  RealtimeState& s = *state_;
  if (!s.open || s.open->state.id != response) return;
  if (s.open->held)
    s.open->held_end = std::move(end);
  else
    s.end(std::move(end));
}

std::string RealtimeConversation::open_response() const {
  return state_->open ? state_->open->state.id : std::string();
}

}  // namespace braid::openai
