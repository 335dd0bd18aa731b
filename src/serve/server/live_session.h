#pragma once
// A session that lives in the server.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "braid/calendar/utc.h"
#include "braid/openai/session_api.h"
#include "braid/serve/session.h"
#include "server/session_events.h"

namespace braid::serve {

/// Called on the session's delivery thread; must not block.
struct AskSink {
  std::function<void()> on_begin;
  std::function<void(std::string text)> on_text;
  std::function<void(const Answer& answer)>
      on_end;  ///< once, last; finished as of now (deliver::finish_answer)
};

/// Thread-safe.
class LiveSession final : public deliver::EventSink {
 public:
  /// `created`: Unix time, seconds.
  LiveSession(std::string id, std::string owner, std::int64_t created, Clock& clock);
  /// Stops it and waits until it has.
  ~LiveSession() override;

  /// Once, before anything else: makes the session, adds the sources and starts it; with an image, where that
  /// one left off.
  Status start(const SessionOptions& options, EngineHost& host, sync::SpeechDetectorFactory* speech,
               std::vector<std::unique_ptr<ingest::Source>> sources, std::optional<SessionImage> image);

  /// Errors as Session::ask().
  Result<QuestionId> ask(Question question, AskSink sink);
  /// As Session::cancel().
  void cancel(QuestionId id, std::optional<std::size_t> delivered = std::nullopt);
  /// Those asked and not yet answered, in the order of their ids; and such of before that nobody has taken.
  std::vector<openai::UnansweredQuestion> open_questions() const;
  /// Before start(): what was open before the session came back, at most the newest 64; and how many packets
  /// it had perceived and kept.
  void recall(std::vector<openai::UnansweredQuestion> left, std::uint64_t perceived, std::uint64_t kept);
  /// Whether that text is among them; it isn't any more.
  bool take_left(const std::string& question);
  /// As Session::changes(), of open_questions() too.
  std::uint64_t changes() const { return session_->changes() + ended_; }
  /// `told` is called, once and on any thread, when a client has ended the session by its id. False: one
  /// has.
  bool on_ended_by_id(std::function<void()> told);
  void ended_by_id();
  bool started() const { return session_ != nullptr; }
  /// As that of Session; once it has started.
  SteadyTime started_at() const { return session_->started_at(); }
  /// Called before the session is stopped, when this is destroyed.
  void before_end(std::function<void()> first) { before_end_.push_back(std::move(first)); }
  /// When its time 0 was on the calendar; once it has started.
  UtcTime began() const;
  /// Further listeners to all events; on the delivery thread.
  void listen(std::function<void(const deliver::Event&)> listener);

  const std::string& id() const { return id_; }
  const std::string& owner() const { return owner_; }  ///< the key's name; empty: none was needed
  Session& session() { return *session_; }
  SessionEvents& events() { return events_; }
  const SessionClocks& clocks() const { return *clocks_; }
  openai::SessionInfo info() const;

  void on_event(const deliver::Event& event) override;

 private:
  void on_answer(const deliver::Event& event, Answer answer);
  void note(const deliver::Perceived& perceived);
  void note(const SessionImage& image);

  const std::string id_;
  const std::string owner_;
  Clock& clock_;
  const std::int64_t created_;
  SessionEvents events_;
  mutable std::mutex mutex_;  // guards what follows
  openai::SessionInfo info_;
  struct Asked {
    openai::UnansweredQuestion question;
    std::shared_ptr<const AskSink> sink;
  };
  std::shared_ptr<const AskSink> sink_of(QuestionId id) const;
  std::map<std::int64_t, Asked> asked_;  // by question id
  std::atomic<std::uint64_t> ended_{0};  // that were in asked_ or left
  std::vector<std::function<void(const deliver::Event&)>> listeners_;
  std::function<void()> told_of_end_;
  std::vector<std::function<void()>> before_end_;
  bool was_ended_by_id_ = false;
  std::shared_ptr<SessionClocks> clocks_ = std::make_shared<SessionClocks>();  // set once, by start()
  std::unique_ptr<Session> session_;
};

}  // namespace braid::serve
