#pragma once
// What a Realtime conversation is made of.

#include <string>
#include <string_view>

#include "braid/openai/realtime_conversation.h"
#include "realtime_items.h"
#include "realtime_print.h"

namespace braid::openai {

/// A response from its response.created to its response.done.
struct OpenResponse {
  ResponseState state;
  std::string question;   ///< as it was asked
  Item item;              ///< what it has made
  bool begun = false;     ///< the item has been told of
  std::string cancelled;  ///< why it is to end: client_cancelled, turn_detected; empty: it isn't
  bool held = false;      ///< somebody makes a sound: nothing is told of it
  std::string held_text;  ///< what came since
  std::optional<RealtimeEnd> held_end;
};

/// What has been told of words that are still being said.
struct PartialWords {
  std::string item;
  std::string last;    ///< of the newest hypothesis
  std::string stable;  ///< sent in deltas
};

struct RealtimeState {
  RealtimeState(RealtimeHost& to, SavedConversation start, RealtimeAbilities can, std::uint64_t random,
                RealtimeLimits bounds)
      : host(to),
        config(std::move(start.config)),
        abilities(can),
        seed(random),
        limits(bounds),
        items(limits),
        conversation(start.id.empty() ? new_id("conv_") : std::move(start.id)),
        pending(std::move(start.pending)),
        again(std::move(start.open)) {
    for (Item& item : start.items) items.add(std::move(item), std::nullopt);
  }

  std::string new_id(std::string_view prefix) { return make_id(prefix, seed, ++made); }

  // Printing.
  template <class Fields>
  void send(std::string_view type, Fields fields) {
    host.send(print_event(new_id("event_"), type, fields));
  }
  void send_error(const ApiError& error, std::string_view event);
  void send_item(std::string_view type, const Item& item);
  void send_words(const std::string& item, std::string_view words);
  void send_added(const Item& item);  ///< added and done
  void send_session(std::string_view type);

  // Client events; `event` is the client's id for it.
  void on(event::SessionUpdate& update, const std::string& event);
  void on(event::AppendSound& append, const std::string& event);
  void on(event::CommitSound& commit, const std::string& event);
  void on(event::ClearSound& clear, const std::string& event);
  void on(event::CreateItem& create, const std::string& event);
  void on(event::RetrieveItem& retrieve, const std::string& event);
  void on(event::DeleteItem& remove, const std::string& event);
  void on(event::TruncateItem& truncate, const std::string& event);
  void on(event::CreateResponse& create, const std::string& event);
  void on(event::CancelResponse& cancel, const std::string& event);
  void on(event::ClearOutput& clear, const std::string& event);
  void on(event::AppendPicture& picture, const std::string& event);
  void on(event::AppendReading& reading, const std::string& event);
  void on(event::ClockPing& ping, const std::string& event);

  // Items.
  /// A text that was to be the next question goes onto the timeline instead.
  Status flush_pending();
  Status perceive(Item& item, const std::string& event);
  void commit_item(std::string id);
  /// Tells of a failure; false where there was one.
  bool told(const Status& status, const std::string& event);

  // Responses.
  void start(const event::CreateResponse& create);
  void start(SavedResponse response);
  /// What the response is to answer, as it would be asked now.
  SavedResponse asking(const event::CreateResponse& create);
  /// What has been sent of it, the texts in one.
  void send_open();
  void send_output();
  void begin_output();
  void end_output();
  void end(RealtimeEnd end);
  void cancel(std::string why);
  bool hold(Nanoseconds at);
  void resume(Nanoseconds at, std::string_view reason);
  void add_text(std::string_view text);
  void drop_next(std::string why);
  /// A turn has ended: it is the question, unless an answer goes on.
  void answer_turn();

  RealtimeHost& host;
  RealtimeConfig config;
  const RealtimeAbilities abilities;
  const std::uint64_t seed;
  const RealtimeLimits limits;
  std::uint64_t made = 0;                     ///< ids
  std::uint64_t changes = 0;                  ///< of what is saved
  std::optional<RealtimeExchange> last_pong;  ///< not yet told back
  std::int64_t received_us = 0;               ///< when the event came that is being taken, session time
  RealtimeItems items;
  const std::string conversation;  ///< id
  std::string pending;   ///< id of the user's text that is the next question, unless something follows it
  std::string speaking;  ///< id of the item that speech which goes on will become
  PartialWords partial;
  Nanoseconds buffered{};  ///< sound appended and not committed, at most
  std::optional<OpenResponse> open;
  std::optional<SavedResponse> again;         ///< was open when it was saved: begin() asks it
  std::optional<event::CreateResponse> next;  ///< accepted while the open one is being cancelled
};

}  // namespace braid::openai
