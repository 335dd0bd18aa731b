#include "stage_line.h"

#include <fmt/format.h>

#include <cmath>

#include "braid/base/utf8.h"

namespace braid::deliver {

namespace {

std::string stages_text(const StageTimes& stages) {
  std::string text;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    const bool shown = std::abs(to_ms(stages[stage])) >= 0.05 || stage == Stage::kUnattributed;
    if (shown)
      text += fmt::format("{}{} {}", text.empty() ? "" : " · ", to_string(stage), short_ms(stages[stage]));
  }
  return text;
}

std::string ending_text(const Answer& answer) {
  std::string text;
  if (answer.verdict != Verdict::kNone)
    text += fmt::format(" | deadline {} ms {}", answer.deadline ? short_ms(*answer.deadline) : "?",
                        to_string(answer.verdict));
  for (const std::string& rung : answer.degraded) text += fmt::format(" | {}", rung);
  if (answer.finish != FinishReason::kStop) text += fmt::format(" | {}", to_string(answer.finish));
  if (answer.error) text += fmt::format(": {}", printable(answer.error->message));
  return text;
}

std::string plural(std::uint64_t n, std::string_view word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

/// "6 frames, 2 utterances".
std::string contents_text(const WindowInfo& window) {
  std::string text;
  const auto add = [&](int n, std::string_view word) {
    if (n > 0) text += (text.empty() ? "" : ", ") + plural(static_cast<std::uint64_t>(n), word);
  };
  add(window.frames, "frame");
  add(window.utterances, "utterance");
  add(window.lines, "line");
  add(window.readings, "reading");
  return text;
}

}  // namespace

std::string short_ms(Nanoseconds span) {
  const double ms = to_ms(span);
  if (std::abs(ms) >= 9.95) return fmt::format("{:.0f}", ms);
  const std::string text = fmt::format("{:.1f}", ms);
  if (text == "-0.0") return "0";
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string stage_line(const Answer& answer) {
  std::string text;
  if (answer.first_token) text += fmt::format("ttft {} ms · ", short_ms(*answer.first_token - answer.asked));
  text += fmt::format("wall {} ms", short_ms(answer.stages.sum()));
  if (answer.freshness) text += fmt::format(" · fresh {} ms", short_ms(*answer.freshness));
  text += fmt::format(" | {}", stages_text(answer.stages));
  if (answer.window.chunks > 0)
    text += fmt::format(" | {} in {} tokens, {:.1f}-{:.1f}s", contents_text(answer.window),
                        answer.window.tokens, to_seconds(answer.window.from), to_seconds(answer.window.to));
  return text + ending_text(answer);
}

std::string summary_line(const Summary& summary) {
  std::string text =
      fmt::format("{} {:.1f} s in {:.1f} s: {} of {} kept", summary.interrupted ? "interrupted;" : "watched",
                  to_seconds(summary.end), to_seconds(summary.wall), summary.frames_kept,
                  plural(summary.frames_sampled, "frame"));
  const auto add = [&](std::uint64_t n, std::string_view word) {
    if (n > 0) text += fmt::format(", {}", plural(n, word));
  };
  add(summary.utterances, "utterance");
  add(summary.readings, "reading");
  add(summary.lines, "line");
  add(summary.answers, "answer");
  add(summary.errors, "error");
  add(summary.turn_overs, "turn-over");
  if (summary.notes > 0) {
    add(summary.notes, "note");
    text += fmt::format(" at most {:.1f} s behind", to_seconds(summary.notes_behind));
  }
  if (summary.notes_passed_over > 0) text += fmt::format(" ({} passed over)", summary.notes_passed_over);
  text += fmt::format("; {} of {} tokens kept", summary.tokens_kept, summary.tokens_perceived);
  const char* separator = "; dropped: ";
  for (const auto& [reason, count] : summary.drops) {
    text += fmt::format("{}{} {}", separator, reason, count);
    separator = ", ";
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string safe;
  const std::string valid = to_valid_utf8(text);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const bool c1 = byte == 0xC2 && static_cast<unsigned char>(valid[i + 1]) < 0xA0;  // U+0080..U+009F
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || c1;
    if (control)
      safe += "\xEF\xBF\xBD";
    else
      safe += valid[i];
    i += c1 ? 1 : 0;
  }
  return safe;
}

}  // namespace braid::deliver
