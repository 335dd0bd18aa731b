// Any lines as the events of a Realtime client, with turns and answers between them: what is sent back is
// JSON, every response that was created is done once, and nothing is asked twice at a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "braid/openai/realtime_conversation.h"
#include "json_in.h"

namespace {

using namespace braid::openai;
using braid::Status;

void require(bool holds) {
  if (!holds) std::abort();
}

class Host final : public RealtimeHost {
 public:
  void send(std::string event) override {
    const auto doc = JsonDoc::parse(event, {});
    require(doc.has_value());
    const auto type = doc->member(0, "type");
    require(type.has_value() && doc->member(0, "event_id").has_value());
    created += (*doc)[*type].text == "response.created" ? 1 : 0;
    done += (*doc)[*type].text == "response.done" ? 1 : 0;
    require(done <= created && created <= done + 2);
  }
  Status configure(RealtimeConfig&) override { return {}; }
  Status append_sound(std::string) override { return {}; }
  Status commit_sound(const std::string&) override { return {}; }
  Status clear_sound() override { return {}; }
  Status add_sound(const std::string&, std::string) override { return {}; }
  Status add_text(std::string text) override {
    require(text.find('\n') == std::string::npos);
    return {};
  }
  Status add_picture(event::AppendPicture, const std::string&) override { return {}; }
  Status add_reading(event::AppendReading reading) override {
    require(!reading.values.empty());
    return {};
  }
  Status ask(RealtimeAsk ask) override {
    require(open.empty());
    open = std::move(ask.response);
    return {};
  }
  // One that has been made may still be held.
  void cancel(const std::string& response, std::size_t) override {
    require(open.empty() || response == open);
  }
  std::int64_t session_us() const override { return 5; }
  void compare_clocks(const RealtimeExchange&) override {}

  int created = 0, done = 0;
  std::string open;
};

void answer(RealtimeConversation& conversation, Host& host, RealtimeEnd::Kind kind) {
  const std::string response = std::exchange(host.open, {});
  conversation.response_text(response, "text");
  RealtimeEnd end;
  end.kind = kind;
  conversation.response_ended(response, end);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  RealtimeLimits limits;
  limits.items = 4;
  limits.items_bytes = 100;
  limits.media_bytes = 60;
  Host host;
  RealtimeConversation conversation(host, {}, {}, 1, limits);
  conversation.begin();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line == "A" && !host.open.empty()) answer(conversation, host, RealtimeEnd::Kind::kCompleted);
    if (line == "C" && !host.open.empty()) answer(conversation, host, RealtimeEnd::Kind::kCancelled);
    if (line == "S") conversation.speech_started(braid::Milliseconds(5));
    if (line == "V") conversation.voice_noticed(braid::Milliseconds(5));
    if (line == "Q") conversation.voice_gone(braid::Milliseconds(7), true);
    if (line == "E") conversation.speech_stopped(braid::Milliseconds(9));
    if (line.size() > 1) conversation.take(line);
  }
  conversation.voice_gone(braid::Milliseconds(9), false);
  while (!host.open.empty()) answer(conversation, host, RealtimeEnd::Kind::kCancelled);
  require(host.created == host.done);
  return 0;
}
