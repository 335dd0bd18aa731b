#pragma once
// Questions that are asked of a live session again and again, every so often or on an event.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/openai/session_api.h"
#include "server/live_session.h"
#include "server/standing_webhooks.h"

namespace braid::serve {

struct StandingCounts {
  std::uint64_t asked = 0;
  std::uint64_t skipped = 0;  ///< not asked: the last one was still open, or the session refused
  std::uint64_t failed = 0;   ///< asked, and not answered
};

/// Thread-safe. A question whose last answer is still being made is not asked again but skipped, so a slow
/// model can't be buried. It ends with its session. Outlives all sessions it is told of.
class StandingQuestions {
 public:
  /// `secret` signs the answers to configured questions that have none of their own. All outlive this.
  StandingQuestions(Webhooks& webhooks, Clock& clock, std::string secret);
  ~StandingQuestions();

  /// What a client asks for. kUsage: an event that there isn't, a webhook that isn't public by its address
  /// alone.
  Status check(const std::vector<openai::StandingQuestion>& questions) const;
  /// `trusted`: by the operator; their webhooks may be anywhere. One with a period is asked at its multiples
  /// in session time, so that it goes on in step where the session came back; one that was open then is asked
  /// at once.
  void add(const std::shared_ptr<LiveSession>& live, std::vector<openai::StandingQuestion> questions,
           bool trusted);
  StandingCounts counts() const;

 private:
  struct Standing;
  void run();
  void heard(const std::vector<std::shared_ptr<Standing>>& waiting, const deliver::Event& event);
  void ask(const std::shared_ptr<Standing>& standing);
  void answered(const std::shared_ptr<Standing>& standing, const Answer& answer);

  Webhooks& webhooks_;
  Clock& clock_;
  const std::string secret_;
  mutable std::mutex mutex_;
  Signal changed_;
  std::vector<std::shared_ptr<Standing>> all_;
  StandingCounts counts_;
  bool stopping_ = false;
  Thread thread_;
};

}  // namespace braid::serve
