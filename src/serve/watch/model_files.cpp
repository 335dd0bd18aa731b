#include "watch/model_files.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace braid::serve {

namespace {

namespace fs = std::filesystem;

/// Where data files may be: beside an installed binary, then in the source tree this was built from.
std::vector<fs::path> data_directories() {
  std::vector<fs::path> directories;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) directories.push_back(self.parent_path().parent_path() / "share/braid/models");
  directories.emplace_back(BRAID_MODELS_DIR);
  return directories;
}

Result<std::string> find(const std::vector<fs::path>& directories, const std::string& name,
                         const char* cure) {
  std::error_code error;
  for (const fs::path& directory : directories)
    if (fs::exists(directory / name, error)) return (directory / name).string();
  return fail(ErrorCode::kNotFound, fmt::format("{} is missing: {}", name, cure));
}

}  // namespace

std::string cache_directory() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg && *xdg) return std::string(xdg) + "/braid";
  const char* home = std::getenv("HOME");
  return std::string(home && *home ? home : "/root") + "/.cache/braid";
}

Result<ModelChoice> with_default_model(ModelChoice choice) {
  if (!choice.model.empty()) {
    std::error_code error;
    for (const std::string& file : {choice.model, choice.mmproj, choice.lora})
      if (!file.empty() && !fs::exists(file, error))
        return fail(ErrorCode::kNotFound, fmt::format("{}: there is no such file; check the path", file));
    return choice;
  }
  if (!choice.mmproj.empty() || !choice.lora.empty())
    return fail(ErrorCode::kUsage, "--mmproj and --lora belong to a model: name it with -m FILE");
  auto directories = data_directories();
  auto mmproj = find(directories, "nano/mmproj-nano.gguf",
                     "it comes with the source; run from an intact clone or install");
  if (!mmproj) return tl::unexpected(mmproj.error());
  directories.insert(directories.begin(), fs::path(cache_directory()) / "models");
  auto model = find(directories, "nano-q8_0.gguf",
                    "prepare the default model with `make model`, or name one with -m FILE");
  if (!model) return tl::unexpected(model.error());
  choice.model = *model;
  choice.mmproj = *mmproj;
  return choice;
}

Result<std::string> speech_model_file() {
  auto directories = data_directories();
  directories.insert(directories.begin(), fs::path(cache_directory()) / "models");
  return find(directories, "silero_vad_openvino_16k.onnx",
              "fetch it with `make model`, or choose --vad energy or --vad off");
}

Result<std::string> text_model_file() {
  auto directories = data_directories();
  directories.insert(directories.begin(), fs::path(cache_directory()) / "models");
  return find(directories, "all-MiniLM-L6-v2.gguf", "prepare it with `make model`");
}

Result<std::string> turn_model_file() {
  auto directories = data_directories();
  directories.insert(directories.begin(), fs::path(cache_directory()) / "models");
  return find(directories, "smart-turn-v3.2-cpu.onnx", "fetch it with `make model`");
}

}  // namespace braid::serve
