#include "braid/openai/realtime_conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "realtime_state.h"

namespace braid::openai {

namespace {

ApiError refusal(std::string code, std::string message, std::string param = {}) {
  return {400, std::move(message), "invalid_request_error", std::move(param), std::move(code)};
}

ApiError no_such_item(std::string_view id, std::string param) {
  return refusal("item_not_found", fmt::format("There is no item '{}' in the conversation.", id),
                 std::move(param));
}

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

/// The whole words that both begin with; a view of `b`.
std::string_view common_words(std::string_view a, std::string_view b) {
  const auto both =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).second - b.begin());
  if (both == a.size() || both == b.size()) {
    const std::string_view longer = both == a.size() ? b : a;
    if (longer.size() == both || longer[both] == ' ') return b.substr(0, both);
  }
  const auto space = b.substr(0, both).rfind(' ');
  return space == std::string_view::npos ? std::string_view() : b.substr(0, space);
}

}  // namespace

void RealtimeState::send_words(const std::string& item, std::string_view words) {
  send("conversation.item.input_audio_transcription.delta", [&](JsonOut& out) {
    out.name("item_id").string(item).name("content_index").integer(0).name("delta").string(words);
  });
}

void RealtimeState::send_error(const ApiError& error, std::string_view event) {
  send("error", [&](JsonOut& out) {
    out.name("error").begin_object().name("type").string(error.type).name("code").string_or_null(error.code);
    out.name("message").string(error.message).name("param").string_or_null(error.param);
    out.name("event_id").string_or_null(event).end_object();
  });
}

bool RealtimeState::told(const Status& status, const std::string& event) {
  if (!status) send_error(to_api_error(status.error()), event);
  return status.has_value();
}

void RealtimeState::send_item(std::string_view type, const Item& item) {
  send(type, [&](JsonOut& out) {
    out.name("previous_item_id").string_or_null(items.before(item.id)).name("item");
    append_item(out, item);
  });
}

void RealtimeState::send_added(const Item& item) {
  send_item("conversation.item.added", item);
  send_item("conversation.item.done", item);
}

void RealtimeState::send_session(std::string_view type) {
  send(type, [&](JsonOut& out) { append_session(out.name("session"), config); });
  config.braid.resume_token.clear();  // a session's token is told once
}

void RealtimeState::on(event::SessionUpdate& update, const std::string& event) {
  if (!told(host.configure(update.config), event)) return;
  config = std::move(update.config);
  ++changes;
  send_session("session.updated");
}

