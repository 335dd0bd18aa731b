#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "braid/engine/merge_lora.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

namespace braid::serve {

namespace {

struct MergeFiles {
  std::string base, lora, out;
};

int merge(const MergeFiles& files) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const Status merged = engine::merge_lora(files.base, files.lora, files.out, [&](double share) {
    if (terminal) fmt::print(stderr, "\rmerging {:3.0f} %", share * 100);
  });
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (merged) return kDone;
  fmt::print(stderr, "braid: {}\n", merged.error().message);
  return exit_code(merged.error().code);
}

}  // namespace

void add_models(CLI::App& app, Command& run) {
  auto* models = app.add_subcommand("models", "prepare model files");
  models->require_subcommand(1);
  auto* command =
      models->add_subcommand("merge", "fold a LoRA adapter into its base model, as one Q8_0 GGUF");
  auto files = std::make_shared<MergeFiles>();
  command->add_option("BASE", files->base, "GGUF of the base model")->required()->type_name("");
  command->add_option("LORA", files->lora, "GGUF of the adapter")->required()->type_name("");
  command->add_option("OUT", files->out, "GGUF to write")->required()->type_name("");
  command->callback([files, &run] { run = [files] { return merge(*files); }; });
}

}  // namespace braid::serve
