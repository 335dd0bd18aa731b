#pragma once
// For tests: a conversation whose host keeps what it is told to do.

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "braid/openai/base64.h"
#include "braid/openai/realtime_conversation.h"

namespace braid::openai {

class RecordingHost final : public RealtimeHost {
 public:
  void send(std::string event) override { sent.push_back(boost::json::parse(event).as_object()); }
  Status configure(RealtimeConfig& config) override { return note("configure " + config.instructions); }
  Status append_sound(std::string bytes) override { return note("append " + std::to_string(bytes.size())); }
  Status commit_sound(const std::string& item) override { return note("commit " + item); }
  Status clear_sound() override { return note("clear"); }
  Status add_sound(const std::string& item, std::string bytes) override {
    return note("sound " + item + " " + std::to_string(bytes.size()));
  }
  Status add_text(std::string text) override { return note("text " + text); }
  Status add_picture(event::AppendPicture picture, const std::string& event) override {
    return note("picture " + std::to_string(picture.bytes.size()) + " " + event);
  }
  Status add_reading(event::AppendReading reading) override {
    return note("reading " + reading.source + " " + reading.values.front().first + "=" +
                reading.values.front().second);
  }
  Status ask(RealtimeAsk ask) override {
    if (Status noted = note("ask " + ask.text); !noted) return noted;
    asked.push_back(std::move(ask));
    return {};
  }
  void cancel(const std::string& response, std::size_t delivered) override {
    did.push_back("cancel " + response + " after " + std::to_string(delivered));
  }
  std::int64_t session_us() const override { return 1'000'000; }
  void compare_clocks(const RealtimeExchange& exchange) override { compared.push_back(exchange); }

  std::vector<boost::json::object> sent;
  std::vector<std::string> did;
  std::vector<RealtimeAsk> asked;
  std::vector<RealtimeExchange> compared;
  std::optional<Error> refuses;  ///< everything is refused with it

 private:
  Status note(std::string what) {
    if (refuses) return tl::unexpected(*refuses);
    did.push_back(std::move(what));
    return {};
  }
};

class RealtimeTest : public testing::Test {
 protected:
  RealtimeTest() { restart(); }

  void restart() {
    host = RecordingHost();
    SavedConversation start;
    start.config.id = "sess_1";
    start.config.model = "nano";
    conversation.emplace(host, start, abilities, 7, limits);
  }

  /// The events that came of a client's.
  std::vector<boost::json::object> take(std::string_view event) {
    const std::size_t before = host.sent.size();
    conversation->take(event);
    return {host.sent.begin() + static_cast<std::ptrdiff_t>(before), host.sent.end()};
  }
  /// Their types.
  std::vector<std::string> types(std::string_view event) { return types(take(event)); }
  static std::vector<std::string> types(const std::vector<boost::json::object>& events) {
    std::vector<std::string> types;
    for (const auto& event : events) types.emplace_back(event.at("type").as_string());
    return types;
  }
  std::vector<std::string> types_since(std::size_t before) const {
    return types({host.sent.begin() + static_cast<std::ptrdiff_t>(before), host.sent.end()});
  }
  /// The code of the one error that came of an event.
  std::string code(std::string_view event) {
    const auto events = take(event);
    if (events.size() != 1 || events[0].at("type") != "error") return "no error";
    const auto& code = events[0].at("error").at("code");
    return code.is_string() ? std::string(code.as_string()) : "null";
  }
  void append_ms(int ms) {
    take(R"({"type":"input_audio_buffer.append","audio":")" + encode_base64(std::string(48U * ms, '\0')) +
         "\"}");
  }
  void say(std::string_view text) {
    take(R"({"type":"conversation.item.create","item":{"type":"message","role":"user","content":[)"
         R"({"type":"input_text","text":")" +
         std::string(text) + "\"}]}}");
  }
  std::string asked_response() const { return host.asked.back().response; }
  void end(RealtimeEnd::Kind kind) {
    RealtimeEnd ended;
    ended.kind = kind;
    ended.usage = {10, 3, 8, 0, 0, 0};
    conversation->response_ended(asked_response(), ended);
  }

  RealtimeAbilities abilities;
  RealtimeLimits limits;
  RecordingHost host;
  std::optional<RealtimeConversation> conversation;
};

inline constexpr std::string_view kCreate = R"({"type":"response.create","event_id":"e1"})";
inline constexpr std::string_view kCancel = R"({"type":"response.cancel","event_id":"e2"})";

}  // namespace braid::openai
