#include "braid/deliver/text_writer.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "braid/deliver/finish.h"
#include "output.h"
#include "progress_bar.h"
#include "stage_line.h"

namespace braid::deliver {

namespace {

bool wants_colour(const Output& output) {
  const char* no_colour = std::getenv("NO_COLOR");
  return output.is_terminal() && (!no_colour || *no_colour == '\0');
}

class TextWriter final : public Writer {
 public:
  TextWriter(std::FILE* out, std::FILE* err, Clock& clock, TextOptions options)
      : out_(out),
        err_(err),
        clock_(clock),
        options_(options),
        bar_(err_, clock, options.progress && !options.quiet && !options.typed),
        colour_(wants_colour(out_)),
        error_colour_(wants_colour(err_)) {}

  void on_event(const Event& event) override {
    std::visit([this](const auto& one) { write(one); }, event);
  }
  Status status() const override { return out_.status(); }

 private:
  // An answer of which not all is written yet.
  struct Open {
    std::string pending;  // text that waits for its line to be whole
    bool cut = false;     // its streamed line was ended by another answer
  };

  void write(const Perceived&) {}
  void write(const Note&) {}
  void write(const Progress& progress);
  void write(const Fault& fault);
  void write(const Notice& notice);
  void write(const AnswerBegin& begin);
  void write(const AnswerDelta& delta);
  void write(const Answer& answer);
  void write(const PipelineEvent& event);
  void write(const Summary& summary) {
    if (!options_.quiet) print(dim(summary_line(summary)) + "\n");
  }
  void write_quietly(const Answer& answer);

  void stream(const std::string& text);
  void write_whole_lines(QuestionId id, Open& open, bool last);
  void end_line();
  void print(std::string_view text) {
    bar_.clear();
    out_.write(text);
  }
  static std::string tag(QuestionId id) { return fmt::format("#{} ", id.value); }
  std::string dim(std::string text) const { return colour_ ? "\033[2m" + std::move(text) + "\033[0m" : text; }
  std::string bold(std::string text) const {
    return colour_ ? "\033[1m" + std::move(text) + "\033[0m" : text;
  }

  Output out_;
  Output err_;
  Clock& clock_;
  const TextOptions options_;
  ProgressBar bar_;
  const bool colour_;
  const bool error_colour_;
  std::map<QuestionId, Open> open_;
  bool tagged_ = false;    // several were open since none was: whole lines, numbered
  bool mid_line_ = false;  // a streamed answer's line isn't ended
};

void TextWriter::end_line() {
  if (std::exchange(mid_line_, false)) print("\n");
}

void TextWriter::write(const Progress& progress) {
  if (!mid_line_) bar_.show(progress);
  if (!progress.ended || !options_.typed || options_.quiet) return;
  end_line();
  err_.write(fmt::format("all {:.1f} s seen; type a question, Ctrl-D ends\n", to_seconds(progress.at)));
}

std::string place(const std::string& source, std::optional<SessionTime> at) {
  std::string where = source.empty() ? "" : printable(source) + ": ";
  if (at) where += fmt::format("at {:.1f}s: ", to_seconds(*at));
  return where;
}

void TextWriter::write(const Notice& notice) {
  if (options_.quiet) return;
  end_line();
  bar_.clear();
  err_.write(fmt::format("braid: note: {}{}\n", place(notice.source, notice.at), printable(notice.message)));
}

void TextWriter::write(const Fault& fault) {
  end_line();
  bar_.clear();
  const std::string text = fmt::format("braid: {}{} ({})", place(fault.source, fault.at),
                                       printable(fault.error.message), to_string(fault.error.code));
  err_.write((error_colour_ ? "\033[31m" + text + "\033[0m" : text) + "\n");
}

void TextWriter::write(const PipelineEvent& event) {
  if (options_.quiet) return;
  end_line();
  bar_.clear();
  std::string what = event.channel.empty() ? event.text : fmt::format("{} {}", event.channel, event.value);
  if (event.error) what = fmt::format("{} ({})", event.error->message, to_string(event.error->code));
  // An answer is on its way to the same eyes already.
  std::size_t members = 0;
  for (const PipelineStream& stream : event.streams) members += stream.count;
  print(dim(fmt::format("[{:.3f}s] {}: {}{}{} {:.0f} ms after it came\n", to_seconds(event.at),
                        printable(event.stage), printable(what), what.empty() ? "" : "; ",
                        event.from ? fmt::format("{} gathered,", members) : event.action,
                        to_ms(event.since_trigger))));
  if (event.action == "retrieve" || event.action == "gather")
    for (const Evidence& one : event.evidence)
      print(dim(printable(fmt::format("  {} {}: {}", one.time, one.source, one.text))) + "\n");
  for (const std::string& file : event.files) print(dim("  " + printable(file)) + "\n");
}

void TextWriter::write(const AnswerBegin& begin) {
  if (options_.quiet) return;
  for (auto& [id, open] : open_) open.cut = open.cut || mid_line_;  // one is open while lines are streamed
  end_line();
  if (!open_.empty()) tagged_ = true;
  open_.try_emplace(begin.id);
  const std::string heading = fmt::format("{}[{:.1f}s]", tag(begin.id), to_seconds(begin.asked_at));
  // Whoever typed it has it before their eyes.
  mid_line_ = options_.typed && !tagged_;
  print(bold(mid_line_ ? heading : heading + " " + printable(begin.question)) + (mid_line_ ? " " : "\n"));
}

void TextWriter::stream(const std::string& text) {
  if (text.empty()) return;
  mid_line_ = text.back() != '\n';
  print(text);
}

void TextWriter::write_whole_lines(QuestionId id, Open& open, bool last) {
  if (last && !open.pending.empty() && open.pending.back() != '\n') open.pending += '\n';
  for (std::size_t end; (end = open.pending.find('\n')) != std::string::npos;) {
    const char* more = std::exchange(open.cut, false) ? "… " : "";
    print((tagged_ ? tag(id) : "") + more + open.pending.substr(0, end + 1));
    open.pending.erase(0, end + 1);
  }
}

void TextWriter::write(const AnswerDelta& delta) {
  if (options_.quiet) return;
  Open& open = open_[delta.id];
  if (!tagged_) return stream(printable(delta.text));
  open.pending += printable(delta.text);
  write_whole_lines(delta.id, open, false);
}

void TextWriter::write_quietly(const Answer& answer) {
  if (!answer.text.empty()) print(printable(answer.text) + "\n");
  if (answer.error)
    err_.write(fmt::format("braid: {}: {} ({})\n", printable(answer.question),
                           printable(answer.error->message), to_string(answer.error->code)));
}

void TextWriter::write(const Answer& answer) {
  if (options_.quiet) return write_quietly(answer);
  if (!open_.contains(answer.id)) write(AnswerBegin{answer.id, answer.question, answer.asked_at});
  write_whole_lines(answer.id, open_[answer.id], true);
  end_line();
  // What the reader waited for is on the terminal now; the line about it is not part of it.
  Answer finished = answer;
  finish_answer(finished, clock_.now());
  print(dim("  " + tag(answer.id) + stage_line(finished)) + "\n");
  open_.erase(answer.id);
  if (open_.empty()) tagged_ = false;
}

}  // namespace

std::unique_ptr<Writer> make_text_writer(std::FILE* out, std::FILE* err, Clock& clock, TextOptions options) {
  return std::make_unique<TextWriter>(out, err, clock, options);
}

}  // namespace braid::deliver
