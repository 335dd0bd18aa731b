#pragma once
// One Realtime client: its conversation, its live session, and what goes between them.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/openai/realtime_conversation.h"
#include "durable/durability.h"
#include "realtime/client_source.h"
#include "realtime/lifecycle.h"
#include "realtime/token_bucket.h"
#include "realtime/transcriber.h"
#include "server/live_sessions.h"
#include "server/request_watch.h"

namespace braid::serve {

/// A client's end of the line. Thread-safe; nothing blocks.
class RealtimeWire {
 public:
  virtual ~RealtimeWire() = default;
  virtual void send(std::string text) = 0;
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
};

struct RealtimeBounds {
  double events_per_second = 500, events_burst = 1000;
  double bytes_per_second = 8.0 * (1U << 20), bytes_burst = 32.0 * (1U << 20);
  /// Sessions begun anew because of their settings: each costs threads, cells and the ending of one.
  double sessions_per_second = 0.5, sessions_burst = 4;
  int refused_events = 200;  ///< in a row, then the connection is closed
  openai::RealtimeLimits events;
  ClientQueueLimits queue;
};

/// What a connection uses; outlives it, and the sessions it leaves behind.
struct RealtimeParts {
  LiveSessions& sessions;
  sync::SpeechDetectorFactory* speech;  ///< null: nobody is heard
  sync::TurnModel* turns;               ///< null: turns end by silence
  const engine::EngineInfo& model;
  ingest::IngestOptions pictures;
  std::optional<TranscriberParts> transcriber;  ///< none: there are no transcripts
  Clock& clock;
  /// Ends a session; must not block. `may_resume`: its client may come back for it.
  std::function<void(std::shared_ptr<LiveSession> session, bool may_resume)> end_session;
  Durability* durability = nullptr;  ///< null: sessions end with the process
  Observers observers;
  RealtimeBounds bounds;
};

/// Who is at the other end.
struct RealtimeClient {
  std::string owner;                       ///< the key's name
  std::optional<std::string> traceparent;  ///< header of its request: the parent of its responses' spans
};

/// Calls may come from any thread.
class RealtimeConnection final : public openai::RealtimeHost,
                                 public ClientSourceEvents,
                                 public KeptConversation,
                                 public std::enable_shared_from_this<RealtimeConnection> {
 public:
  /// A session is begun, or begun again; errors of LiveSessions::create(). `seed`: random bits.
  static Result<std::shared_ptr<RealtimeConnection>> open(const RealtimeParts& parts,
                                                          openai::SavedConversation start,
                                                          RealtimeClient client, std::uint64_t seed,
                                                          std::optional<SessionRebirth> again = std::nullopt);
  RealtimeConnection(const RealtimeParts& parts, RealtimeClient client);
  ~RealtimeConnection() override;

  /// A line runs: says hello. The one before, if any, is told of it and closed, and no more is heard of it.
  void begin(std::shared_ptr<RealtimeWire> wire, std::shared_ptr<Lifecycle> line);
  void message(const std::shared_ptr<Lifecycle>& line, std::string_view text, bool is_text);
  /// The client has gone: its answers are cancelled and its session ends. `may_resume`: it didn't say
  /// goodbye. Of a line that was taken over: nothing.
  void closed(const std::shared_ptr<Lifecycle>& line, bool may_resume = false);
  /// The session was ended by its id: the client is told, and the line closed with 1000.
  void session_deleted(const std::string& id);
  /// Closes when the answer that is being made has ended.
  void stopping();

  static openai::RealtimeAbilities abilities(const RealtimeParts& parts);
  std::shared_ptr<LiveSession> live();
  // Of what has been said so far, for the snapshot.
  std::uint64_t changes() override;
  std::string saved() override;

 private:
  // For the conversation, with mutex_ held.
  void send(std::string event) override;
  Status configure(openai::RealtimeConfig& config) override;
  Status append_sound(std::string bytes) override;
  Status commit_sound(const std::string& item) override;
  Status clear_sound() override;
  Status add_sound(const std::string& item, std::string bytes) override;
  Status add_text(std::string text) override;
  Status add_picture(openai::event::AppendPicture picture, const std::string& event) override;
  Status add_reading(openai::event::AppendReading reading) override;
  Status ask(openai::RealtimeAsk ask) override;
  void cancel(const std::string& response, std::size_t delivered) override;
  std::int64_t session_us() const override;
  void compare_clocks(const openai::RealtimeExchange& exchange) override;

  // For the source, on its thread.
  bool voice_noticed(Nanoseconds at) override;
  void voice_gone(Nanoseconds at, bool backchannel) override;
  void speech_started(Nanoseconds at) override;
  std::string speech_stopped(Nanoseconds at) override;
  void sound_grew(std::span<const float> samples) override;
  void sound_committed(const std::string& item, const std::vector<float>& samples) override;
  void picture_failed(const std::string& event, const Error& error) override;
  void ask(openai::RealtimeAsk ask, SessionTime at) override;

  /// Of the response that is open.
  struct Asked {
    std::string response;
    std::optional<QuestionId> id;
    bool cancelled = false;
    std::size_t delivered = 0;  // bytes of it, when it was cancelled
  };

  void drop_partial();
  Status begin_session(openai::RealtimeConfig& config, std::optional<SessionRebirth> again);
  void end_session(bool may_resume);
  void give_up();
  std::string keep_session();
  Status post(decltype(ClientInput::body) body);
  AskSink sink_of(const RequestFacts& facts, const RequestWatch& watch);
  void answered(const std::string& response, const Answer& answer);
  void ended(const std::string& response, openai::RealtimeEnd end);
  void close_if_stopped();
  void close(std::uint16_t code, std::string_view reason);
  /// An event may be looked at.
  bool admit(std::size_t bytes);

  const RealtimeParts parts_;
  const RealtimeClient client_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<RealtimeWire> wire_;
  std::shared_ptr<Lifecycle> line_;  // there if wire_ is
  std::unique_ptr<openai::RealtimeConversation> conversation_;
  std::shared_ptr<ClientQueue> queue_;
  std::shared_ptr<SessionClocks> clocks_;   // its senders'
  std::shared_ptr<LiveSession> live_;       // null: the client has gone
  openai::RealtimeBraid session_settings_;  // that the session was begun with
  openai::SoundFormat format_ = openai::SoundFormat::kPcm16;
  bool untouched_ = true;  // nothing has been sent to the session
  bool transcribes_ = false;
  bool stopping_ = false;
  Asked asked_;
  std::shared_ptr<ChatCancel> partial_;  // of the words that are being transcribed while they are said
  const std::shared_ptr<ChatCancel> gone_ = std::make_shared<ChatCancel>();
  TokenBucket events_, bytes_, begun_;
  int refused_ = 0;  // events in a row
};

}  // namespace braid::serve
