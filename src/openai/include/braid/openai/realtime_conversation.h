#pragma once
// One Realtime conversation as a state machine: client events and what happens to sound and answers go in,
// server events and what is to be done come out. No I/O, no clock, no threads.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/base/result.h"
#include "braid/openai/chat_response.h"
#include "braid/openai/realtime_events.h"

namespace braid::openai {

/// What is asked for a response. The answer comes back through response_begun() to response_ended().
struct RealtimeAsk {
  std::string response;  ///< id
  std::string text;      ///< empty: the last utterance is the question
  std::optional<int> max_output_tokens;
  std::optional<Nanoseconds> deadline;
};

struct RealtimeState;

/// How a response ended.
struct RealtimeEnd {
  enum class Kind : std::uint8_t { kCompleted, kLength, kCancelled, kFailed };
  Kind kind = Kind::kCompleted;
  std::optional<ApiError> error;  ///< of kFailed
  Usage usage;
  std::optional<Account> account;
};

/// Does what a conversation wants done, in the order of the calls. They come from within the conversation's
/// own calls: none may block or call it back. A failure is told to the client, and nothing was done then.
/// A clock.ping and its pong: sent and back on the client's clock, received and answered in session time, µs.
struct RealtimeExchange {
  std::int64_t t1_us = 0, t2_us = 0, t3_us = 0, t4_us = 0;
  std::vector<std::string> sources;  ///< whose stamps are by the client's clock; "": those without a source
};

class RealtimeHost {
 public:
  virtual ~RealtimeHost() = default;
  virtual void send(std::string event) = 0;
  /// May set `config.id` where the change begins another session.
  virtual Status configure(RealtimeConfig& config) = 0;
  /// Into the input buffer. Whole samples in the format configured.
  virtual Status append_sound(std::string bytes) = 0;
  /// All of the input buffer becomes what `item` says.
  virtual Status commit_sound(const std::string& item) = 0;
  virtual Status clear_sound() = 0;
  /// Perceived past the input buffer, as what `item` says.
  virtual Status add_sound(const std::string& item, std::string bytes) = 0;
  virtual Status add_text(std::string text) = 0;
  /// Reading them may fail later: media_failed() with `event`, the client's id.
  virtual Status add_picture(event::AppendPicture picture, const std::string& event) = 0;
  virtual Status add_reading(event::AppendReading reading) = 0;
  virtual Status ask(RealtimeAsk ask) = 0;
  /// The open response is to end soon, after the `delivered` bytes of its text that the client has. It still
  /// ends by response_ended().
  virtual void cancel(const std::string& response, std::size_t delivered) = 0;
  virtual std::int64_t session_us() const = 0;
  virtual void compare_clocks(const RealtimeExchange& exchange) = 0;
};

/// A response that was asked for and not told the end of.
struct SavedResponse {
  std::string id;        ///< empty: it hasn't been told of
  std::string question;  ///< as RealtimeAsk::text
  std::optional<int> max_output_tokens;
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// A conversation apart from what goes on in it.
struct SavedConversation {
  RealtimeConfig config;
  std::string id;                          ///< conv_...; empty: it has none yet
  std::string pending;                     ///< id of the user's text that is the next question; empty: none
  std::vector<Item> items;                 ///< without media, and without what the open response has made
  std::optional<SavedResponse> open = {};  ///< asked again by begin()
};
/// JSON, without the resume token.
std::string print_saved(const SavedConversation& saved);
/// What print_saved() made, in this version or another; what isn't known is passed over. Errors: kBadInput,
/// kUnsupported: the server can't do what it is set to.
Result<SavedConversation> parse_saved(std::string_view json, const RealtimeAbilities& abilities,
                                      const RealtimeLimits& limits = {});

/// One call at a time. Each accepted response.create ends in exactly one response.done; an error costs its
/// event alone.
class RealtimeConversation {
 public:
  /// `seed`: random bits that ids are made of. `start`: new, or as it was saved.
  RealtimeConversation(RealtimeHost& host, SavedConversation start, RealtimeAbilities abilities,
                       std::uint64_t seed, RealtimeLimits limits = {});
  ~RealtimeConversation();

  /// Sends session.created, and what there is of a response that is open; one that was open when it was saved
  /// is asked again, under its id. Again where another connection goes on with the conversation.
  void begin();
  /// Tells that another connection does.
  void taken_over();
  /// Tells why the session goes on nowhere; the connection is closed next.
  void session_over(std::string code, std::string message);
  /// A client's event, as it came.
  void take(std::string_view message);
  /// An event was not looked at: the client sends too much.
  void refuse(const Error& error);

  /// Voice activity, in sound since the session's start; only under turn detection. Noticed: if a response is
  /// open and may be interrupted, what comes of it is held, and true comes back. Gone: it goes on where it
  /// was held. Started: it is cancelled. Stopped: what was heard up to there is committed as the item named,
  /// and asked if so configured.
  bool voice_noticed(Nanoseconds at);
  void voice_gone(Nanoseconds at, bool backchannel);
  void speech_started(Nanoseconds at);
  std::string speech_stopped(Nanoseconds at);

  /// The id of the item that speech which goes on will become; empty: nobody speaks.
  const std::string& speaking() const;
  /// What is understood of it by now. Its stable part, which two in a row have in common, is told as a delta.
  void partly_transcribed(const std::string& item, std::string_view text);
  void transcribed(const std::string& item, std::string_view text, const Usage& usage);
  void transcription_failed(const std::string& item, const Error& error);
  void media_failed(const std::string& event, const Error& error);

  void response_begun(const std::string& response);
  void response_text(const std::string& response, std::string_view text);
  void response_ended(const std::string& response, RealtimeEnd end);

  const RealtimeConfig& config() const;
  SavedConversation save() const;
  /// Counts what changes save().
  std::uint64_t changes() const;
  /// The id of the response that is open; empty: none.
  std::string open_response() const;

 private:
  std::unique_ptr<RealtimeState> state_;
};

}  // namespace braid::openai
