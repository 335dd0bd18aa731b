#pragma once
// A source whose packets come from a Realtime client.

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "braid/ingest/open.h"
#include "braid/serve/session_clocks.h"
#include "braid/sync/speech_detector.h"
#include "realtime/client_queue.h"
#include "realtime/sound_bytes.h"
#include "realtime/turn_detector.h"

namespace braid::serve {

/// Hears of what a client's source finds, on the source's thread.
class ClientSourceEvents {
 public:
  virtual ~ClientSourceEvents() = default;
  // Times are in sound since the session's start.
  /// Somebody makes a sound; true if it is over an answer that it may interrupt, which is held until one of
  /// the next two comes.
  virtual bool voice_noticed(Nanoseconds at) = 0;
  /// It was a backchannel, or else no speech.
  virtual void voice_gone(Nanoseconds at, bool backchannel) = 0;
  virtual void speech_started(Nanoseconds at) = 0;
  /// The turn becomes an item, whose id comes back.
  virtual std::string speech_stopped(Nanoseconds at) = 0;
  /// Of the turn that goes on, each 300 ms: [n] samples of 16 kHz so far. Valid during the call.
  virtual void sound_grew(std::span<const float> samples) = 0;
  /// [n] samples of 16 kHz are now perceived as `item`.
  virtual void sound_committed(const std::string& item, const std::vector<float>& samples) = 0;
  virtual void picture_failed(const std::string& event, const Error& error) = 0;
  /// Everything that came before it has been sent on, none of it later than `at`.
  virtual void ask(openai::RealtimeAsk ask, SessionTime at) = 0;
};

struct ClientSourceOptions {
  std::string name = "client";
  bool sees = true, hears = true;  ///< what the model takes
  ingest::IngestOptions pictures;
  Nanoseconds max_turn = std::chrono::seconds(60);  ///< a turn that lasts longer is committed
  /// When session time 0 was on the clock; asked when the first input has come.
  std::function<SteadyTime()> session_start;
  std::shared_ptr<SessionClocks> clocks = std::make_shared<SessionClocks>();  ///< of its senders
};

/// Of stamps in µs.
inline constexpr sync::ClockOptions kClientClock{.tick_num = 1, .tick_den = 1'000'000};

/// Takes inputs in order and stamps them by their arrival, or by their sender's clock where they say. Sound
/// is held until it is committed, by the client or when a turn ends, and then sent on as it lies before the
/// moment in which its last sample came; sound that comes faster than it was spoken runs ahead of the clock.
/// Pictures of several senders are frames of several cameras: of up to 16, further ones count as one.
/// Each input is followed by a bound, so nothing waits for streams that the client doesn't send; while
/// somebody speaks, pictures wait for the end of what is said, as they do with a camera.
class ClientSource final : public ingest::Source {
 public:
  /// `speech` may be null: no turns are detected then; without `turns` they end by silence.
  ClientSource(ClientSourceOptions options, std::shared_ptr<ClientQueue> queue,
               std::weak_ptr<ClientSourceEvents> events, sync::SpeechDetectorFactory* speech,
               sync::TurnModel* turns, Clock& clock);

  const ingest::SourceInfo& info() const override { return info_; }
  Status run(SourceId id, const ingest::PacketSink& sink) override;
  void stop() override { queue_->close(); }

 private:
  void take(client::Sound& sound);
  void take(client::Commit& commit);
  void take(client::Clear& clear);
  void take(client::WholeSound& sound);
  void take(client::Line& line);
  void take(client::Picture& picture);
  void take(client::Reading& reading);
  void take(client::Turns& turns);
  void take(client::Ask& ask);

  void follow_turns();
  void follow(const TurnDetector::Change& change, ClientSourceEvents& events);
  /// What is being said isn't listened to any more.
  void forget_turn();
  void end_turn(std::int64_t at);
  /// The sender fell silent in the midst of a turn.
  void end_quiet_turn();
  void commit(const std::string& item, std::int64_t to);
  void hear(const std::vector<float>& samples, SessionTime end);

  SessionTime stamp() const;
  SessionTime time_of(std::int64_t sample) const;
  int camera_of(const std::string& sender);
  sync::Captured captured(const std::string& sender, const std::optional<std::int64_t>& stamp_us) const;
  StageTrace trace() const;
  void send(Packet packet);
  void promise(StreamKind stream, SessionTime nothing_before);
  void promise_all(SessionTime nothing_before);

  const ClientSourceOptions options_;
  ingest::SourceInfo info_;
  const std::shared_ptr<ClientQueue> queue_;
  const std::weak_ptr<ClientSourceEvents> events_;
  Clock& clock_;
  SoundDecoder decoder_;
  SoundBuffer buffer_;
  TurnDetector turns_;
  std::map<std::string, int> cameras_;  // by their senders' names

  const ingest::PacketSink* sink_ = nullptr;  // while run() runs
  bool open_ = true;
  std::optional<SteadyTime> start_;  // session time 0
  SteadyTime received_{};            // of the input that is being taken
  SteadyTime last_sound_{};          // when sound came last
  std::int64_t grown_ = 0;           // sample up to which sound_grew() was told
  SessionTime furthest_{};           // nothing earlier is promised for any stream, but for sound
  SessionTime sound_end_{};          // of what was sent on
  std::array<SessionTime, kStreamKinds> promised_{};
};

}  // namespace braid::serve
