// Asks a model through libmtmd as any llama.cpp program would: one JSON object a line in, one a line out.
//
//   nano_ask MODEL.gguf MMPROJ.gguf LORA.gguf|- THREADS|gpu [EMBEDDINGS_FOLDER] <items.jsonl >answers.jsonl
//
// in:  {"id": 1, "parts": [{"text": "[0.0s]"}, {"file": "a.png"}], "questions": ["What is it?"], "max": 48}
//      The parts stand in one user turn; each question is asked on its own after them. An empty question: the
//      parts end with it. "drop": each picture keeps only so many rows. "system": another system turn.
// out: {"id": 1, "answers": [{"text": "...", "tokens": [...]}], "media": [{"rows": 16, "encode_ms": 20.1}]}
// With a folder, the rows of media k of item i are written there as <i>.<k>.f32.
#include <llama.h>
#include <mtmd-helper.h>
#include <mtmd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kContext = 4096;
constexpr int kBatch = 512;
constexpr int kAllLayers = 999;
constexpr const char* kSystem = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";

struct Deleter {
  void operator()(llama_model* model) const { llama_model_free(model); }
  void operator()(llama_context* context) const { llama_free(context); }
  void operator()(llama_adapter_lora* lora) const { llama_adapter_lora_free(lora); }
  void operator()(mtmd_context* media) const { mtmd_free(media); }
  void operator()(mtmd_input_chunks* chunks) const { mtmd_input_chunks_free(chunks); }
  void operator()(mtmd_bitmap* bitmap) const { mtmd_bitmap_free(bitmap); }
};

template <class T>
using Owned = std::unique_ptr<T, Deleter>;

template <class T>
T* need(T* made, const std::string& what) {
  if (made == nullptr) throw std::runtime_error("cannot load " + what);
  return made;
}

