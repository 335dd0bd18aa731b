#include "braid/deliver/json_writer.h"

#include <utility>

#include "braid/deliver/finish.h"
#include "json_objects.h"
#include "output.h"

namespace braid::deliver {

namespace {

/// Where lines go, in one part or several.
class Lines {
 public:
  virtual ~Lines() = default;
  virtual void part(std::string text) = 0;
  virtual void end(std::string text) = 0;
  virtual Status status() const = 0;
};

class FileLines final : public Lines {
 public:
  explicit FileLines(std::FILE* file) : output_(file) {}
  void part(std::string text) override { output_.write(text); }
  void end(std::string text) override { output_.write(text + '\n'); }
  Status status() const override { return output_.status(); }

 private:
  Output output_;
};

class CallLines final : public Lines {
 public:
  explicit CallLines(std::function<void(const std::string&)> out) : out_(std::move(out)) {}
  void part(std::string text) override { line_ += text; }
  void end(std::string text) override { out_(std::exchange(line_, {}) + text); }
  Status status() const override { return {}; }

 private:
  std::function<void(const std::string&)> out_;
  std::string line_;
};

class JsonWriter final : public Writer {
 public:
  JsonWriter(std::unique_ptr<Lines> lines, Clock& clock, JsonOptions options)
      : lines_(std::move(lines)), clock_(clock), options_(options) {}

  void on_event(const Event& event) override {
    std::visit([this](const auto& one) { write(one); }, event);
  }
  Status status() const override { return lines_->status(); }

 private:
  void write(const Perceived& perceived) {
    totals_.perceived += static_cast<std::uint64_t>(perceived.tokens);
    if (perceived.kept) totals_.kept += static_cast<std::uint64_t>(perceived.tokens);
    lines_->end(json_of(perceived));
  }
  void write(const Progress& progress) {
    const SteadyTime now = clock_.now();
    if (last_progress_ && now - *last_progress_ < options_.progress_every) return;
    last_progress_ = now;
    lines_->end(json_of(progress));
  }
  void write(const Note& note) { lines_->end(json_of(note)); }
  void write(const Fault& fault) { lines_->end(json_of(fault)); }
  void write(const Notice& notice) { lines_->end(json_of(notice)); }
  void write(const PipelineEvent& event) { lines_->end(json_of(event)); }
  void write(const Summary& summary) { lines_->end(json_of(summary)); }
  void write(const AnswerBegin& begin) {
    if (options_.deltas) lines_->end(json_of(begin));
  }
  void write(const AnswerDelta& delta) {
    if (options_.deltas) lines_->end(json_of(delta));
  }
  void write(const Answer& answer) {
    JsonLine line = open_answer(answer);
    lines_->part(line.take());
    Answer finished = answer;
    finish_answer(finished, clock_.now());
    close_answer(line, finished, totals_);
    lines_->end(line.close());
  }

  std::unique_ptr<Lines> lines_;
  Clock& clock_;
  JsonOptions options_;
  TokenTotals totals_;
  std::optional<SteadyTime> last_progress_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(std::FILE* out, Clock& clock, JsonOptions options) {
  return std::make_unique<JsonWriter>(std::make_unique<FileLines>(out), clock, options);
}

std::unique_ptr<Writer> make_json_writer(std::function<void(const std::string&)> out, Clock& clock,
                                         JsonOptions options) {
  return std::make_unique<JsonWriter>(std::make_unique<CallLines>(std::move(out)), clock, options);
}

}  // namespace braid::deliver
