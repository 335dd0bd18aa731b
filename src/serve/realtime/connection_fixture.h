#pragma once
// For tests: a Realtime client over the scripted engine, in virtual time.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/base/virtual_clock.h"
#include "braid/engine/scripted_engine.h"
#include "braid/openai/base64.h"
#include "realtime/connection.h"

namespace braid::serve {

/// What reached the client, and when.
struct Line {
  struct Received {
    SteadyTime at;
    boost::json::object event;
  };
  std::vector<Received> received;
  std::uint16_t closed = 0;
};

class LineWire final : public RealtimeWire {
 public:
  LineWire(Line& line, Clock& clock) : line_(line), clock_(clock) {}
  void send(std::string text) override {
    line_.received.push_back({clock_.now(), boost::json::parse(text).as_object()});
  }
  void close(std::uint16_t code, std::string_view) override { line_.closed = code; }

 private:
  Line& line_;
  Clock& clock_;
};

class RealtimeConnectionTest : public testing::Test {
 protected:
  RealtimeConnectionTest() {
    model.cells = 32'768;
    model.max_sequences = 64;
    model.rules = {{"count", "1 2 3 4 5 6 7 8 9"},
                   {"seen", "I see {seen}."},
                   {"read", "I read {read}."},
                   {"", "I hear {heard}."}};
    for (const char* digit : {"1", "2", "3"}) model.words.emplace_back(digit);
  }
  ~RealtimeConnectionTest() override { end(); }

  void open() {
    made = engine::make_scripted_engine(clock, model);
    host = std::make_unique<EngineHost>(made.engine, clock, HostOptions{});
    host->loop().start();
    LiveSessionsOptions options;
    options.session.realtime = true;
    options.session.stay_open = true;
    options.max_sessions = max_sessions;
    sessions = std::make_unique<LiveSessions>(*host, speech.get(), clock, options);
    parts.emplace(RealtimeParts{.sessions = *sessions,
                                .speech = speech.get(),
                                .turns = nullptr,
                                .model = made.engine.info,
                                .pictures = {},
                                .transcriber = std::nullopt,
                                .clock = clock,
                                .end_session =
                                    [this](const std::shared_ptr<LiveSession>& session, bool) {
                                      sessions->end(session);
                                      ended.push_back(session->id());
                                    },
                                .durability = nullptr,
                                .observers = observers,
                                .bounds = bounds});
    connect();
  }

  void connect() {
    line = {};
    auto opened = RealtimeConnection::open(*parts, {}, client, 7);
    ASSERT_TRUE(opened) << opened.error().message;
    connection = std::move(*opened);
    running = accepted();
    connection->begin(std::make_unique<LineWire>(line, clock), running);
  }

  std::shared_ptr<Lifecycle> accepted() {
    auto lifecycle = std::make_shared<Lifecycle>(illegal);
    lifecycle->take(LineEvent::kAsk);
    lifecycle->take(LineEvent::kAccept);
    return lifecycle;
  }

  void wait_for_ending() { sessions->wait_for_ending(clock.now() + std::chrono::seconds(10)); }

  void end() {
    if (connection) connection->closed(running);
    connection.reset();
    sessions.reset();  // waits for their threads
    host.reset();
  }

  void send(std::string_view event) { connection->message(running, event, true); }
  void ask(std::string_view text) {
    send(R"({"type":"conversation.item.create","item":{"type":"message","role":"user","content":[)"
         R"({"type":"input_text","text":")" +
         std::string(text) + "\"}]}}");
    send(R"({"type":"response.create"})");
  }
  void sleep_ms(int ms) { clock.sleep_for(Milliseconds(ms)); }

  /// Speech or silence as a microphone sends it: 20 ms each 20 ms.
  void speak(int ms, bool speech_now = true) {
    for (int sent = 0; sent < ms; sent += 20) {
      std::string bytes;
      for (int i = 0; i < 480; ++i) {
        const auto value = static_cast<std::int16_t>(
            speech_now ? 9000 * std::sin(2 * 3.14159265 * 400 * tone_++ / 24'000) : 0);
        bytes += static_cast<char>(value & 0xFF);
        bytes += static_cast<char>(value >> 8 & 0xFF);
      }
      send(R"({"type":"input_audio_buffer.append","audio":")" + openai::encode_base64(bytes) + "\"}");
      sleep_ms(20);
    }
  }

  std::vector<std::string> types() const {
    std::vector<std::string> types;
    for (const auto& received : line.received) types.emplace_back(received.event.at("type").as_string());
    return types;
  }
  /// Of that type, the last.
  const boost::json::object& last(std::string_view type) const {
    for (auto at = line.received.rbegin(); at != line.received.rend(); ++at)
      if (at->event.at("type").as_string() == type) return at->event;
    throw std::logic_error("no " + std::string(type));
  }
  std::size_t count(std::string_view type) const {
    const auto all = types();
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), type));
  }
  std::string answer() const {
    const auto& output = last("response.done").at("response").at("output").as_array();
    if (output.empty()) return "";
    return std::string(output.at(0).at("content").at(0).at("text").as_string());
  }
  std::string status() const {
    return std::string(last("response.done").at("response").at("status").as_string());
  }

  VirtualClock clock{SteadyTime(Milliseconds(1000))};
  engine::ScriptedOptions model;
  engine::ScriptedEngine made;
  std::unique_ptr<sync::SpeechDetectorFactory> speech = sync::make_energy_detector();
  RealtimeBounds bounds;
  std::size_t max_sessions = 64;
  Observers observers;
  RealtimeClient client;
  std::unique_ptr<EngineHost> host;
  std::unique_ptr<LiveSessions> sessions;
  std::optional<RealtimeParts> parts;
  std::vector<std::string> ended;  // their ids
  std::atomic<std::uint64_t> illegal{0};
  std::shared_ptr<Lifecycle> running;
  Line line;
  std::shared_ptr<RealtimeConnection> connection;
  int tone_ = 0;
};

}  // namespace braid::serve
