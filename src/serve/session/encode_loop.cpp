#include "session/encode_loop.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

constexpr const char* kSuperseded = "superseded";

}  // namespace

EngineInput encode_item(encode::ChunkMaker& maker, sync::Timed item) {
  return std::visit(
      [&]<class Item>(Item&& value) -> EngineInput {
        if constexpr (requires { maker.make(std::forward<Item>(value)); })
          return maker.make(std::forward<Item>(value));
        else
          return std::forward<Item>(value);
      },
      std::move(item));
}

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
  return maker_.pass_over(std::move(frame), kSuperseded);
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
  if (auto* frame = std::get_if<Frame>(&item)) return handle(std::move(*frame));
  if (auto* question = std::get_if<Question>(&item)) return handle(std::move(*question));
  return encode_item(maker_, std::move(item));
}

EngineInput EncodeLoop::noted(sync::Timed item) {
  if (!log_) return handle(std::move(item));
  Handled handled;
  handled.item = key_of(item);
  EngineInput made = handle(std::move(item));
  if (const auto* encoded = std::get_if<encode::Encoded>(&made)) {
    handled = handled_as(handled.item, *encoded);
    handled.passed_over = encoded->reason == kSuperseded;
  }
  log_->note(handled);
  return made;
}

void EncodeLoop::run() {
  while (true) {
    auto item = in_.try_pop(0);
    if (item) {
      if (out_.push(noted(std::move(*item))) == flow::Pushed::kClosed) break;
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
