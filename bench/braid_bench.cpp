// Braid's side of `make bench`: loads the model once, then does what each line of its input says and answers
// with a line of JSON, so that rounds can alternate with the peers'. Times are in ms.

#include <fmt/format.h>

#include <boost/json.hpp>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>

#include "braid/engine/llama_engine.h"
#include "engine_rates.h"
#include "live_session.h"
#include "machine_rates.h"
#include "pictures.h"

namespace braid::bench {
namespace {

namespace json = boost::json;
using Reply = Result<json::object>;

constexpr int kAnswerTokens = 8;

struct Setup {
  std::string model, mmproj, pictures;
  int threads = 1;
};

class Bench {
 public:
  Bench(engine::Engine engine, std::vector<Frame> pictures, int threads)
      : engine_(std::move(engine)), pictures_(std::move(pictures)), threads_(threads) {}

  Reply obey(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    const auto found = verbs_.find(verb);
    if (found == verbs_.end()) return fail(ErrorCode::kUsage, fmt::format("no command '{}'", verb));
    return found->second(words);
  }

 private:
  Reply time(Result<Nanoseconds> took) {
    if (!took) return tl::unexpected(took.error());
    return json::object{{"ms", to_ms(*took)}};
  }

  Reply info() {
    return json::object{{"name", engine_.info.name},
                        {"device", engine_.info.device},
                        {"one_pass", engine_.info.one_pass},
                        {"picture", fmt::format("{}x{}", pictures_[0].width, pictures_[0].height)},
                        {"frame_rows", engine_.encoder->frame_rows(pictures_[0].width, pictures_[0].height)}};
  }

  Reply machine() {
    return json::object{{"memory_read_gb_s", memory_read_rate(clock_, threads_) / 1e9},
                        {"matrix_gflop_s", matrix_rate(clock_, threads_) / 1e9}};
  }

  // open VISIBLE SHOWN FIRST: a session that has seen pictures FIRST … FIRST + SHOWN - 1.
  Reply open(std::istringstream& words) {
    int visible = 0, shown = 0;
    words >> visible >> shown >> next_;
    session_.reset();
    auto session = LiveSession::open(engine_, clock_, live_options(visible));
    if (!session) return tl::unexpected(session.error());
    session_ = std::move(*session);
    for (int i = 0; i < shown; ++i) show();
    session_->wait_seen();
    return json::object{{"shown", shown}};
  }

  void show() { session_->show(pictures_[next_++ % pictures_.size()]); }

  // ask NEW QUESTION…: NEW pictures arrive with the question.
  Reply ask(std::istringstream& words) {
    if (!session_) return fail(ErrorCode::kUsage, "no session is open");
    int fresh = 0;
    std::string question;
    words >> fresh >> std::ws;
    std::getline(words, question);
    const SteadyTime begin = clock_.now();
    for (int i = 0; i < fresh; ++i) show();
    auto asked = session_->ask(question, kAnswerTokens, begin);
    if (!asked) return tl::unexpected(asked.error());
    json::object stages;
    for (std::size_t i = 0; i < kStageCount; ++i)
      stages[to_string(static_cast<Stage>(i))] = to_ms(asked->stages.by_stage[i]);
    return json::object{{"ttft_ms", to_ms(asked->first_token)},
                        {"wall_ms", to_ms(asked->wall)},
                        {"prompt_tokens", asked->prompt_tokens},
                        {"pictures", asked->chunks},
                        {"text", asked->text},
                        {"stages_ms", std::move(stages)}};
  }

  Reply close() {
    session_.reset();
    return json::object{};
  }

  static int number(std::istringstream& words) {
    int n = 0;
    words >> n;
    return n;
  }

  RealClock clock_;
  engine::Engine engine_;
  std::vector<Frame> pictures_;
  int threads_;
  std::size_t next_ = 0;
  std::unique_ptr<LiveSession> session_;  // uses what stands above
  Utterance sound_ = make_sound(Milliseconds(2000), engine_.info.audio_sample_rate);

  const std::map<std::string, std::function<Reply(std::istringstream&)>> verbs_ = {
      {"info", [this](auto&) { return info(); }},
      {"machine", [this](auto&) { return machine(); }},
      {"prefill", [this](auto& words) { return time(time_prefill(engine_, clock_, number(words))); }},
      {"decode", [this](auto& words) { return time(time_decode(engine_, clock_, number(words))); }},
      {"frame",
       [this](auto&) { return time(time_encode(engine_, clock_, &pictures_[next_++ % pictures_.size()])); }},
      {"utterance", [this](auto&) { return time(time_encode(engine_, clock_, &sound_)); }},
      {"open", [this](auto& words) { return open(words); }},
      {"ask", [this](auto& words) { return ask(words); }},
      {"close", [this](auto&) { return close(); }},
  };
};

int serve_commands(const Setup& setup) {
  engine::LlamaOptions options;
  options.model = setup.model;
  options.mmproj = setup.mmproj;
  options.threads = setup.threads;
  options.cells = kCells;
  options.max_sequences = kSequences;
  auto engine = engine::load_llama(options);
  auto pictures = read_pictures(setup.pictures);
  if (!engine || !pictures) {
    std::cerr << "braid_bench: " << (engine ? pictures.error() : engine.error()).message << "\n";
    return 1;
  }
  Bench bench(std::move(*engine), std::move(*pictures), setup.threads);
  for (std::string line; std::getline(std::cin, line);) {
    const Reply reply = bench.obey(line);
    std::cout << (reply ? json::serialize(*reply)
                        : json::serialize(json::object{{"error", reply.error().message}}))
              << std::endl;  // flushed: the other side waits for it
  }
  return 0;
}

}  // namespace
}  // namespace braid::bench

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: braid_bench MODEL MMPROJ PICTURES THREADS; commands come on standard input\n";
    return 2;
  }
  return braid::bench::serve_commands({argv[1], argv[2], argv[3], std::atoi(argv[4])});
}
