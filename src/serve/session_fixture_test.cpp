#include "session_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace braid::serve {

namespace {

class FrameSource final : public ingest::Source {
 public:
  FrameSource(FrameStream stream, SlotPool& pool, Clock& clock)
      : stream_(std::move(stream)), pool_(pool), clock_(clock), stopped_changed_(clock) {
    info_.name = stream_.name;
    info_.streams[static_cast<std::size_t>(StreamKind::kVideo)] = true;
    info_.live = stream_.live;
    info_.duration = stream_.interval * stream_.frames;
  }

  const ingest::SourceInfo& info() const override { return info_; }

  Status run(SourceId id, const ingest::PacketSink& sink) override {
    const SteadyTime start = clock_.now();
    for (int i = 0; i < stream_.frames; ++i) {
      const Nanoseconds at = stream_.interval * i;
      if (stream_.paced && !follow_clock(sink, start, at)) return {};
      auto frame =
          engine::make_labelled_frame(pool_, fmt::format("f{}", i % stream_.labels), SessionTime(at), id);
      if (!frame) return tl::unexpected(frame.error());
      if (sink(std::move(*frame)) == ingest::Accepted::kClosed) return {};
      if (sink(Bound{StreamKind::kVideo, SessionTime(at)}) == ingest::Accepted::kClosed) return {};
      if (stopped_by(SteadyTime{})) return {};
    }
    sink(Bound{StreamKind::kVideo, SessionTime::max()});
    return {};
  }

  void stop() override {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    stopped_changed_.notify_all();
  }

 private:
  /// Promises as it goes that nothing came before now, as live and paced sources do.
  bool follow_clock(const ingest::PacketSink& sink, SteadyTime start, Nanoseconds until) {
    for (; told_ < until; told_ += stream_.bound_every) {
      if (stopped_by(start + told_)) return false;
      const Bound bound{StreamKind::kVideo, SessionTime(told_)};
      if (sink(bound) == ingest::Accepted::kClosed) return false;
    }
    return !stopped_by(start + until);
  }

  bool stopped_by(SteadyTime until) {
    std::unique_lock lock(mutex_);
    return stopped_changed_.wait_until(lock, until, [this] { return stopped_; });
  }

  FrameStream stream_;
  SlotPool& pool_;
  Clock& clock_;
  ingest::SourceInfo info_;
  std::mutex mutex_;  // guards stopped_
  Signal stopped_changed_;
  bool stopped_ = false;
  Nanoseconds told_{};  // bounds so far
};

}  // namespace

std::unique_ptr<ingest::Source> make_frame_source(FrameStream stream, SlotPool& pool, Clock& clock) {
  return std::make_unique<FrameSource>(std::move(stream), pool, clock);
}

void Heard::on_event(const deliver::Event& event) {
  if (meanwhile) meanwhile(event);
  if (const auto* answer = std::get_if<Answer>(&event)) answers.push_back(*answer);
  if (const auto* delta = std::get_if<AnswerDelta>(&event)) deltas.push_back(*delta);
  if (const auto* note = std::get_if<deliver::Note>(&event)) notes.push_back(*note);
  if (const auto* fault = std::get_if<deliver::Fault>(&event)) faults.push_back(*fault);
  if (const auto* end = std::get_if<deliver::Summary>(&event)) summary = *end;
  if (const auto* packet = std::get_if<deliver::Perceived>(&event); packet && keep_perceived)
    perceived.push_back(*packet);
}

const Answer& Heard::answer(QuestionId id) const {
  const auto found =
      std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) { return answer.id == id; });
  if (found == answers.end()) throw std::logic_error(fmt::format("question {} got no answer", id.value));
  return *found;
}

SessionTest::SessionTest() {
  options.realtime = true;
  model.rules = {{"", "I see {seen}."}};
}

EngineHost& SessionTest::make_host() {
  session.reset();
  host.reset();
  made = engine::make_scripted_engine(clock, model);
  host = std::make_unique<EngineHost>(made.engine, clock, host_options);
  return *host;
}

void SessionTest::create(FrameStream stream) {
  stream.paced = stream.paced || options.realtime;
  auto created = Session::create(options, make_host(), nullptr, clock, heard);
  ASSERT_TRUE(created) << created.error().message;
  session = std::move(*created);
  const auto added = session->add_source(make_frame_source(std::move(stream), pool, clock));
  ASSERT_TRUE(added) << added.error().message;
}

Question SessionTest::question(std::string text, std::optional<std::int64_t> ms) {
  Question asked;
  asked.text = std::move(text);
  if (ms) asked.at = at_ms(*ms);
  return asked;
}

QuestionId SessionTest::ask(Question asked) {
  const auto id = session->ask(std::move(asked));
  EXPECT_TRUE(id) << id.error().message;
  return id.value_or(QuestionId{});
}

std::vector<engine::ScriptedCall> SessionTest::calls_before_first_token(const Answer& answer) const {
  return calls_within(answer.asked, answer.first_token.value());
}

std::vector<engine::ScriptedCall> SessionTest::calls_within(SteadyTime from, SteadyTime to) const {
  std::vector<engine::ScriptedCall> calls = made.probe->calls();
  std::erase_if(calls, [&](const auto& call) { return call.begin < from || call.end > to; });
  return calls;
}

std::string labels(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += fmt::format("{}f{}", text.empty() ? "" : ", ", i);
  return text;
}

}  // namespace braid::serve
