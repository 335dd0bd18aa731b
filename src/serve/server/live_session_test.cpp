#include "server/live_session.h"

#include "host/step_loop.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

/// Runs until it is stopped, and asks something of its session then.
class LateAsker final : public ingest::Source {
 public:
  LateAsker(Clock& clock, std::function<void()> at_end)
      : at_end_(std::move(at_end)), stopped_changed_(clock) {
    info_.name = "camera";
    info_.live = true;
    info_.streams[static_cast<std::size_t>(StreamKind::kVideo)] = true;
  }

  const ingest::SourceInfo& info() const override { return info_; }
  Status run(SourceId, const ingest::PacketSink&) override {
    std::unique_lock lock(mutex_);
    stopped_changed_.wait(lock, [this] { return stopped_; });
    at_end_();
    return {};
  }
  void stop() override {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    stopped_changed_.notify_all();
  }

 private:
  ingest::SourceInfo info_;
  std::function<void()> at_end_;
  std::mutex mutex_;  // guards stopped_
  Signal stopped_changed_;
  bool stopped_ = false;
};

class LiveSessionTest : public SessionTest {};

// Found by tests/faults_test.py: a session that was ended as soon as it was made took the server along.
TEST_F(LiveSessionTest, IsThereForItsThreadsUntilTheyHaveEnded) {
  make_host().loop().start();
  auto live = std::make_shared<LiveSession>("sess_1", "", 0, clock);
  std::optional<SteadyTime> asked;
  std::vector<std::unique_ptr<ingest::Source>> sources;
  sources.push_back(
      std::make_unique<LateAsker>(clock, [&, raw = live.get()] { asked = raw->session().started_at(); }));
  const SteadyTime begin = clock.now();
  ASSERT_TRUE(live->start(options, *host, nullptr, std::move(sources), std::nullopt));
  clock.sleep_for(Milliseconds(50));
  live.reset();
  EXPECT_EQ(asked, begin);
}

}  // namespace
}  // namespace braid::serve
