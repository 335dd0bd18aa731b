#pragma once
// Pictures and sound to embedding rows, on libmtmd.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "braid/engine/engine.h"
#include "handles.h"

namespace braid::engine::llama {

class LlamaEncoder final : public Encoder {
 public:
  LlamaEncoder(std::shared_ptr<llama_model> model, MtmdHandle mtmd);

  bool sees() const { return mtmd_support_vision(mtmd_.get()); }
  bool hears() const { return mtmd_support_audio(mtmd_.get()); }
  int sample_rate() const { return mtmd_get_audio_sample_rate(mtmd_.get()); }
  bool indivisible_media() const { return mtmd_decode_use_non_causal(mtmd_.get(), nullptr); }

  /// Encodes a blank picture and a second of silence, uncounted.
  Status warm_up();

  Result<std::vector<Prompt>> encode(std::span<const Medium> batch) override;
  std::uint64_t encoded_frames() const override { return frames_; }
  std::uint64_t encoded_utterances() const override { return utterances_; }
  int frame_rows(int width, int height) const override;
  /// Rows that so much sound takes, without encoding it.
  int sound_rows(double seconds) const;

 private:
  Result<std::vector<Prompt>> encode_all(std::span<const Medium> batch);
  Result<BitmapHandle> bitmap(const Medium& medium) const;
  Result<ChunksHandle> split(const mtmd_bitmap& bitmap) const;
  int rows_of(const mtmd_bitmap& bitmap) const;
  Result<std::vector<std::shared_ptr<Matrix>>> encode_chunks(std::span<const ChunksHandle> media);
  Result<std::size_t> encode_run(std::span<const mtmd_input_chunk* const> chunks,
                                 std::vector<std::shared_ptr<Matrix>>& out);
  std::shared_ptr<Matrix> copy(const float* embeddings, const mtmd_input_chunk* chunk) const;
  Prompt assemble(const mtmd_input_chunks* chunks,
                  std::span<const std::shared_ptr<Matrix>>& embeddings) const;
  EmbeddingRun run_of(const mtmd_input_chunk* chunk, std::shared_ptr<const Matrix> rows) const;

  std::shared_ptr<llama_model> model_;
  MtmdHandle mtmd_;
  int dim_;
  std::atomic<std::uint64_t> frames_{0};
  std::atomic<std::uint64_t> utterances_{0};
  mutable std::mutex mutex_;  // guards rows_by_size_
  mutable std::map<std::pair<int, int>, int> rows_by_size_;
};

}  // namespace braid::engine::llama
