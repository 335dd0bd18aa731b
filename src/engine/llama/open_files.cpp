// Options and files, looked at before llama.cpp sees them.

#include <fmt/format.h>

#include "encoder_check.h"
#include "load.h"

namespace braid::engine::llama {

namespace {

Status check_options(const LlamaOptions& options) {
  const auto in = [](int value, int low, int high) { return value >= low && value <= high; };
  if (options.model.empty()) return fail(ErrorCode::kUsage, "no model given; -m MODEL names its GGUF file");
  if (!in(options.max_sequences, 1, 256))
    return fail(ErrorCode::kUsage, fmt::format("max_sequences is {}; must be 1..256", options.max_sequences));
  if (!in(options.threads, 0, GGML_MAX_N_THREADS))
    return fail(ErrorCode::kUsage,
                fmt::format("threads is {}; must be 0..{}", options.threads, GGML_MAX_N_THREADS));
  if (!in(options.max_step_rows, 1, options.cells) || options.cells > 1 << 22)
    return fail(ErrorCode::kUsage,
                fmt::format("cells is {} and max_step_rows {}; must be 1 <= rows <= cells <= {}",
                            options.cells, options.max_step_rows, 1 << 22));
  return {};
}

Result<GgufFile> open_model(const LlamaOptions& options) {
  auto file = GgufFile::open(options.model, "model");
  if (!file) return file;
  if (file->is_encoder())
    return fail(
        ErrorCode::kMismatch,
        fmt::format("'{}' is an mmproj; give it as --mmproj and its language model as -m", options.model));
  if (file->is_adapter())
    return fail(ErrorCode::kMismatch,
                fmt::format("'{}' is an adapter; give it as --lora and its base model as -m", options.model));
  if (const auto tokenizer = file->text("tokenizer.ggml.model"); !tokenizer || *tokenizer == "none")
    return fail(ErrorCode::kUnsupported,
                fmt::format("'{}' has no tokenizer; a model with one is needed", options.model));
  return file;
}

Status check_side_files(const LlamaOptions& options) {
  if (!options.mmproj.empty()) {
    const auto file = GgufFile::open(options.mmproj, "mmproj");
    if (!file) return tl::unexpected(file.error());
    if (!file->is_encoder())
      return fail(ErrorCode::kMismatch,
                  fmt::format("'{}' is no mmproj (its architecture is '{}', not 'clip')", options.mmproj,
                              file->architecture()));
    if (auto ok = check_encoder_tensors(*file); !ok) return ok;
  }
  if (!options.lora.empty()) {
    const auto file = GgufFile::open(options.lora, "adapter");
    if (!file) return tl::unexpected(file.error());
    if (!file->is_adapter())
      return fail(ErrorCode::kMismatch, fmt::format("'{}' is no LoRA adapter", options.lora));
  }
  return {};
}

}  // namespace

Result<GgufFile> open_model_files(const LlamaOptions& options) {
  if (auto ok = check_options(options); !ok) return tl::unexpected(ok.error());
  auto file = open_model(options);
  if (!file) return file;
  if (auto ok = check_side_files(options); !ok) return tl::unexpected(ok.error());
  return file;
}

}  // namespace braid::engine::llama