void only_errors(ggml_log_level level, const char* text, void* /*unused*/) {
  if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

class Asker {
 public:
  Asker(const char* model, const char* mmproj, const std::string& lora, const std::string& where) {
    const bool gpu = where == "gpu";
    const int threads = gpu ? 1 : std::atoi(where.c_str());
    auto model_parameters = llama_model_default_params();
    model_parameters.n_gpu_layers = gpu ? kAllLayers : 0;
    model_.reset(need(llama_model_load_from_file(model, model_parameters), model));
    auto parameters = llama_context_default_params();
    parameters.n_ctx = kContext;
    parameters.n_batch = kBatch;
    parameters.n_threads = parameters.n_threads_batch = threads;
    context_.reset(need(llama_init_from_model(model_.get(), parameters), "a context"));
    if (lora != "-") {
      lora_ = need(llama_adapter_lora_init(model_.get(), lora.c_str()), lora);  // belongs to the model
      float scale = 1;
      llama_set_adapters_lora(context_.get(), &lora_, 1, &scale);
    }
    auto media = mtmd_context_params_default();
    media.use_gpu = gpu;
    media.n_threads = threads;
    media.print_timings = false;
    media_.reset(need(mtmd_init_from_file(mmproj, model_.get(), media), mmproj));
  }

  json answer(const json& item, const std::string& folder) {
    llama_memory_clear(memory(), true);
    drop_ = item.value("drop", 0);
    json media = json::array();
    const llama_pos end = read(item, folder, media);
    json answers = json::array();
    for (const auto& question : item.at("questions")) {
      llama_memory_seq_rm(memory(), 0, end, -1);
      const std::string text = question.get<std::string>();
      decode_tokens(tokens_of((text.empty() ? "" : "\n" + text) + "<|im_end|>\n<|im_start|>assistant\n"),
                    end);
      answers.push_back(make(item.value("max", 48)));
    }
    return {{"id", item.at("id")}, {"answers", answers}, {"media", media}};
  }

 private:
  llama_memory_t memory() { return llama_get_memory(context_.get()); }

  /// Prefills the parts; returns the position after them.
  llama_pos read(const json& item, const std::string& folder, json& media) {
    const std::string system = item.value("system", std::string(kSystem));
    std::string prompt = system.empty() ? "" : "<|im_start|>system\n" + system + "<|im_end|>\n";
    prompt += "<|im_start|>user\n";
    std::vector<Owned<mtmd_bitmap>> bitmaps;
    std::vector<const mtmd_bitmap*> views;
    for (const auto& part : item.at("parts")) {
      if (part.contains("text")) {
        prompt += part["text"].get<std::string>();
        continue;
      }
      const auto path = part.at("file").get<std::string>();
      auto loaded = mtmd_helper_bitmap_init_from_file(media_.get(), path.c_str(), false,
                                                      mtmd_helper_init_opt_default());
      bitmaps.emplace_back(need(loaded.bitmap, path));
      views.push_back(bitmaps.back().get());
      prompt += mtmd_default_marker();
    }
    Owned<mtmd_input_chunks> chunks(mtmd_input_chunks_init());
    const mtmd_input_text text{prompt.c_str(), prompt.size(), false, true};
    if (mtmd_tokenize(media_.get(), chunks.get(), &text, views.data(), views.size()) != 0) {
      throw std::runtime_error("libmtmd cannot take item " + item.at("id").dump());
    }
    llama_pos at = 0;
    for (size_t i = 0; i < mtmd_input_chunks_size(chunks.get()); ++i) {
      const auto* chunk = mtmd_input_chunks_get(chunks.get(), i);
      if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
        size_t count = 0;
        const llama_token* tokens = mtmd_input_chunk_get_tokens_text(chunk, &count);
        at = decode_tokens({tokens, tokens + count}, at);
      } else {
        at = see(
            chunk, at,
            folder.empty() ? "" : folder + "/" + item.at("id").dump() + "." + std::to_string(media.size()),
            media);
      }
    }
    return at;
  }

  llama_pos see(const mtmd_input_chunk* chunk, llama_pos at, const std::string& path, json& media) {
    const auto start = Clock::now();
    if (mtmd_encode_chunk(media_.get(), chunk) != 0) throw std::runtime_error("libmtmd cannot encode");
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    const auto width = static_cast<size_t>(llama_model_n_embd_inp(model_.get()));
    const size_t count = mtmd_input_chunk_get_n_tokens(chunk);
    const float* rows = mtmd_get_output_embd(media_.get());
    media.push_back({{"rows", count}, {"encode_ms", ms}});
    if (!path.empty()) {
      std::ofstream(path + ".f32", std::ios::binary)
          .write(reinterpret_cast<const char*>(rows),
                 static_cast<std::streamsize>(count * width * sizeof(float)));
    }
    const bool picture = mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_IMAGE;
    return decode_rows(rows, kept_of(count, picture), width, at);
  }

  /// Which rows of a media stay: all, or `drop_` random ones of a picture.
  std::vector<size_t> kept_of(size_t count, bool picture) {
    std::vector<size_t> all(count), kept;
    for (size_t i = 0; i < count; ++i) all[i] = i;
    if (drop_ == 0 || !picture) return all;
    std::sample(all.begin(), all.end(), std::back_inserter(kept), drop_, random_);
    return kept;
  }

  llama_pos decode_rows(const float* rows, const std::vector<size_t>& kept, size_t width, llama_pos at) {
    llama_batch batch = llama_batch_init(static_cast<int>(kept.size()), static_cast<int>(width), 1);
    batch.n_tokens = static_cast<int>(kept.size());
    for (size_t i = 0; i < kept.size(); ++i) {
      std::copy_n(rows + kept[i] * width, width, batch.embd + i * width);
      batch.pos[i] = at++;
      batch.n_seq_id[i] = 1;
      batch.seq_id[i][0] = 0;
      batch.logits[i] = 0;
    }
    const int status = llama_decode(context_.get(), batch);
    llama_batch_free(batch);
    if (status != 0) throw std::runtime_error("llama_decode refused rows");
    return at;
  }

  llama_pos decode_tokens(std::vector<llama_token> tokens, llama_pos at) {
    for (size_t start = 0; start < tokens.size(); start += kBatch) {
      const auto count = static_cast<int>(std::min<size_t>(kBatch, tokens.size() - start));
      if (llama_decode(context_.get(), llama_batch_get_one(tokens.data() + start, count)) != 0) {
        throw std::runtime_error("llama_decode refused tokens");
      }
      at += count;
    }
    return at;
  }

  std::vector<llama_token> tokens_of(const std::string& text) {
    std::vector<llama_token> tokens(text.size() + 8);
    const int count =
        llama_tokenize(llama_model_get_vocab(model_.get()), text.data(), static_cast<int>(text.size()),
                       tokens.data(), static_cast<int>(tokens.size()), false, true);
    tokens.resize(static_cast<size_t>(count));
    return tokens;
  }

  /// The greedy answer to what was read.
  json make(int max) {
    const auto* vocab = llama_model_get_vocab(model_.get());
    json made = json::array();
    std::string text;
    for (int i = 0; i < max; ++i) {
      const float* logits = llama_get_logits_ith(context_.get(), -1);
      llama_token best = 0;
      for (llama_token t = 1; t < llama_vocab_n_tokens(vocab); ++t)
        best = logits[t] > logits[best] ? t : best;
      if (llama_vocab_is_eog(vocab, best)) break;
      made.push_back(best);
      char piece[128];
      const int length = llama_token_to_piece(vocab, best, piece, sizeof piece, 0, true);
      text.append(piece, static_cast<size_t>(std::max(0, length)));
      decode_tokens({best}, 0);
    }
    return {{"text", text}, {"tokens", made}};
  }

  Owned<llama_model> model_;
  Owned<llama_context> context_;
  llama_adapter_lora* lora_ = nullptr;
  Owned<mtmd_context> media_;
  size_t drop_ = 0;
  std::mt19937 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5)
    return std::fprintf(stderr, "usage: nano_ask MODEL MMPROJ LORA|- THREADS|gpu [FOLDER] <ITEMS\n"), 2;
  llama_log_set(only_errors, nullptr);
  mtmd_log_set(only_errors, nullptr);
  mtmd_helper_log_set(only_errors, nullptr);
  llama_backend_init();
  try {
    Asker asker(argv[1], argv[2], argv[3], argv[4]);
    for (std::string line; std::getline(std::cin, line);) {
      const json answer = asker.answer(json::parse(line), argc > 5 ? argv[5] : "");
      std::cout << answer.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    }
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "nano_ask: %s\n", error.what()), 1;
  }
  return 0;
}
