#include "server/standing_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "braid/net/client.h"
#include "braid/net/url.h"
#include "server/answer_account.h"
#include "server/stamps.h"

namespace braid::serve {

namespace {

constexpr std::array kEvents = {"utterance", "scene_change", "line", "reading"};

/// The event that a perceived packet is; empty: none.
std::string_view event_of(const deliver::Perceived& packet) {
  if (!packet.kept) return {};
  switch (packet.modality) {
    case Modality::kVision:
      return packet.reason == "scene" ? "scene_change" : "";
    case Modality::kAudio:
      return "utterance";
    case Modality::kText:
      return "line";
    case Modality::kReading:
      return "reading";
  }
  return {};
}

SteadyTime next_due(SteadyTime begin, Nanoseconds every, SteadyTime now) {
  return begin + every * ((now - begin) / every + 1);
}

}  // namespace

struct StandingQuestions::Standing {
  std::weak_ptr<LiveSession> live;
  std::string session, owner;
  openai::StandingQuestion question;
  bool trusted = false;
  SteadyTime begin;               // session time 0
  std::optional<SteadyTime> due;  // the rest is guarded by the owner's mutex
  bool open = false;              // asked and not yet answered
};

StandingQuestions::StandingQuestions(Webhooks& webhooks, Clock& clock, std::string secret)
    : webhooks_(webhooks),
      clock_(clock),
      secret_(std::move(secret)),
      changed_(clock),
      thread_(clock, "standing", [this] { run(); }) {}

StandingQuestions::~StandingQuestions() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Status StandingQuestions::check(const std::vector<openai::StandingQuestion>& questions) const {
  for (const openai::StandingQuestion& question : questions) {
    if (!question.on_event.empty() &&
        std::find(kEvents.begin(), kEvents.end(), question.on_event) == kEvents.end())
      return fail(ErrorCode::kUsage,
                  fmt::format("on_event is '{}'; there are {}", question.on_event, fmt::join(kEvents, ", ")));
    if (question.webhook.empty()) continue;
    const auto url = net::parse_url(question.webhook);
    if (!url) return tl::unexpected(url.error());
    if (!webhooks_.private_allowed() && net::is_private_host(url->host))
      return fail(
          ErrorCode::kUsage,
          fmt::format("webhook: {} isn't a public address, so nothing would be posted there; the server's "
                      "operator allows such with allow_private of [webhooks]",
                      url->host));
  }
  return {};
}

void StandingQuestions::add(const std::shared_ptr<LiveSession>& live,
                            std::vector<openai::StandingQuestion> questions, bool trusted) {
  std::vector<std::shared_ptr<Standing>> added, on_events;
  for (openai::StandingQuestion& question : questions) {
    auto standing = std::make_shared<Standing>();
    standing->live = live;
    standing->session = live->id();
    standing->owner = live->owner();
    standing->begin = live->session().started_at();
    if (question.every) standing->due = next_due(standing->begin, *question.every, clock_.now());
    if (live->take_left(question.ask)) standing->due = clock_.now();
    if (!question.on_event.empty()) on_events.push_back(standing);
    standing->question = std::move(question);
    standing->trusted = trusted;
    added.push_back(std::move(standing));
  }
  {
    std::lock_guard lock(mutex_);
    all_.insert(all_.end(), added.begin(), added.end());
    changed_.notify_all();
  }
  if (on_events.empty()) return;
  live->listen([this, on_events](const deliver::Event& event) { heard(on_events, event); });
}

StandingCounts StandingQuestions::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

// On the session's delivery thread, with its lock held: only notes that it is due.
void StandingQuestions::heard(const std::vector<std::shared_ptr<Standing>>& waiting,
                              const deliver::Event& event) {
  const auto* perceived = std::get_if<deliver::Perceived>(&event);
  const std::string_view name = perceived ? event_of(*perceived) : std::string_view{};
  if (name.empty()) return;
  std::lock_guard lock(mutex_);
  for (const auto& standing : waiting)
    if (standing->question.on_event == name) standing->due = clock_.now();
  changed_.notify_all();
}

void StandingQuestions::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    std::erase_if(all_, [](const auto& standing) { return standing->live.expired(); });
    std::shared_ptr<Standing> next;
    for (const auto& standing : all_)
      if (standing->due && (!next || *standing->due < *next->due)) next = standing;
    const SteadyTime now = clock_.now();
    if (next && *next->due <= now) {
      next->due.reset();
      if (next->question.every) next->due = next_due(next->begin, *next->question.every, now);
      if (std::exchange(next->open, true)) {
        ++counts_.skipped;
        continue;
      }
      lock.unlock();
      ask(next);
      next.reset();
      lock.lock();
      continue;
    }
    // A notification may mean an earlier due time: look again.
    bool woken = false;
    const auto look = [&] { return std::exchange(woken, true) || stopping_; };
    if (next)
      changed_.wait_until(lock, *next->due, look);
    else
      changed_.wait(lock, look);
  }
}

void StandingQuestions::ask(const std::shared_ptr<Standing>& standing) {
  const auto live = standing->live.lock();
  Result<QuestionId> asked = fail(ErrorCode::kCancelled, "the session has ended");
  if (live) {
    Question question;
    question.text = standing->question.ask;
    question.now = true;
    question.deadline = standing->question.deadline;
    if (standing->question.max_tokens) question.max_tokens = *standing->question.max_tokens;
    AskSink sink;
    sink.on_end = [this, standing](const Answer& answer) { answered(standing, answer); };
    asked = live->ask(std::move(question), std::move(sink));
  }
  std::lock_guard lock(mutex_);
  if (asked) {
    ++counts_.asked;
  } else {
    ++counts_.skipped;
    standing->open = false;
  }
}

void StandingQuestions::answered(const std::shared_ptr<Standing>& standing, const Answer& answer) {
  const bool complete = answer.finish == FinishReason::kStop || answer.finish == FinishReason::kLength;
  {
    std::lock_guard lock(mutex_);
    standing->open = false;
    if (!complete) ++counts_.failed;
  }
  const openai::StandingQuestion& question = standing->question;
  if (!complete || question.webhook.empty()) return;
  openai::WebhookEvent event;
  event.delivery_id = new_id("dlv_");
  event.session = standing->session;
  event.question = question.ask;
  event.answer = answer.text;
  event.finish = finish_of(answer.finish);
  event.asked_at_us = to_us(answer.asked_at);
  event.account = account_of(answer);
  // The operator's secret says that the operator asked: nothing that a client chose is signed with it.
  const bool by_operator = standing->trusted && question.secret.empty();
  webhooks_.post(
      {question.webhook, by_operator ? secret_ : question.secret, standing->trusted, standing->owner},
      std::move(event));
}

}  // namespace braid::serve
