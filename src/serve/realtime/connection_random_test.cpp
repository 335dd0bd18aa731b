#include <map>
#include <random>

#include "realtime/connection_fixture.h"

namespace braid::serve {
namespace {

/// Any client's nonsense in any order: each accepted response ends once and nothing stays behind.
class RandomClients : public RealtimeConnectionTest, public testing::WithParamInterface<unsigned> {
 protected:
  std::string event() {
    static const std::vector<std::string> kEvents = {
        R"({"type":"response.create"})",
        R"({"type":"response.create","response":{"instructions":"count","max_output_tokens":7}})",
        R"({"type":"response.create","response":{"output_modalities":["audio"]}})",
        R"({"type":"response.cancel"})",
        R"({"type":"response.cancel","response_id":"resp_x"})",
        R"({"type":"input_audio_buffer.commit"})",
        R"({"type":"input_audio_buffer.clear"})",
        R"({"type":"conversation.item.create","item":{"id":"a","type":"message","role":"user","content":[{"type":"input_text","text":"count"}]}})",
        R"({"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"seen?"}]}})",
        R"({"type":"conversation.item.create","previous_item_id":"root","item":{"type":"message","role":"system","content":[{"type":"input_text","text":"x"}]}})",
        R"({"type":"conversation.item.create","item":{"type":"function_call"}})",
        R"({"type":"conversation.item.delete","item_id":"a"})",
        R"({"type":"conversation.item.retrieve","item_id":"a"})",
        R"({"type":"conversation.item.truncate","item_id":"a","content_index":0,"audio_end_ms":1})",
        R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}})",
        R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad","silence_duration_ms":200}}}}})",
        R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"format":{"type":"audio/pcmu"}}}}})",
        R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"format":{"type":"audio/pcm"}}}}})",
        R"({"type":"session.update","session":{"type":"realtime","braid":{"window_s":7}}})",
        R"({"type":"session.update","session":{"type":"realtime","output_modalities":["audio"]}})",
        R"({"type":"input_sensor.append","source":"s","at_us":5,"values":{"v":1}})",
        R"({"type":"input_video_buffer.append","image":"/9j/4AAQSkZJRgABAQAAAQABAAD"})",
        R"({"type":"clock.ping","t1_us":5})",
        R"({"type":"output_audio_buffer.clear"})",
        R"({"type":"nonsense"})",
        R"({"type":)",
        "[]",
    };
    return kEvents[random() % kEvents.size()];
  }

  void sound() {
    const bool loud = random() % 2 == 0;
    std::string bytes(2 * (random() % 6000), '\0');
    for (std::size_t i = 0; loud && i < bytes.size(); ++i) bytes[i] = static_cast<char>(random() % 256);
    send(R"({"type":"input_audio_buffer.append","audio":")" + openai::encode_base64(bytes) + "\"}");
  }

  std::mt19937 random{GetParam()};
};

TEST_P(RandomClients, EveryResponseEndsOnceAndNothingStaysBehind) {
  bounds.events_per_second = bounds.events_burst = 1e9;
  bounds.sessions_per_second = bounds.sessions_burst = 1e9;
  open();
  for (int i = 0; i < 1000; ++i) {
    random() % 3 == 0 ? sound() : send(event());
    if (random() % 4 == 0) sleep_ms(static_cast<int>(random() % 300));
    if (random() % 200 == 0) {
      connection->closed(running);
      wait_for_ending();
      connect();
    }
  }
  sleep_ms(60'000);
  EXPECT_EQ(count("response.created"), count("response.done"));
  EXPECT_GT(count("response.done"), 0U) << "nothing was tried";
  std::map<std::string, int> done;
  for (const auto& received : line.received)
    if (received.event.at("type") == "response.done")
      ++done[std::string(received.event.at("response").at("id").as_string())];
  for (const auto& [id, times] : done) EXPECT_EQ(times, 1) << id;
  connection->closed(running);
  wait_for_ending();
  EXPECT_EQ(made.probe->used_cells(), 0);
  EXPECT_EQ(sessions->count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomClients, testing::Range(1U, 11U));

}  // namespace
}  // namespace braid::serve
