#include "encoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "asserts.h"
#include "logging.h"
#include "media.h"

namespace braid::engine::llama {

namespace {

constexpr std::size_t kMaxRememberedSizes = 256;

bool is_medium(const mtmd_input_chunk* chunk) {
  return mtmd_input_chunk_get_type(chunk) != MTMD_INPUT_CHUNK_TYPE_TEXT;
}

}  // namespace

LlamaEncoder::LlamaEncoder(std::shared_ptr<llama_model> model, MtmdHandle mtmd)
    : model_(std::move(model)), mtmd_(std::move(mtmd)), dim_(llama_model_n_embd_inp(model_.get())) {}

Result<BitmapHandle> LlamaEncoder::bitmap(const Medium& medium) const {
  if (const auto* frame = std::get_if<const Frame*>(&medium)) {
    if (!sees())
      return fail(ErrorCode::kUnsupported, "the mmproj has no vision encoder; it takes sound only");
    return bitmap_of(**frame);
  }
  if (!hears())
    return fail(ErrorCode::kUnsupported, "the mmproj has no audio encoder; it takes pictures only");
  return bitmap_of(*std::get<const Utterance*>(medium), sample_rate());
}

Result<ChunksHandle> LlamaEncoder::split(const mtmd_bitmap& bitmap) const {
  const std::string marker = mtmd_get_marker(mtmd_.get());
  const mtmd_input_text text{marker.data(), marker.size(), /*add_special=*/false, /*parse_special=*/true};
  ChunksHandle chunks(mtmd_input_chunks_init());
  const mtmd_bitmap* bitmaps[] = {&bitmap};
  clear_fault();
  if (mtmd_tokenize(mtmd_.get(), chunks.get(), &text, bitmaps, 1) != 0)
    return fail(ErrorCode::kBadInput, fmt::format("the encoder can't take this medium: {}", last_fault()));
  return chunks;
}

Result<std::vector<Prompt>> LlamaEncoder::encode(std::span<const Medium> batch) {
  const AssertsThrow guard;
  try {
    return encode_all(batch);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kBadInput, fmt::format("the encoder can't take this medium: {}", error.what()));
  }
}

Result<std::vector<Prompt>> LlamaEncoder::encode_all(std::span<const Medium> batch) {
  std::vector<ChunksHandle> media;
  for (const Medium& medium : batch) {
    auto pixels_or_samples = bitmap(medium);
    if (!pixels_or_samples) return tl::unexpected(pixels_or_samples.error());
    auto chunks = split(**pixels_or_samples);
    if (!chunks) return tl::unexpected(chunks.error());
    media.push_back(std::move(*chunks));
  }
  auto embeddings = encode_chunks(media);
  if (!embeddings) return tl::unexpected(embeddings.error());
  std::vector<Prompt> prompts;
  std::span<const std::shared_ptr<Matrix>> left = *embeddings;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    prompts.push_back(assemble(media[i].get(), left));
    ++(std::holds_alternative<const Frame*>(batch[i]) ? frames_ : utterances_);
  }
  return prompts;
}

// All media chunks in order, as many a pass as libmtmd takes together.
Result<std::vector<std::shared_ptr<Matrix>>> LlamaEncoder::encode_chunks(
    std::span<const ChunksHandle> media) {
  std::vector<const mtmd_input_chunk*> chunks;
  for (const ChunksHandle& medium : media)
    for (std::size_t i = 0; i < mtmd_input_chunks_size(medium.get()); ++i)
      if (const auto* chunk = mtmd_input_chunks_get(medium.get(), i); is_medium(chunk))
        chunks.push_back(chunk);
  std::vector<std::shared_ptr<Matrix>> embeddings;
  for (std::span<const mtmd_input_chunk* const> left = chunks; !left.empty();) {
    const auto taken = encode_run(left, embeddings);
    if (!taken) return tl::unexpected(taken.error());
    left = left.subspan(*taken);
  }
  return embeddings;
}

// Encodes the first chunk and those after it that fit its pass; returns how many that were.
Result<std::size_t> LlamaEncoder::encode_run(std::span<const mtmd_input_chunk* const> chunks,
                                             std::vector<std::shared_ptr<Matrix>>& out) {
  clear_fault();
  const MtmdBatchHandle batch(mtmd_batch_init(mtmd_.get()));
  std::size_t taken = 0;
  while (taken < chunks.size() && mtmd_batch_add_chunk(batch.get(), chunks[taken]) == 0) ++taken;
  const bool alone = taken <= 1;
  const int status = alone ? mtmd_encode_chunk(mtmd_.get(), chunks[0]) : mtmd_batch_encode(batch.get());
  if (status != 0) return fail(ErrorCode::kInternal, fmt::format("the encoder failed: {}", last_fault()));
  for (const auto* chunk : chunks.first(std::max<std::size_t>(taken, 1))) {
    const float* rows =
        alone ? mtmd_get_output_embd(mtmd_.get()) : mtmd_batch_get_output_embd(batch.get(), chunk);
    if (!rows) return fail(ErrorCode::kInternal, fmt::format("the encoder gave nothing: {}", last_fault()));
    out.push_back(copy(rows, chunk));
  }
  return std::max<std::size_t>(taken, 1);
}

