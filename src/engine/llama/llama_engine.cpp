#include "braid/engine/llama_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "asserts.h"
#include "braid/base/log.h"
#include "braid/tensor/slot_pool.h"
#include "cpu.h"
#include "load.h"
#include "logging.h"
#include "text.h"

namespace braid::engine {

namespace {

using namespace llama;

std::string device_name(const LlamaOptions& options) {
  if (runs_on_gpu(options))
    for (std::size_t i = 0; i < ggml_backend_dev_count(); ++i) {
      ggml_backend_dev_t device = ggml_backend_dev_get(i);
      if (ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_GPU)
        return ggml_backend_dev_description(device);
    }
  const int threads = threads_for(options);
  return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
}

/// The longer side that loses nothing the encoder would see: four times its nominal picture.
int max_frame_side(const LlamaOptions& options) {
  const auto file = GgufFile::open(options.mmproj, "mmproj");
  const auto side = file ? file->integer("clip.vision.image_size") : std::nullopt;
  return side ? static_cast<int>(std::clamp<std::int64_t>(*side * 4, 1024, 8192)) : 0;
}

EngineInfo describe(const LlamaOptions& options, const GgufFile& file, const LlamaDecoder& decoder,
                    const LlamaEncoder* encoder) {
  const llama_model* model = llama_get_model(decoder.context());
  EngineInfo info;
  info.name = file.text("general.name").value_or(std::filesystem::path(options.model).filename().string());
  info.family = file.architecture();
  info.device = device_name(options);
  info.on_gpu = runs_on_gpu(options);
  info.dim = llama_model_n_embd_inp(model);
  info.vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
  info.trained_context = llama_model_n_ctx_train(model);
  info.cells = static_cast<int>(llama_n_ctx(decoder.context()));
  info.max_sequences = options.max_sequences;
  info.max_step_rows = options.max_step_rows;
  info.one_pass = decoder.one_pass();
  info.can_hide_ranges = info.can_forget = decoder.can_hide_ranges();
  if (!encoder) return info;
  info.sees = encoder->sees();
  info.hears = encoder->hears();
  if (info.hears) info.audio_sample_rate = encoder->sample_rate();
  if (info.sees) info.max_frame_side = max_frame_side(options);
  info.indivisible_media = info.sees && encoder->indivisible_media();
  return info;
}

void prove_one_pass(const GgufFile& file, LlamaDecoder& decoder) {
  const llama_model* model = llama_get_model(decoder.context());
  auto table = TokenTable::open(file, llama_vocab_n_tokens(llama_model_get_vocab(model)));
  if (table && tokens_equal_rows(decoder.context(), *table))
    decoder.use_table(std::move(*table));
  else
    log(LogLevel::kDebug, "tokens and embeddings take two passes with this model");
}

/// One step of each common shape and one encode of each sense, so that the first real ones are like all
/// others.
Status warm_up(const EngineInfo& info, LlamaDecoder& decoder, LlamaEncoder* encoder) {
  for (const int rows : {1, 16, 64}) {
    StepPlan plan;
    for (int i = 0; i < std::min(rows, info.max_step_rows); ++i)
      plan.rows.push_back({.sequence = SequenceId{0},
                           .position = i,
                           .y = i,
                           .x = i,
                           .token = 0,
                           .wants_logits = i == 0,
                           .kind = RowKind::kPerception});
    const auto result = decoder.step(plan);
    decoder.free(SequenceId{0});
    if (!result) return tl::unexpected(result.error());
  }
  decoder.reset_counters();
  if (encoder) return encoder->warm_up();
  return {};
}

Result<Engine> load(const LlamaOptions& options) {
  if (auto ok = check_cpu(); !ok) return tl::unexpected(ok.error());
  route_logs();
  const auto file = open_model_files(options);
  if (!file) return tl::unexpected(file.error());

  auto model = load_model(options, *file);
  if (!model) return tl::unexpected(model.error());
  auto decoder = make_decoder(options, *model);
  if (!decoder) return tl::unexpected(decoder.error());
  std::unique_ptr<LlamaEncoder> encoder;
  if (!options.mmproj.empty()) {
    auto made = make_encoder(options, *model);
    if (!made) return tl::unexpected(made.error());
    encoder = std::move(*made);
  }
  prove_one_pass(*file, **decoder);
  if (options.deterministic && !repeats_bit_for_bit((*decoder)->context()))
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} gives other bits for the same step; deterministic runs need "
                            "a CPU",
                            device_name(options)));

  Engine engine;
  engine.info = describe(options, *file, **decoder, encoder.get());
  if (auto ok = warm_up(engine.info, **decoder, encoder.get()); !ok) return tl::unexpected(ok.error());
  engine.tokenizer = std::make_unique<LlamaTokenizer>(*model, options.system);
  engine.decoder = std::move(*decoder);
  engine.encoder = std::move(encoder);
  return engine;
}

}  // namespace

Result<Engine> load_llama(const LlamaOptions& options) {
  return without_asserts<Engine>(
      options.mmproj.empty() ? options.model : options.model + "' or '" + options.mmproj,
      [&] { return load(options); });
}

}  // namespace braid::engine
