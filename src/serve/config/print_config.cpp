#include <fmt/format.h>

#include <type_traits>

#include "config/config.h"
#include "config/config_keys.h"

namespace braid::serve {

namespace {

/// A basic TOML string.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string value(std::string_view, bool on) { return on ? "true" : "false"; }
std::string value(std::string_view, const std::string& text) { return quoted(text); }
std::string value(std::string_view, const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + quoted(text);
  return "[" + out + "]";
}
template <class T>
requires std::is_arithmetic_v<T> std::string value(std::string_view, T number) {
  return fmt::format("{}", number);
}
template <class Rep, class Period>
std::string value(std::string_view key, std::chrono::duration<Rep, Period> span) {
  return fmt::format("{}", static_cast<double>(Nanoseconds(span).count()) / unit_ns(key));
}

class Printer {
 public:
  void table(std::string_view name, std::string_view meaning) {
    out += fmt::format("{}[{}]  # {}\n", out.empty() ? "" : "\n", name, meaning);
  }
  template <class Field>
  void key(std::string_view name, const Field& field, Range, std::string_view meaning) {
    out += fmt::format("{} = {}  # {}\n", name, value(name, field), meaning);
  }
  /// There is no way to write "none" but to leave it out.
  template <class T>
  void key(std::string_view name, const std::optional<T>& field, Range range, std::string_view meaning) {
    if (field) return key(name, *field, range, meaning);
    out += fmt::format("# {} =  # {}\n", name, meaning);
  }

  std::string out;
};

/// What there is none of, as comments.
std::string example(const std::string& text) {
  std::string out = "\n";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    out += line.starts_with('#') ? line + '\n' : "# " + line + '\n';
    at = end + 1;
  }
  return out;
}

std::string source_example() {
  std::string text =
      "[[source]]  # of a session that lives as long as the server\nsource =  # as `braid watch` takes it, "
      "or:\n";
  for (const SourceKey& key : kSourceKeys) text += fmt::format("{} =  # {}\n", key.name, key.meaning);
  return example(text);
}

std::string question_example() {
  Printer printer;
  printer.out = "[[question]]  # asked of that session again and again\n";
  const QuestionChoice none;
  visit_question(none, printer);
  return example(printer.out);
}

}  // namespace

std::string print_config(const ServerConfig& config) {
  Printer printer;
  visit_config(config, printer);
  if (config.sources.empty()) printer.out += source_example();
  if (config.questions.empty()) printer.out += question_example();
  for (const std::string& source : config.sources)
    printer.out += fmt::format("\n[[source]]\nsource = {}\n", quoted(source));
  for (const QuestionChoice& question : config.questions) {
    printer.out += "\n[[question]]\n";
    visit_question(question, printer);
  }
  return printer.out;
}

}  // namespace braid::serve