std::shared_ptr<Matrix> LlamaEncoder::copy(const float* embeddings, const mtmd_input_chunk* chunk) const {
  auto rows = std::make_shared<Matrix>(mtmd_input_chunk_get_n_tokens(chunk), static_cast<std::size_t>(dim_));
  std::copy_n(embeddings, rows->values.size(), rows->values.data());
  return rows;
}

Prompt LlamaEncoder::assemble(const mtmd_input_chunks* chunks,
                              std::span<const std::shared_ptr<Matrix>>& embeddings) const {
  Prompt prompt;
  for (std::size_t i = 0; i < mtmd_input_chunks_size(chunks); ++i) {
    const mtmd_input_chunk* chunk = mtmd_input_chunks_get(chunks, i);
    if (is_medium(chunk)) {
      prompt.pieces.emplace_back(run_of(chunk, embeddings.front()));
      embeddings = embeddings.subspan(1);
      continue;
    }
    std::size_t n = 0;
    const llama_token* tokens = mtmd_input_chunk_get_tokens_text(chunk, &n);
    prompt.append(TokenRun(tokens, tokens + n));
  }
  return prompt;
}

EmbeddingRun LlamaEncoder::run_of(const mtmd_input_chunk* chunk, std::shared_ptr<const Matrix> rows) const {
  EmbeddingRun run{.rows = std::move(rows),
                   .grid = {},
                   .positions = mtmd_input_chunk_get_n_pos(chunk),
                   .indivisible = mtmd_decode_use_non_causal(mtmd_.get(), chunk)};
  const mtmd_image_tokens* image = mtmd_input_chunk_get_tokens_image(chunk);
  if (!image || !mtmd_decode_use_mrope(mtmd_.get())) return run;
  for (std::size_t i = 0; i < run.rows->rows; ++i) {
    const mtmd_decoder_pos place = mtmd_image_tokens_get_decoder_pos(image, 0, i);
    run.grid.push_back(
        {.t = static_cast<int>(place.t), .y = static_cast<int>(place.y), .x = static_cast<int>(place.x)});
  }
  return run;
}

Status LlamaEncoder::warm_up() {
  std::vector<BitmapHandle> bitmaps;
  const std::vector<std::uint8_t> black(3 * 256 * 256);
  const std::vector<float> silence(hears() ? static_cast<std::size_t>(sample_rate()) : 0);
  if (sees()) bitmaps.emplace_back(mtmd_bitmap_init(256, 256, black.data()));
  if (hears()) bitmaps.emplace_back(mtmd_bitmap_init_from_audio(silence.size(), silence.data()));
  for (const BitmapHandle& blank : bitmaps) {
    auto chunks = split(*blank);
    if (!chunks) return tl::unexpected(chunks.error());
    if (auto rows = encode_chunks({&*chunks, 1}); !rows) return tl::unexpected(rows.error());
  }
  return {};
}

int LlamaEncoder::frame_rows(int width, int height) const {
  if (!sees() || width < 1 || height < 1 || width > kMaxSide || height > kMaxSide) return 0;
  std::lock_guard lock(mutex_);
  if (const auto known = rows_by_size_.find({width, height}); known != rows_by_size_.end())
    return known->second;
  if (rows_by_size_.size() >= kMaxRememberedSizes) rows_by_size_.clear();
  const CanvasSize canvas = canvas_of(width, height);
  const BitmapHandle blank(mtmd_bitmap_init(static_cast<std::uint32_t>(canvas.width),
                                            static_cast<std::uint32_t>(canvas.height), nullptr));
  return rows_by_size_[{width, height}] = rows_of(*blank);
}

int LlamaEncoder::sound_rows(double seconds) const {
  const std::vector<float> silence(static_cast<std::size_t>(seconds * sample_rate()));
  return rows_of(*BitmapHandle(mtmd_bitmap_init_from_audio(silence.size(), silence.data())));
}

int LlamaEncoder::rows_of(const mtmd_bitmap& bitmap) const {
  const auto chunks = split(bitmap);
  std::size_t rows = 0;
  if (chunks)
    for (std::size_t i = 0; i < mtmd_input_chunks_size(chunks->get()); ++i)
      rows += mtmd_input_chunk_get_n_tokens(mtmd_input_chunks_get(chunks->get(), i));
  return static_cast<int>(rows);
}

}  // namespace braid::engine::llama
