#pragma once
// A session whose camera shows a picture when told to, and whose answers are timed where a client would see
// them.

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/serve/session.h"

namespace braid::bench {

/// Sends a frame when show() says so, and promises with it that nothing earlier follows. run() on the
/// session's thread.
class Camera final : public ingest::Source {
 public:
  explicit Camera(Clock& clock);
  const ingest::SourceInfo& info() const override { return info_; }
  Status run(SourceId id, const ingest::PacketSink& sink) override;
  void stop() override;
  void show(Frame frame);  ///< any thread

 private:
  ingest::SourceInfo info_;
  std::mutex mutex_;
  Signal changed_;
  std::deque<Frame> frames_;
  bool stopped_ = false;
};

/// What the client saw of one answer.
struct Asked {
  Nanoseconds first_token{};  ///< from asking to the first text in the client's hand
  Nanoseconds wall{};         ///< to the end of the answer
  int prompt_tokens = 0;      ///< visible window and question
  int chunks = 0;             ///< pictures the answer saw
  StageTimes stages;          ///< the answer's, to its last token
  std::string text;
};

/// Receives on the delivery thread; waited for by the benchmark's.
class Client final : public deliver::EventSink {
 public:
  explicit Client(Clock& clock) : clock_(clock), changed_(clock) {}
  void on_event(const deliver::Event& event) override;

  void wait_seen(std::size_t pictures);
  void expect_answer();
  /// Blocks until it has ended. `asked` is when the question was asked.
  Result<Asked> wait_answer(SteadyTime asked);
  SteadyTime last_seen();
  std::optional<std::string> fault();

 private:
  Clock& clock_;
  std::mutex mutex_;
  Signal changed_;
  std::size_t seen_ = 0;
  SteadyTime last_seen_{};
  std::optional<SteadyTime> first_text_;
  std::optional<Answer> answer_;
  std::vector<std::string> faults_;
};

/// One use from one thread. The engine is left without sequences.
class LiveSession {
 public:
  static Result<std::unique_ptr<LiveSession>> open(engine::Engine& engine, Clock& clock,
                                                   const serve::SessionOptions& options);
  ~LiveSession();

  /// The next picture arrives, half a second of session time after the one before.
  void show(const Frame& picture);
  /// Blocks until all that was shown is in the cache. Returns when the last one was.
  SteadyTime wait_seen();
  /// What went wrong so far, if anything did.
  std::optional<std::string> fault() { return client_.fault(); }
  /// Asks about what was shown so far, and waits for the answer. `asked`: none: now.
  Result<Asked> ask(const std::string& question, int max_tokens,
                    std::optional<SteadyTime> asked = std::nullopt);

 private:
  LiveSession(engine::Engine& engine, Clock& clock) : clock_(clock), client_(clock), host_(engine, clock) {}

  Clock& clock_;
  Client client_;
  serve::EngineHost host_;
  std::unique_ptr<serve::Session> session_;
  Camera* camera_ = nullptr;  // the session's
  std::size_t shown_ = 0;
};

/// A window that holds 32 pictures of the default model after a turn-over, no filter. `visible`: the newest
/// so many pictures are shown to an answer, older ones are hidden; 0: all.
serve::SessionOptions live_options(int visible);

/// KV cells and sequences that such a session needs of its engine.
inline constexpr int kCells = 6144;
inline constexpr int kSequences = 8;

}  // namespace braid::bench
