#include "session/encode_loop.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace braid::serve {

bool EncodeLoop::out_of_patience(const Question& question, SteadyTime now) const {
  Nanoseconds patience = *patience_;
  if (question.deadline) patience = std::min(patience, *question.deadline / 2);
  return now - question.asked > patience;
}

bool EncodeLoop::superseded(const Frame& frame) const {
  if (!patience_) return false;
  const SteadyTime now = clock_.now();
  bool newer = false, awaited = false;
  in_.look(0, [&](const sync::Timed& item) {
    const auto* next = std::get_if<Frame>(&item);
    newer = newer || (next && same_camera(*next, frame));
    const auto* question = std::get_if<Question>(&item);
    awaited = newer && question && out_of_patience(*question, now);
    return !question;
  });
  return awaited;
}

EngineInput EncodeLoop::handle(Frame frame) {
  if (!superseded(frame)) return maker_.make(std::move(frame));
  passed_over_ = true;
  return maker_.pass_over(std::move(frame), "superseded");
}

EngineInput EncodeLoop::handle(Question question) {
  if (recall_) {
    question.trace.enter(Stage::kRetrieve, clock_.now());
    recall_(question);
  }
  question.trace.enter(Stage::kPrefillQueue, clock_.now());
  if (std::exchange(passed_over_, false)) question.degraded.emplace_back("frames");
  return question;
}

EngineInput EncodeLoop::handle(sync::Timed item) {
  return std::visit(
      [this]<class Item>(Item&& value) -> EngineInput {
        using Plain = std::decay_t<Item>;
        if constexpr (std::is_same_v<Plain, Frame> || std::is_same_v<Plain, Question>)
          return handle(std::forward<Item>(value));
        else if constexpr (requires { maker_.make(std::forward<Item>(value)); })
          return maker_.make(std::forward<Item>(value));
        else
          return std::forward<Item>(value);
      },
      std::move(item));
}

void EncodeLoop::run() {
  while (true) {
    auto item = in_.try_pop(0);
    if (item) {
      if (out_.push(handle(std::move(*item))) == flow::Pushed::kClosed) break;
    } else if (in_.ended(0)) {
      break;
    } else {
      in_.wait();
    }
  }
  in_.close();
  out_.end();
}

}  // namespace braid::serve
