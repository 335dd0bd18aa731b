#include "session/encode_loop.h"

#include <utility>

namespace braid::serve {

EngineInput EncodeLoop::handle(sync::Timed item) {
  return std::visit(
      [this]<class Item>(Item&& value) -> EngineInput {
        using Plain = std::decay_t<Item>;
        if constexpr (std::is_same_v<Plain, Question>) value.trace.enter(Stage::kPrefillQueue, clock_.now());
        if constexpr (requires { maker_.make(std::forward<Item>(value)); })
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