void RealtimeState::on(event::AppendSound& append, const std::string& event) {
  const auto samples = static_cast<std::int64_t>(append.bytes.size()) / bytes_per_sample(config.input);
  const Nanoseconds length(samples * 1'000'000'000 / sample_rate(config.input));
  if (buffered + length > limits.buffer && !config.turns)
    return send_error(
        refusal(
            "input_audio_buffer_full",
            fmt::format("The buffer holds {:.1f} s, {:.1f} s more would pass its {} s: commit or "
                        "clear it.",
                        to_seconds(buffered), to_seconds(length), limits.buffer / std::chrono::seconds(1)),
            "audio"),
        event);
  if (!told(host.append_sound(std::move(append.bytes)), event)) return;
  buffered = std::min(buffered + length, limits.buffer);
}

void RealtimeState::on(event::CommitSound&, const std::string& event) {
  if (buffered < limits.min_commit)
    return send_error(
        refusal("input_audio_buffer_commit_empty",
                fmt::format("Error committing input audio buffer: buffer too small. Expected at least "
                            "{}ms of audio, but buffer only has {:.2f}ms of audio.",
                            limits.min_commit / Milliseconds(1), to_ms(buffered))),
        event);
  const std::string id = new_id("item_");
  if (!told(host.commit_sound(id), event)) return;
  speaking.clear();
  commit_item(id);
}

void RealtimeState::on(event::ClearSound&, const std::string& event) {
  if (!told(host.clear_sound(), event)) return;
  buffered = {};
  speaking.clear();
  send("input_audio_buffer.cleared", [](JsonOut&) {});
}

void RealtimeState::commit_item(std::string id) {
  ++changes;
  buffered = {};
  Item item;
  item.id = std::move(id);
  item.content.emplace_back().kind = ItemPart::Kind::kInputAudio;
  static_cast<void>(flush_pending());
  const std::string before = items.last() != nullptr ? items.last()->id : "";
  const Item* added = items.add(std::move(item), std::nullopt);
  send("input_audio_buffer.committed", [&](JsonOut& out) {
    out.name("previous_item_id").string_or_null(before).name("item_id").string(added->id);
  });
  send_added(*added);
}

Status RealtimeState::flush_pending() {
  const Item* item = items.find(std::exchange(pending, {}));
  return item == nullptr ? Status{} : host.add_text(on_one_line(item->text()));
}

Status RealtimeState::perceive(Item& item, const std::string& event) {
  ++changes;
  if (Status flushed = flush_pending(); !flushed) return flushed;
  for (ItemPart& part : item.content) {
    Status status;
    if (part.kind == ItemPart::Kind::kInputImage)
      status = host.add_picture({std::exchange(part.bytes, {}), std::nullopt, {}}, event);
    if (part.kind == ItemPart::Kind::kInputAudio)
      status = host.add_sound(item.id, std::exchange(part.bytes, {}));
    if (!status) return status;
  }
  const std::string text = item.text();
  if (text.empty()) return {};
  if (item.role == Item::Role::kUser)
    pending = item.id;
  else
    return host.add_text((item.role == Item::Role::kSystem ? "system: " : "assistant: ") + on_one_line(text));
  return {};
}

void RealtimeState::on(event::CreateItem& create, const std::string& event) {
  Item& item = create.item;
  if (item.id.empty()) item.id = new_id("item_");
  if (items.find(item.id) != nullptr)
    return send_error(
        refusal("invalid_value", fmt::format("There is an item '{}' already.", item.id), "item.id"), event);
  if (create.after && *create.after != "root" && items.find(*create.after) == nullptr)
    return send_error(no_such_item(*create.after, "previous_item_id"), event);
  if (!told(perceive(item, event), event)) return;
  if (const Item* added = items.add(std::move(item), create.after)) send_added(*added);
}

void RealtimeState::on(event::RetrieveItem& retrieve, const std::string& event) {
  const Item* item = items.find(retrieve.id);
  if (item == nullptr) return send_error(no_such_item(retrieve.id, "item_id"), event);
  send("conversation.item.retrieved", [&](JsonOut& out) { append_item(out.name("item"), *item); });
}

void RealtimeState::on(event::DeleteItem& remove, const std::string& event) {
  if (!items.erase(remove.id)) return send_error(no_such_item(remove.id, "item_id"), event);
  if (pending == remove.id) pending.clear();
  ++changes;
  send("conversation.item.deleted", [&](JsonOut& out) { out.name("item_id").string(remove.id); });
}

void RealtimeState::on(event::TruncateItem& truncate, const std::string& event) {
  const Item* item = items.find(truncate.id);
  if (item == nullptr) return send_error(no_such_item(truncate.id, "item_id"), event);
  if (item->role != Item::Role::kAssistant)
    return send_error(refusal("invalid_value", "Only an assistant's messages can be truncated.", "item_id"),
                      event);
  send_error(
      refusal("unsupported_value",
              "The message has no audio to truncate: only text comes out of this server.", "content_index"),
      event);
}

void RealtimeState::on(event::ClearOutput&, const std::string& event) {
  send_error(
      refusal("unsupported_value", "There is no output audio to clear: only text comes out of this server."),
      event);
}

void RealtimeState::on(event::AppendPicture& picture, const std::string& event) {
  told(host.add_picture(std::move(picture), event), event);
}

void RealtimeState::on(event::AppendReading& reading, const std::string& event) {
  told(host.add_reading(std::move(reading)), event);
}

void RealtimeState::on(event::ClockPing& ping, const std::string&) {
  if (last_pong && ping.pong_us) {
    last_pong->t4_us = *ping.pong_us;
    last_pong->sources = std::move(ping.sources);
    last_pong->sources.emplace_back();
    host.compare_clocks(*last_pong);
  }
  last_pong = {ping.t1_us, received_us, host.session_us(), 0, {}};
  send("clock.pong", [&](JsonOut& out) {
    out.name("t1_us").integer(last_pong->t1_us).name("t2_us").integer(last_pong->t2_us);
    out.name("t3_us").integer(last_pong->t3_us);
  });
}

RealtimeConversation::RealtimeConversation(RealtimeHost& host, SavedConversation start,
                                           RealtimeAbilities abilities, std::uint64_t seed,
                                           RealtimeLimits limits)
    : state_(std::make_unique<RealtimeState>(host, std::move(start), abilities, seed, limits)) {
  if (!abilities.hears) state_->config.turns.reset();
}

RealtimeConversation::~RealtimeConversation() = default;

void RealtimeConversation::begin() {
  state_->send_session("session.created");
  if (state_->open) state_->send_open();
  if (state_->again) state_->start(*std::exchange(state_->again, std::nullopt));
}

void RealtimeConversation::taken_over() {
  state_->send_error(
      refusal("session_taken_over", "The session goes on on another connection, which showed its token."),
      "");
}

void RealtimeConversation::session_over(std::string code, std::string message) {
  state_->send_error(refusal(std::move(code), std::move(message)), "");
}

void RealtimeConversation::take(std::string_view message) {
  RealtimeState& s = *state_;
  s.received_us = s.host.session_us();
  auto client = parse_client_event(message, s.config, s.abilities, s.limits);
  if (!client) return s.send_error(client.error().error, client.error().event_id);
  std::visit([&](auto& body) { s.on(body, client->id); }, client->body);
}

void RealtimeConversation::refuse(const Error& error) { state_->send_error(to_api_error(error), ""); }

bool RealtimeConversation::voice_noticed(Nanoseconds at) { return state_->hold(at); }

void RealtimeConversation::voice_gone(Nanoseconds at, bool backchannel) {
  state_->resume(at, backchannel ? "backchannel" : "noise");
}

void RealtimeConversation::speech_started(Nanoseconds at) {
  RealtimeState& s = *state_;
  if (!s.config.turns) return;
  s.speaking = s.new_id("item_");
  s.send("input_audio_buffer.speech_started", [&](JsonOut& out) {
    out.name("audio_start_ms").integer(at / Milliseconds(1)).name("item_id").string(s.speaking);
  });
  s.config.turns->interrupt_response ? s.cancel("turn_detected") : s.resume(at, "not_interrupting");
}

std::string RealtimeConversation::speech_stopped(Nanoseconds at) {
  RealtimeState& s = *state_;
  std::string item = s.speaking.empty() ? s.new_id("item_") : std::exchange(s.speaking, {});
  s.send("input_audio_buffer.speech_stopped", [&](JsonOut& out) {
    out.name("audio_end_ms").integer(at / Milliseconds(1)).name("item_id").string(item);
  });
  s.commit_item(item);
  s.answer_turn();
  return item;
}

const std::string& RealtimeConversation::speaking() const { return state_->speaking; }

// What two hypotheses in a row agree on is kept: Liu, Spanakis, Niehues, Low-Latency Sequence-to-Sequence
// Speech Recognition and Translation by Partial Hypothesis Selection, 2020.
void RealtimeConversation::partly_transcribed(const std::string& item, std::string_view text) {
  RealtimeState& s = *state_;
  if (item != s.speaking || text.empty()) return;
  if (s.partial.item != item) s.partial = {item, {}, {}};
  PartialWords& words = s.partial;
  std::string_view common = common_words(std::exchange(words.last, std::string(text)), text);
  std::string added;
  if (common.size() > words.stable.size() && common.starts_with(words.stable))
    added = common.substr(words.stable.size());
  words.stable += added;
  s.send("braid.transcription.partial", [&](JsonOut& out) {
    out.name("item_id").string(item).name("text").string(text).name("stable").string(words.stable);
  });
  if (!added.empty()) s.send_words(item, added);
}

void RealtimeConversation::transcribed(const std::string& item, std::string_view text, const Usage& usage) {
  RealtimeState& s = *state_;
  ++s.changes;
  if (Item* found = s.items.find(item))
    for (ItemPart& part : found->content)
      if (part.kind == ItemPart::Kind::kInputAudio) part.transcript = std::string(text);
  const std::string told = s.partial.item == item ? std::exchange(s.partial, {}).stable : std::string();
  // Deltas can't be taken back: where the words turned out to be others, the transcript says so.
  if (text.starts_with(told) && text.size() > told.size()) s.send_words(item, text.substr(told.size()));
  s.send("conversation.item.input_audio_transcription.completed", [&](JsonOut& out) {
    out.name("item_id")
        .string(item)
        .name("content_index")
        .integer(0)
        .name("transcript")
        .string(text)
        .name("usage")
        .begin_object()
        .name("type")
        .string("tokens");
    out.name("input_tokens").integer(usage.prompt).name("output_tokens").integer(usage.completion);
    out.name("total_tokens").integer(usage.prompt + usage.completion).end_object();
  });
}

void RealtimeConversation::transcription_failed(const std::string& item, const Error& error) {
  const ApiError api = to_api_error(error);
  state_->send("conversation.item.input_audio_transcription.failed", [&](JsonOut& out) {
    out.name("item_id").string(item).name("content_index").integer(0).name("error").begin_object();
    out.name("type").string(api.type).name("code").string_or_null(api.code);
    out.name("message").string(api.message).name("param").null().end_object();
  });
}

void RealtimeConversation::media_failed(const std::string& event, const Error& error) {
  state_->send_error(to_api_error(error), event);
}

const RealtimeConfig& RealtimeConversation::config() const { return state_->config; }

}  // namespace braid::openai
