#include "braid/engine/model_facts.h"

#include <fit.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "asserts.h"
#include "cpu.h"
#include "load.h"
#include "logging.h"

namespace braid::engine {

namespace {

using namespace llama;

/// Weights by type, in bytes: the largest share names the file's quantisation.
std::string quantisation_of(const GgufFile& file) {
  std::map<ggml_type, std::size_t> bytes;
  for (std::int64_t i = 0; i < gguf_get_n_tensors(file.raw()); ++i)
    bytes[gguf_get_tensor_type(file.raw(), i)] += gguf_get_tensor_size(file.raw(), i);
  const auto most =
      std::max_element(bytes.begin(), bytes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  std::string name = most == bytes.end() ? "" : ggml_type_name(most->first);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::uint64_t weight_bytes_of(const GgufFile& file) {
  std::uint64_t bytes = 0;
  for (std::int64_t i = 0; i < gguf_get_n_tensors(file.raw()); ++i)
    bytes += gguf_get_tensor_size(file.raw(), i);
  return bytes;
}

std::uint64_t parameters_of(const GgufFile& file) {
  std::uint64_t count = 0;
  for (std::int64_t i = 0; i < gguf_get_n_tensors(file.raw()); ++i) {
    const std::int64_t* sides = gguf_get_tensor_ne(file.raw(), i);
    std::uint64_t elements = 1;
    for (int axis = 0; axis < GGML_MAX_DIMS; ++axis) elements *= static_cast<std::uint64_t>(sides[axis]);
    count += elements;
  }
  return count;
}

std::string projectors_of(const GgufFile& file) {
  std::string all;
  for (const char* key : {"clip.projector_type", "clip.vision.projector_type", "clip.audio.projector_type"}) {
    const std::string one = file.text(key).value_or("");
    if (one.empty() || one == all) continue;
    all += (all.empty() ? "" : " + ") + one;
  }
  return all;
}

GgufFacts::Kind kind_of(const GgufFile& file) {
  if (file.is_encoder()) return GgufFacts::Kind::kEncoders;
  if (file.is_adapter()) return GgufFacts::Kind::kAdapter;
  return file.integer((file.architecture() + ".pooling_type").c_str()).value_or(0) > 0
             ? GgufFacts::Kind::kEmbedder
             : GgufFacts::Kind::kModel;
}

GgufFacts facts_of(const GgufFile& file) {
  const auto number = [&](const std::string& key) {
    return static_cast<int>(std::clamp<std::int64_t>(file.integer(key.c_str()).value_or(0), 0, 1 << 30));
  };
  GgufFacts facts;
  facts.kind = kind_of(file);
  facts.name = file.text("general.name").value_or("");
  facts.quantisation = quantisation_of(file);
  std::error_code ignored;
  facts.bytes = std::filesystem::file_size(file.path(), ignored);
  facts.parameters = parameters_of(file);
  facts.family = file.architecture();
  if (facts.kind != GgufFacts::Kind::kEncoders) {
    facts.trained_context = number(facts.family + ".context_length");
    facts.dim = number(facts.family + ".embedding_length");
    facts.layers = number(facts.family + ".block_count");
    return facts;
  }
  facts.family = projectors_of(file);
  for (const std::string sense : {"vision", "audio"}) {
    facts.dim = std::max(facts.dim, number("clip." + sense + ".projection_dim"));
    facts.layers += number("clip." + sense + ".block_count");
  }
  return facts;
}

Status add_encoders(const LlamaOptions& options, const std::shared_ptr<llama_model>& model,
                    ModelFacts& facts) {
  const auto file = GgufFile::open(options.mmproj, "mmproj");
  if (!file) return tl::unexpected(file.error());
  facts.encoders = facts_of(*file);
  facts.encoder_bytes = weight_bytes_of(*file);
  const auto encoder = make_encoder(options, model);
  if (!encoder) return tl::unexpected(encoder.error());
  facts.sees = (*encoder)->sees();
  facts.hears = (*encoder)->hears();
  facts.indivisible_media = facts.sees && (*encoder)->indivisible_media();
  facts.picture_rows = (*encoder)->frame_rows(640, 480);
  if (!facts.hears) return {};
  facts.sound_rows = (*encoder)->sound_rows(1.0);
  facts.ten_seconds_rows = (*encoder)->sound_rows(10.0);
  return {};
}

void add_memory(const LlamaOptions& options, ModelFacts& facts) {
  llama_model_params model = llama_model_default_params();
  model.n_gpu_layers = options.gpu_layers;
  const llama_context_params context = context_params(options, threads_for(options));
  std::vector<ggml_backend_dev_t> devices;
  std::uint32_t layers = 0, trained = 0, experts = 0;
  for (const auto& use : common_get_device_memory_data(options.model.c_str(), &model, &context, devices,
                                                       layers, trained, experts, GGML_LOG_LEVEL_ERROR)) {
    facts.cache_bytes += use.context;
    facts.work_bytes += use.compute;
  }
}

Result<ModelFacts> gather(const LlamaOptions& options) {
  if (auto ok = check_cpu(); !ok) return tl::unexpected(ok.error());
  const auto file = open_model_files(options);
  if (!file) return tl::unexpected(file.error());
  ModelFacts facts;
  facts.model = facts_of(*file);
  facts.weight_bytes = weight_bytes_of(*file);
  const auto model = load_model(options, *file, Weights::kNone);
  if (!model) return tl::unexpected(model.error());
  facts.can_hide_ranges = !keeps_state(model->get());
  if (!options.mmproj.empty())
    if (auto ok = add_encoders(options, *model, facts); !ok) return tl::unexpected(ok.error());
  add_memory(options, facts);
  return facts;
}

}  // namespace

const char* to_string(GgufFacts::Kind kind) {
  switch (kind) {
    case GgufFacts::Kind::kModel:
      return "language model";
    case GgufFacts::Kind::kEncoders:
      return "encoders";
    case GgufFacts::Kind::kAdapter:
      return "adapter";
    case GgufFacts::Kind::kEmbedder:
      return "text embedder";
  }
  return "";
}

Result<GgufFacts> read_gguf(const std::string& path) {
  return without_asserts<GgufFacts>(path, [&]() -> Result<GgufFacts> {
    const auto file = GgufFile::open(path, "file");
    if (!file) return tl::unexpected(file.error());
    return facts_of(*file);
  });
}

Result<ModelFacts> model_facts(const LlamaOptions& options) {
  route_logs();
  return without_asserts<ModelFacts>(options.model, [&] { return gather(options); });
}

}  // namespace braid::engine
