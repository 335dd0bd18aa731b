#include "pipeline/triggers.h"

#include <utility>

#include "pipeline/stage_text.h"

namespace braid::serve {

namespace {

bool holds(const StageTrigger& trigger, const std::string& value) {
  const auto number = number_in(value);
  if (trigger.above) return number && *number > *trigger.above;
  if (trigger.below) return number && *number < *trigger.below;
  if (!trigger.equals) return true;
  const auto wanted = number_in(*trigger.equals);
  return value == *trigger.equals || (number && wanted && *number == *wanted);
}

bool is_limit(const StageTrigger& trigger) { return trigger.above || trigger.below || trigger.equals; }

}  // namespace

/// Whether it holds now and didn't before.
bool Triggers::becomes(std::size_t stage, const std::string& source, const std::string& channel, bool now) {
  return !std::exchange(before_[{stage, source, channel}], now) && now;
}

/// Of each stage that waits for such an event of that source: what `matches` makes of it.
template <class Matches>
std::vector<Happened> Triggers::all(const std::string& source, StageEvent event, Matches matches) {
  std::vector<Happened> happened;
  for (std::size_t stage = 0; stage < plan_.stages.size(); ++stage) {
    const auto& trigger = plan_.stages[stage].trigger_on;
    if (!trigger || !trigger->stage.empty()) continue;
    if (!trigger->source.empty() && trigger->source != source) continue;
    if (trigger->event && *trigger->event != event) continue;
    matches(stage, *trigger, happened);
  }
  return happened;
}

std::vector<Happened> Triggers::at(const sync::Timed& item, const std::string& source) {
  if (const auto* reading = std::get_if<Reading>(&item))
    return all(source, StageEvent::kReading,
               [&](std::size_t stage, const StageTrigger& trigger, auto& happened) {
                 if (!trigger.contains.empty()) return;
                 if (trigger.channel.empty()) happened.push_back({stage, reading->at, source, {}, {}, {}});
                 for (const auto& [channel, value] : reading->values) {
                   if (trigger.channel.empty() || channel != trigger.channel) continue;
                   const bool now = holds(trigger, value);
                   if (is_limit(trigger) ? becomes(stage, source, channel, now) : now)
                     happened.push_back({stage, reading->at, source, channel, value, {}});
                 }
               });
  if (const auto* line = std::get_if<TextLine>(&item))
    return all(source, StageEvent::kLine,
               [&](std::size_t stage, const StageTrigger& trigger, auto& happened) {
                 if (!trigger.channel.empty()) return;
                 if (trigger.contains.empty() || has_phrase(line->text, trigger.contains))
                   happened.push_back({stage, line->start, source, {}, {}, line->text});
               });
  const auto plain = [&](StageEvent event, SessionTime at) {
    return all(source, event, [&](std::size_t stage, const StageTrigger& trigger, auto& happened) {
      if (trigger.event) happened.push_back({stage, at, source, {}, {}, {}});
    });
  };
  if (const auto* utterance = std::get_if<Utterance>(&item))
    return plain(StageEvent::kUtterance, utterance->end);
  const auto* frame = std::get_if<Frame>(&item);
  if (!frame) return {};
  std::vector<Happened> happened = plain(StageEvent::kFrame, frame->captured);
  if (!frame->scene_change) return happened;
  for (Happened& one : plain(StageEvent::kSceneChange, frame->captured)) happened.push_back(std::move(one));
  return happened;
}

std::vector<Happened> Triggers::at(const deliver::Note& note) {
  return all(note.source, StageEvent::kNote,
             [&](std::size_t stage, const StageTrigger& trigger, auto& happened) {
               if (!trigger.channel.empty()) return;
               const bool now = trigger.contains.empty() || has_phrase(note.text, trigger.contains);
               // What a camera goes on showing has appeared once.
               const bool anew = trigger.contains.empty() || note.modality != Modality::kVision
                                     ? now
                                     : becomes(stage, note.source, {}, now);
               if (anew) happened.push_back({stage, note.end, note.source, {}, {}, note.text});
             });
}

}  // namespace braid::serve
