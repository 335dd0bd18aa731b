// Stands in for llama/ in builds without llama.cpp.

#include "braid/engine/llama_engine.h"

#include "braid/engine/merge_lora.h"
#include "braid/engine/model_facts.h"

namespace braid::engine {

namespace {
constexpr const char* kAbsent = "this build has no llama.cpp engine; configure with -DBRAID_LLAMA=ON";
}

Result<Engine> load_llama(const LlamaOptions&) { return fail(ErrorCode::kUnsupported, kAbsent); }

Result<NamedEmbedder> load_embedder(const std::string&, int) {
  return fail(ErrorCode::kUnsupported, kAbsent);
}

int usable_cores() { return 1; }

const char* to_string(GgufFacts::Kind) { return ""; }

Result<GgufFacts> read_gguf(const std::string&) { return fail(ErrorCode::kUnsupported, kAbsent); }

Result<ModelFacts> model_facts(const LlamaOptions&) { return fail(ErrorCode::kUnsupported, kAbsent); }

Status merge_lora(const std::string&, const std::string&, const std::string&, const MergeProgress&) {
  return fail(ErrorCode::kUnsupported, kAbsent);
}

}  // namespace braid::engine
