#include "server/remembering.h"

#include <memory>
#include <mutex>
#include <utility>

#include "memory/session_memory.h"

namespace braid::serve {

namespace {

/// About a hundred pictures of the default model; what waits in the window costs nothing more.
constexpr std::size_t kNoteBytes = 8U << 20;

/// What one session's threads share. Session time 0 is known when they run.
class Remembering {
 public:
  Remembering(std::shared_ptr<Memories::One> memory, const LiveSession& live, SessionTime resumed_at)
      : memory_(std::move(memory)),
        live_(live),
        session_(memory_->memory(), {.session = live.id(), .resumed_at = resumed_at}) {}

  void on_event(const deliver::Event& event) {
    if (std::holds_alternative<AnswerDelta>(event)) return;
    begin();
    session_.on_event(event);
    memory_->tell_trouble();
  }
  void recall(Question& question) {
    begin();
    session_.recall(question);
  }

 private:
  void begin() {
    std::call_once(begun_, [this] { session_.begin(live_.began()); });
  }

  const std::shared_ptr<Memories::One> memory_;
  const LiveSession& live_;
  SessionMemory session_;
  std::once_flag begun_;
};

}  // namespace

void remember(Memories& memories, LiveSession& live, SessionOptions& options, SessionTime resumed_at) {
  auto memory = memories.of(live.owner());
  if (!memory) return;
  auto remembering = std::make_shared<Remembering>(std::move(*memory), live, resumed_at);
  options.note_bytes = kNoteBytes;
  options.recall = [remembering](Question& question) { remembering->recall(question); };
  live.listen([remembering](const deliver::Event& event) { remembering->on_event(event); });
}

}  // namespace braid::serve
