// What turn detection hears in dialogues that tools/turns/make_dialogues.py made, and what becomes of an
// answer when somebody speaks over it. Virtual time: the load of the machine changes no figure but cpu_ms.
//
//   braid_turns FOLDER silero_vad_openvino_16k.onnx smart-turn-v3.2-cpu.onnx
//
// A line of JSON for each dialogue and way to end turns: {"file", "mode", "frame_cpu_ms",
// "changes": [[kind, s, cpu_ms]...]},
// and for each clip over an answer: {"file", "events": [[type, ms after the clip's first sample]...]}.

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "braid/base/virtual_clock.h"
#include "braid/engine/scripted_engine.h"
#include "braid/openai/base64.h"
#include "realtime/connection.h"
#include "realtime/turn_detector.h"

namespace {

using namespace braid;
using namespace braid::serve;

constexpr std::size_t kPacket = 320;  // samples, 20 ms
constexpr std::size_t kHeader = 44;   // bytes of a WAV file before its samples

std::vector<std::int16_t> read_wav(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::int16_t> samples(bytes.size() > kHeader ? (bytes.size() - kHeader) / 2 : 0);
  std::memcpy(samples.data(), bytes.data() + kHeader, samples.size() * 2);
  return samples;
}

double cpu_ms() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Turns as they are found in the sound, each with the CPU time that its last packet took; and the CPU time
/// of a frame of 32 ms.
boost::json::object find_turns(const std::vector<std::int16_t>& sound, const openai::TurnDetection& turns,
                               sync::SpeechDetectorFactory& speech, sync::TurnModel& model) {
  SoundBuffer buffer;
  TurnDetector detector(speech.make(), &model);
  detector.configure(turns, buffer);
  boost::json::array found;
  double cpu = 0;
  for (std::size_t at = 0; at + kPacket <= sound.size(); at += kPacket) {
    std::vector<float> packet;
    for (std::size_t i = at; i < at + kPacket; ++i) packet.push_back(static_cast<float>(sound[i]) / 32768.0F);
    buffer.append(packet);
    const double begun = cpu_ms();
    while (const auto change = detector.next(buffer)) {
      using Kind = TurnDetector::Change::Kind;
      const char* kind = change->kind == Kind::kStarted   ? "start"
                         : change->kind == Kind::kStopped ? "stop"
                                                          : nullptr;
      if (kind != nullptr)
        found.push_back({kind, static_cast<double>(at + kPacket) / 16'000, cpu_ms() - begun});
    }
    cpu += cpu_ms() - begun;
    buffer.drop_before(detector.needed_from(buffer));
  }
  const auto frames = static_cast<double>(sound.size()) / sync::SpeechDetector::kFrame;
  return {{"changes", std::move(found)}, {"frame_cpu_ms", cpu / frames}};
}

class Wire final : public RealtimeWire {
 public:
  Wire(boost::json::array& events, Clock& clock, const SteadyTime& zero)
      : events_(events), clock_(clock), zero_(zero) {}
  void send(std::string text) override {
    const boost::json::value event = boost::json::parse(text);
    const auto& type = event.at("type").as_string();
    if (zero_ != SteadyTime{} && type != "response.output_text.delta")
      events_.push_back({type, to_ms(clock_.now() - zero_)});
  }
  void close(std::uint16_t, std::string_view) override {}

 private:
  boost::json::array& events_;
  Clock& clock_;
  const SteadyTime& zero_;  // when the clip begins
};

/// The packet that begins there, as a client sends it.
std::string at_24_khz(const std::vector<std::int16_t>& sound, std::size_t at) {
  std::string bytes;
  for (std::size_t i = 0; i < kPacket * 3 / 2; ++i) {
    const double place = static_cast<double>(i) * 2 / 3;
    const auto low = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(low);
    const std::size_t next = std::min(at + low + 1, sound.size() - 1);
    const auto value = static_cast<std::int16_t>((1 - part) * sound[at + low] + part * sound[next]);
    bytes += {static_cast<char>(value & 0xFF), static_cast<char>(value >> 8 & 0xFF)};
  }
  return bytes;
}

/// An answer of some seconds, and the clip over it: through a connection, its session and the engine's host.
boost::json::array speak_over_answer(const std::vector<std::int16_t>& clip,
                                     sync::SpeechDetectorFactory& speech, sync::TurnModel& model) {
  VirtualClock clock{SteadyTime(Milliseconds(1000))};
  engine::ScriptedOptions scripted;
  scripted.cells = 32'768;
  scripted.step_cost = Milliseconds(20);
  scripted.rules = {{"", std::string(400, 'x')}};
  engine::ScriptedEngine made = engine::make_scripted_engine(clock, scripted);
  EngineHost host(made.engine, clock, HostOptions{});
  host.loop().start();
  LiveSessionsOptions options;
  options.session.realtime = options.session.stay_open = true;
  options.session.max_answer_tokens = 512;
  LiveSessions sessions(host, &speech, clock, options);
  RealtimeParts parts{
      .sessions = sessions,
      .speech = &speech,
      .turns = &model,
      .model = made.engine.info,
      .pictures = {},
      .transcriber = std::nullopt,
      .clock = clock,
      .end_session = [&](const std::shared_ptr<LiveSession>& session, bool) { sessions.end(session); },
      .durability = nullptr,
      .observers = {},
      .bounds = {}};
  auto opened = RealtimeConnection::open(parts, {}, {}, 7);
  std::atomic<std::uint64_t> illegal{0};
  const auto line = std::make_shared<Lifecycle>(illegal);
  line->take(LineEvent::kAsk);
  line->take(LineEvent::kAccept);
  boost::json::array events;
  SteadyTime zero{};
  (*opened)->begin(std::make_shared<Wire>(events, clock, zero), line);
  const auto send = [&](const std::string& event) { (*opened)->message(line, event, true); };
  send(R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":)"
       R"({"type":"semantic_vad"}}}}})");
  send(R"({"type":"response.create","response":{"instructions":"Talk."}})");
  std::vector<std::int16_t> sound(16'000, 0);
  const std::size_t first = sound.size();
  sound.insert(sound.end(), clip.begin(), clip.end());
  sound.insert(sound.end(), 24'000, 0);
  for (std::size_t at = 0; at + kPacket <= sound.size(); at += kPacket) {
    clock.sleep_for(Milliseconds(20));  // the packet's last sample is spoken now
    if (at <= first && first < at + kPacket) zero = clock.now() - Microseconds(62) * (at + kPacket - first);
    send(R"({"type":"input_audio_buffer.append","audio":")" + openai::encode_base64(at_24_khz(sound, at)) +
         "\"}");
  }
  clock.sleep_for(Milliseconds(1000));
  (*opened)->closed(line);
  opened->reset();
  return events;
}

int run(const std::filesystem::path& folder, const char* silero, const char* smart_turn) {
  auto speech = sync::make_silero_detector(silero);
  auto model = sync::make_smart_turn(smart_turn);
  for (const Status& made :
       {speech ? Status{} : tl::unexpected(speech.error()), model ? Status{} : tl::unexpected(model.error())})
    if (!made) return std::fprintf(stderr, "braid_turns: %s\n", made.error().message.c_str()), 1;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".wav") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const auto print = [](const boost::json::object& line) {
    std::puts(boost::json::serialize(line).c_str());
    std::fflush(stdout);
  };
  for (const auto& path : files) {
    const auto sound = read_wav(path);
    const std::string name = path.filename().string();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) {
      print({{"file", name}, {"events", speak_over_answer(sound, **speech, **model)}});
      continue;
    }
    for (const bool semantic : {false, true}) {
      openai::TurnDetection turns;
      if (semantic) turns.kind = openai::TurnDetection::Kind::kSemanticVad;
      boost::json::object found = find_turns(sound, turns, **speech, **model);
      found["file"] = name;
      found["mode"] = semantic ? "semantic_vad" : "server_vad";
      print(found);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) return run(argv[1], argv[2], argv[3]);
  std::fprintf(stderr, "braid_turns FOLDER SILERO.onnx SMART_TURN.onnx; see bench/README.md\n");
  return 2;
}
