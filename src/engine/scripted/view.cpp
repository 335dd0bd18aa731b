#include "scripted/view.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace braid::engine::scripted {

namespace {

// Rows of one medium that stand together.
struct Run {
  MediumRow first;
  int rows = 0;
};

Run run_at(const CellStore::Held& cells, std::size_t at) {
  Run run{std::get<MediumRow>(cells[at]->content), 1};
  for (std::size_t i = at + 1; i < cells.size(); ++i) {
    const auto* row = std::get_if<MediumRow>(&cells[i]->content);
    if (!row || row->instance != run.first.instance || row->row != run.first.row + run.rows) break;
    ++run.rows;
  }
  return run;
}

std::string name_of(const Run& run, const LabelTable& labels) {
  const std::string label = labels.text(run.first.label);
  return run.rows == run.first.rows ? label : fmt::format("part of {}", label);
}

// "[12.4s]..." or "[12.0-13.6s]...": what follows the time; npos: no chunk.
std::size_t after_time(const std::string& line) {
  if (line.size() < 2 || line[0] != '[') return std::string::npos;
  const std::size_t end = line.find_first_not_of("0123456789.-", 1);
  if (end == std::string::npos || end == 1 || line.compare(end, 2, "s]") != 0) return std::string::npos;
  return end + 2;
}

class Reader {
 public:
  Reader(const Vocabulary& vocabulary, const LabelTable& labels) : vocabulary_(vocabulary), labels_(labels) {}

  void medium(const Run& run) {
    auto& list = run.first.modality == Modality::kVision ? view_.seen : view_.heard;
    list.push_back(name_of(run, labels_));
    view_.last = list.back();
    line_has_medium_ = true;
  }

  void token(Token token) {
    switch (token) {
      case kUser:
        return begin_turn();
      case kAnswer:
        return begin_answer();
      case kEnd:
        return end_part();
      case kBegin:
      case kImage:
      case kImageEnd:
      case kSound:
      case kSoundEnd:
        return;
      default:
        break;
    }
    if (view_.answering) ++view_.answered;
    const std::string piece = vocabulary_.piece(token);
    for (const char c : piece) {
      if (c == '\n' && !view_.answering)
        end_line();
      else
        line_ += c;
    }
  }

  View take() { return std::move(view_); }

 private:
  void begin_turn() {
    end_part();
    view_.question.clear();
  }
  void begin_answer() {
    end_part();
    view_.answering = true;
    view_.answered = 0;
  }
  void end_part() {
    if (std::exchange(view_.answering, false)) {
      view_.said.push_back(std::exchange(line_, {}));
      return;
    }
    end_line();
  }
  void end_line() {
    const std::string line = std::exchange(line_, {});
    const bool has_medium = std::exchange(line_has_medium_, false);
    const std::size_t content = after_time(line);
    if (content != std::string::npos) {
      view_.question.clear();
      const std::size_t text = line.find_first_not_of(' ', content);
      if (has_medium || text == std::string::npos) return;
      view_.last = line.substr(text);
      view_.read.push_back(view_.last);
    } else if (!line.empty()) {
      view_.question += (view_.question.empty() ? "" : "\n") + line;
    }
  }

  const Vocabulary& vocabulary_;
  const LabelTable& labels_;
  View view_;
  std::string line_;
  bool line_has_medium_ = false;
};

std::string join(const std::vector<std::string>& items) {
  if (items.empty()) return "nothing";
  std::string joined = items[0];
  for (std::size_t i = 1; i < items.size(); ++i) joined += ", " + items[i];
  return joined;
}

std::string fill(const std::string& pattern, const View& view) {
  const std::array<std::pair<std::string_view, std::string>, 6> values = {{
      {"{seen}", join(view.seen)},
      {"{heard}", join(view.heard)},
      {"{read}", join(view.read)},
      {"{said}", join(view.said)},
      {"{question}", view.question},
      {"{last}", view.last.empty() ? "nothing" : view.last},
  }};
  std::string out;
  for (std::size_t i = 0; i < pattern.size();) {
    const std::string_view rest = std::string_view(pattern).substr(i);
    std::size_t taken = 0;
    for (const auto& [name, value] : values)
      if (rest.starts_with(name)) {
        out += value;
        taken = name.size();
      }
    if (taken == 0) out += pattern[i];
    i += std::max<std::size_t>(taken, 1);
  }
  return out;
}

}  // namespace

View read_cells(const CellStore::Held& cells, const Vocabulary& vocabulary, const LabelTable& labels) {
  Reader reader(vocabulary, labels);
  for (std::size_t i = 0; i < cells.size();) {
    if (const auto* token = std::get_if<Token>(&cells[i]->content)) {
      reader.token(*token);
      ++i;
      continue;
    }
    const Run run = run_at(cells, i);
    reader.medium(run);
    i += static_cast<std::size_t>(run.rows);
  }
  View view = reader.take();
  // A question that was spoken: the last utterance.
  if (view.question.empty() && !view.heard.empty()) view.question = view.heard.back();
  return view;
}

std::string answer_to(const View& view, std::span<const AnswerRule> rules) {
  for (const AnswerRule& rule : rules)
    if (view.question.find(rule.question_contains) != std::string::npos) return fill(rule.answer, view);
  return fill("I see {seen}. I hear {heard}.", view);
}

std::string render(const CellStore::Held& cells, const Vocabulary& vocabulary, const LabelTable& labels) {
  std::string text;
  for (std::size_t i = 0; i < cells.size();) {
    if (const auto* token = std::get_if<Token>(&cells[i]->content)) {
      text += *token >= kBegin && *token < kFirstWord ? control_text(*token) : vocabulary.piece(*token);
      ++i;
      continue;
    }
    const Run run = run_at(cells, i);
    text += fmt::format("{{{}}}", name_of(run, labels));
    i += static_cast<std::size_t>(run.rows);
  }
  return text;
}

}  // namespace braid::engine::scripted
