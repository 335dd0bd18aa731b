#include <fmt/format.h>

#include <boost/json.hpp>

#include "braid/engine/model_facts.h"
#include "cli/exit_code.h"
#include "cli/models.h"
#include "cli/say.h"
#include "watch/model_files.h"

namespace braid::serve {

namespace {

using engine::GgufFacts;
using engine::ModelFacts;

int failed(const Error& error) {
  say("braid models: {}\n", error.message);
  return exit_code(error.code);
}

std::string parameters_text(std::uint64_t count) {
  const auto millions = static_cast<double>(count) / 1e6;
  return millions < 1000 ? fmt::format("{:.{}f} M", millions, millions < 10 ? 2 : 0)
                         : fmt::format("{:.1f} G", millions / 1000);
}

std::string line_of(const GgufFacts& facts) {
  return fmt::format("{}, {} parameters, mostly {}, {}", facts.family, parameters_text(facts.parameters),
                     facts.quantisation, megabytes(facts.bytes));
}

void print_line(const char* what, const std::string& text) { fmt::print("{:<10} {}\n", what, text); }

void print_header(const std::string& path, const GgufFacts& facts) {
  print_line("file", path);
  print_line("kind", engine::to_string(facts.kind));
  if (!facts.name.empty()) print_line("name", facts.name);
  print_line("family", line_of(facts));
  if (facts.dim > 0) print_line("size", fmt::format("{} layers, rows of {}", facts.layers, facts.dim));
  if (facts.trained_context > 0) print_line("context", fmt::format("{} positions", facts.trained_context));
}

std::string sound_text(const ModelFacts& facts) {
  std::string rows = fmt::format("{} rows a second", facts.sound_rows);
  if (facts.ten_seconds_rows > facts.sound_rows) return rows;
  return rows +
         fmt::format(", and {} for ten: the encoder always reads its whole length", facts.ten_seconds_rows);
}

void print_facts(const ModelFlags& flags, const ModelFacts& facts) {
  print_header(flags.files.model, facts.model);
  if (facts.encoders.bytes > 0)
    print_line("encoders", fmt::format("{}: {}", flags.files.mmproj, line_of(facts.encoders)));
  print_line("pictures", facts.sees ? fmt::format("{} rows for 640x480{}", facts.picture_rows,
                                                  facts.indivisible_media ? ", in one step of their own" : "")
                                    : "not taken");
  print_line("sound", facts.hears ? sound_text(facts) : "not taken");
  if (!facts.can_hide_ranges)
    print_line("limits", "keeps a state: nothing can be hidden from an answer, requests share no prefixes");
  print_line("memory", fmt::format("{} of weights, mapped from the file", megabytes(facts.weight_bytes)));
  if (facts.encoder_bytes > 0) print_line("", fmt::format("{} of encoders", megabytes(facts.encoder_bytes)));
  print_line("",
             fmt::format("{} of cache for {} rows (--window)", megabytes(facts.cache_bytes), flags.window));
  print_line("", fmt::format("{} of room to compute in", megabytes(facts.work_bytes)));
}

boost::json::object json_of(const std::string& path, const GgufFacts& facts) {
  return {{"path", path},
          {"kind", engine::to_string(facts.kind)},
          {"name", facts.name},
          {"family", facts.family},
          {"quantisation", facts.quantisation},
          {"bytes", facts.bytes},
          {"parameters", facts.parameters},
          {"trained_context", facts.trained_context},
          {"dim", facts.dim},
          {"layers", facts.layers}};
}

boost::json::object json_of(const ModelFlags& flags, const ModelFacts& facts) {
  boost::json::object line = json_of(flags.files.model, facts.model);
  line["encoders"] =
      facts.encoders.bytes > 0 ? boost::json::value(json_of(flags.files.mmproj, facts.encoders)) : nullptr;
  line["sees"] = facts.sees;
  line["hears"] = facts.hears;
  line["can_hide_ranges"] = facts.can_hide_ranges;
  line["indivisible_media"] = facts.indivisible_media;
  line["picture_rows"] = facts.picture_rows;
  line["sound_rows"] = facts.sound_rows;
  line["ten_seconds_rows"] = facts.ten_seconds_rows;
  line["window"] = flags.window;
  line["memory"] = {{"weights", facts.weight_bytes},
                    {"encoders", facts.encoder_bytes},
                    {"cache", facts.cache_bytes},
                    {"work", facts.work_bytes}};
  return line;
}

void print_json(const boost::json::object& line) {
  boost::json::object typed{{"type", "model_facts"}};
  for (const auto& field : line) typed.insert(field);
  fmt::print("{}\n", boost::json::serialize(typed));
}

}  // namespace

std::string megabytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes) / 1e6;
  return fmt::format("{:.{}f} MB", value, value < 100 ? 1 : 0);
}

int show_model(const ModelFlags& asked) {
  ModelFlags flags = asked;
  auto files = with_default_model(flags.files);
  if (!files) return failed(files.error());
  flags.files = *files;
  const auto header = engine::read_gguf(flags.files.model);
  if (!header) return failed(header.error());
  if (header->kind != GgufFacts::Kind::kModel && flags.files.mmproj.empty()) {
    if (flags.json)
      print_json(json_of(flags.files.model, *header));
    else
      print_header(flags.files.model, *header);
    return kDone;
  }
  engine::LlamaOptions options;
  options.model = flags.files.model;
  options.mmproj = flags.files.mmproj;
  options.cells = flags.window;
  options.max_step_rows = std::min(options.max_step_rows, flags.window);
  const auto facts = engine::model_facts(options);
  if (!facts) return failed(facts.error());
  if (flags.json)
    print_json(json_of(flags, *facts));
  else
    print_facts(flags, *facts);
  return kDone;
}

}  // namespace braid::serve
