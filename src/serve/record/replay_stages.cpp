#include "record/replay_stages.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace braid::serve {

namespace {

std::string text(const ItemKey& item) {
  constexpr std::array kKinds = {"frame", "utterance", "line", "reading", "question", "damage", "end"};
  const char* kind = item.kind < kKinds.size() ? kKinds[item.kind] : "?";
  const std::string end =
      item.end == SessionTime::max() ? "the end" : fmt::format("{:.3f} s", to_seconds(item.end));
  return fmt::format("{} {} of {:.3f} s to {} ({:08x})", kind, item.owner, to_seconds(item.start), end,
                     item.content);
}

std::string text(const Handled& handled) {
  return fmt::format("{} {} ({}), {} tokens in {} rows", text(handled.item),
                     handled.kept ? "kept" : "dropped", handled.reason, handled.tokens, handled.rows);
}

}  // namespace

tl::unexpected<Error> differs(const char* what, const std::string& recorded, const std::string& now) {
  return fail(ErrorCode::kMismatch, fmt::format("{}: recorded {}; now {}", what, recorded, now));
}

ReplayedSync::ReplayedSync(const Opened& opened, Clock& clock, sync::SpeechDetectorFactory* speech,
                           ReplayReport& report)
    : report_(report), synchronizer_(with_lateness(opened.options), clock, speech, [this](sync::Timed item) {
        made_.push_back(std::move(item));
      }) {
  for (std::size_t i = 0; i < opened.sources.size(); ++i)
    synchronizer_.add_source(SourceId{static_cast<std::int64_t>(i)}, opened.sources[i].streams,
                             opened.sources[i].bounded);
}

void ReplayedSync::take(Arrived&& arrived) {
  synchronizer_.push(arrived.source, std::move(arrived.packet), arrived.arrived);
}

void ReplayedSync::take(const BoundsMoved& moved) {
  for (const sync::Advance& advance : moved.advances) synchronizer_.advance(advance);
}

Status ReplayedSync::compare() {
  for (; !made_.empty() && !told_.empty(); made_.pop_front(), told_.pop_front()) {
    const ItemKey now = key_of(made_.front());
    const LetOut& recorded = told_.front();
    if (now != recorded.item) return differs("windows", text(recorded.item), text(now));
    ++report_.windows;
    auto* question = std::get_if<Question>(&made_.front());
    if (question && recorded.fate == Fate::kRefused) question->max_tokens = 0;
    if (recorded.fate != Fate::kWithheld) out_.push_back(std::move(made_.front()));
  }
  return {};
}

Status ReplayedSync::finished() const {
  if (!told_.empty()) return differs("windows", text(told_.front().item), "nothing");
  if (!made_.empty()) return differs("windows", "nothing", text(key_of(made_.front())));
  return {};
}

ReplayedEncode::ReplayedEncode(const Opened& opened, engine::Engine& engine, engine::DeviceArbiter& arbiter,
                               Clock& clock, ReplayReport& report)
    : report_(report),
      maker_(opened.options.encode, *engine.tokenizer, engine.encoder.get(), arbiter, clock) {
  for (std::size_t i = 0; i < opened.sources.size(); ++i)
    maker_.name_source(SourceId{static_cast<std::int64_t>(i)}, opened.sources[i].name);
}

Status ReplayedEncode::handle(std::deque<sync::Timed>& in) {
  while (!told_.empty()) {
    const Handled& recorded = told_.front();
    // What the full lane dropped was never taken.
    while (!in.empty() && key_of(in.front()) != recorded.item) {
      if (!std::holds_alternative<Frame>(in.front()))
        return differs("filter decisions", text(recorded), text(key_of(in.front())));
      in.pop_front();
      ++report_.dropped;
    }
    if (in.empty()) return {};
    sync::Timed item = std::move(in.front());
    in.pop_front();
    auto made = handle(std::move(item), recorded);
    if (!made) return tl::unexpected(made.error());
    out_.push_back(std::move(*made));
    told_.pop_front();
  }
  return {};
}

Result<EngineInput> ReplayedEncode::handle(sync::Timed item, const Handled& recorded) {
  EngineInput made = recorded.passed_over && std::holds_alternative<Frame>(item)
                         ? EngineInput(maker_.pass_over(std::move(std::get<Frame>(item)), recorded.reason))
                         : encode_item(maker_, std::move(item));
  if (const auto* encoded = std::get_if<encode::Encoded>(&made))
    if (Status same = compare(*encoded, recorded); !same) return tl::unexpected(same.error());
  return made;
}

Status ReplayedEncode::compare(const encode::Encoded& made, const Handled& recorded) {
  const Handled now = handled_as(recorded.item, made);
  const bool same = now.kept == recorded.kept && now.reason == recorded.reason &&
                    now.tokens == recorded.tokens && now.rows == recorded.rows &&
                    now.positions == recorded.positions;
  if (!same) return differs("filter decisions", text(recorded), text(now));
  ++report_.decisions;
  return {};
}

Status ReplayedEncode::finished() const {
  if (!told_.empty()) return differs("filter decisions", text(told_.front()), "nothing");
  return {};
}

}  // namespace braid::serve
