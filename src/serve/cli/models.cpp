#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "braid/engine/merge_lora.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/say.h"
#include "watch/model_files.h"

namespace braid::serve {

namespace {

struct MergeFiles {
  std::string base, lora, out;
};

int merge(const MergeFiles& files) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const Status merged = engine::merge_lora(files.base, files.lora, files.out, [&](double share) {
    if (terminal) say("\rmerging {:3.0f} %", share * 100);
  });
  if (terminal) say("\r\033[K");
  if (merged) return kDone;
  say("braid: {}\n", merged.error().message);
  return exit_code(merged.error().code);
}

/// One line a file that `braid watch` uses if none is named.
struct Listed {
  const char* role;
  Result<std::string> path;
};

void print_json(const Listed& file, std::uintmax_t bytes) {
  boost::json::object line{{"type", "model"}, {"role", file.role}};
  line["path"] = file.path ? boost::json::value(*file.path) : nullptr;
  line["bytes"] = file.path ? boost::json::value(bytes) : nullptr;
  line["missing"] = file.path ? boost::json::value(nullptr) : boost::json::value(file.path.error().message);
  fmt::print("{}\n", boost::json::serialize(line));
}

int list(bool json) {
  const auto nano = with_default_model({});
  const auto part = [&](std::string ModelChoice::*member) {
    return nano ? Result<std::string>((*nano).*member) : tl::unexpected(nano.error());
  };
  const std::array files = {Listed{"language model", part(&ModelChoice::model)},
                            Listed{"encoders", part(&ModelChoice::mmproj)},
                            Listed{"speech detector", speech_model_file()}};
  for (const Listed& file : files) {
    std::error_code error;
    const std::uintmax_t bytes = file.path ? std::filesystem::file_size(*file.path, error) : 0;
    if (json)
      print_json(file, bytes);
    else if (file.path)
      fmt::print("{:<16} {:>6.1f} MB  {}\n", file.role, static_cast<double>(bytes) / 1e6, *file.path);
    else
      fmt::print("{:<16} missing: {}\n", file.role, file.path.error().message);
  }
  return kDone;
}

}  // namespace

void add_models(CLI::App& app, Command& run) {
  auto* models = app.add_subcommand("models", "list the default model's files, or prepare others");
  models->require_subcommand(0, 1);
  auto json = std::make_shared<bool>(false);
  models->add_flag("--json", *json, "JSON lines: type model, role, path, bytes, missing");
  models->callback([models, json, &run] {
    if (models->get_subcommands().empty()) run = [json] { return list(*json); };
  });
  auto* command =
      models->add_subcommand("merge", "fold a LoRA adapter into its base model, as one Q8_0 GGUF");
  auto files = std::make_shared<MergeFiles>();
  command->add_option("BASE", files->base, "GGUF of the base model")->required()->type_name("");
  command->add_option("LORA", files->lora, "GGUF of the adapter")->required()->type_name("");
  command->add_option("OUT", files->out, "GGUF to write")->required()->type_name("");
  command->callback([files, &run] { run = [files] { return merge(*files); }; });
}

}  // namespace braid::serve
