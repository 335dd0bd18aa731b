#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "braid/engine/merge_lora.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/models.h"
#include "cli/say.h"

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

// CLI11 would keep a reference to what it fills: shared by the flags and the command that runs.
using Flags = std::shared_ptr<ModelFlags>;

void add_list_flags(CLI::App& command, const Flags& flags) {
  command.add_flag("--json", flags->json, "JSON lines: type model, role, path, bytes, family, quantisation");
  command.add_flag("--hash", flags->hash, "each file's SHA-256 too (a second for each few hundred MB)");
}

void add_file_flags(CLI::App& command, const Flags& flags) {
  command.add_option("FILE", flags->files.model, "GGUF to look at; default: the default model")
      ->type_name("");
  command.add_option("--mmproj", flags->files.mmproj, "GGUF of the encoders that belong to it")
      ->type_name("FILE");
  command.add_option("--window", flags->window, "rows of KV cache to reckon with")
      ->check(CLI::Range(64, 1 << 22))
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--json", flags->json, "one JSON object; docs/models.md lists its fields");
}

void add_list(CLI::App& models, const Flags& flags, Command& run) {
  add_list_flags(models, flags);
  models.callback([&models, flags, &run] {
    if (models.get_subcommands().empty()) run = [flags] { return list_models(*flags); };
  });
  auto* command = models.add_subcommand("list", "the default model's files, and what else is cached");
  add_list_flags(*command, flags);
  command->callback([flags, &run] { run = [flags] { return list_models(*flags); }; });
}

void add_show(CLI::App& models, const Flags& flags, Command& run) {
  auto* command = models.add_subcommand("show", "what a file is, what it takes in, and the memory it needs");
  add_file_flags(*command, flags);
  command->callback([flags, &run] { run = [flags] { return show_model(*flags); }; });
}

void add_bench(CLI::App& models, const Flags& flags, Command& run) {
  auto* command = models.add_subcommand("bench", "measure a model: prefill, decode, encode");
  add_file_flags(*command, flags);
  command->add_option("-t,--threads", flags->files.threads, "CPU threads; 0: all this process may use")
      ->check(CLI::Range(0, 512))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--rounds", flags->rounds, "measurements, of which the median is told")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command->callback([flags, &run] { run = [flags] { return bench_model(*flags); }; });
}

}  // namespace

void add_models(CLI::App& app, Command& run) {
  auto* models =
      app.add_subcommand("models", "list model files, look at one, measure it, or merge an adapter");
  models->require_subcommand(0, 1);
  models->footer(
      "Examples:\n"
      "  braid models show model.gguf --mmproj mmproj.gguf --window 8192\n"
      "  braid models bench model.gguf --json\n"
      "What families can do, and what each number means: docs/models.md.");
  auto flags = std::make_shared<ModelFlags>();
  add_list(*models, flags, run);
  add_show(*models, flags, run);
  add_bench(*models, flags, run);
  auto* command =
      models->add_subcommand("merge", "fold a LoRA adapter into its base model, as one Q8_0 GGUF");
  auto files = std::make_shared<MergeFiles>();
  command->add_option("BASE", files->base, "GGUF of the base model")->required()->type_name("");
  command->add_option("LORA", files->lora, "GGUF of the adapter")->required()->type_name("");
  command->add_option("OUT", files->out, "GGUF to write")->required()->type_name("");
  command->callback([files, &run] { run = [files] { return merge(*files); }; });
}

}  // namespace braid::serve
