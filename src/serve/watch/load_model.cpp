#include "watch/load_model.h"

#include "braid/base/log.h"
#include "braid/engine/llama_engine.h"
#include "watch/model_files.h"

namespace braid::serve {

Result<engine::Engine> load_engine(const ModelChoice& choice, const EngineSize& size) {
  auto files = with_default_model(choice);
  if (!files) return tl::unexpected(files.error());
  engine::LlamaOptions llama;
  llama.model = files->model;
  llama.mmproj = files->mmproj;
  llama.lora = files->lora;
  llama.system = files->system;
  llama.threads = files->threads;
  llama.gpu_layers = files->gpu_layers;
  llama.deterministic = size.deterministic;
  llama.cells = size.cells;
  llama.max_sequences = size.max_sequences;
  return engine::load_llama(llama);
}

Result<std::unique_ptr<sync::SpeechDetectorFactory>> load_speech(const std::string& vad,
                                                                 const engine::EngineInfo& model) {
  if (vad == "off" || !model.hears) return nullptr;
  if (vad == "energy") return sync::make_energy_detector();
  auto file = speech_model_file();
  if (!file) return tl::unexpected(file.error());
  return sync::make_silero_detector(*file);
}

std::unique_ptr<sync::TurnModel> load_turns(const std::string& vad, const engine::EngineInfo& model) {
  if (vad != "silero" || !model.hears) return nullptr;
  const auto file = turn_model_file();
  auto turns = file ? sync::make_smart_turn(*file) : tl::unexpected(file.error());
  if (turns) return std::move(*turns);
  log(LogLevel::kWarning, "turns end by silence alone: {}", turns.error().message);
  return nullptr;
}

}  // namespace braid::serve
