#pragma once
// What Braid asks of a model: three interfaces, implemented together by one backend (`llama/`, `scripted/`).
// A Decoder is used by one thread. An Encoder and a TextEmbedder by one thread each. On a CPU the
// DeviceArbiter lets one of them compute at a time.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "braid/base/result.h"
#include "braid/engine/chat.h"
#include "braid/packet/packet.h"
#include "braid/packet/prompt.h"
#include "braid/packet/step.h"

namespace braid::engine {

/// What the loaded model is and can do. What it can't is replaced by a fallback, never tried.
struct EngineInfo {
  std::string name;    ///< the GGUF's general.name, or the file's
  std::string family;  ///< architecture, "llama"
  std::string device;  ///< "CPU, 2 threads", "NVIDIA H200"
  bool on_gpu = false;
  int dim = 0;              ///< embedding row length
  int vocabulary = 0;       ///< logits per row
  int trained_context = 0;  ///< positions must stay below this
  int cells = 0;            ///< KV cells of the context, shared by all sequences
  int max_sequences = 0;    ///< ids run from 0 to this - 1
  int max_step_rows = 0;    ///< rows a StepPlan may hold
  bool sees = false;        ///< takes pictures
  bool hears = false;       ///< takes sound
  int audio_sample_rate = 16000;
  int max_frame_side = 0;          ///< pixels; ingest caps the longer side here. 0: no cap known
  bool one_pass = false;           ///< tokens and embedding rows share a forward pass
  bool can_hide_ranges = true;     ///< fork() may leave ranges out
  bool can_forget = true;          ///< forget() works on part of a sequence
  bool indivisible_media = false;  ///< pictures must be prefilled in a step of their own
};

/// Positions [begin, end).
struct PositionRange {
  Position begin = 0;
  Position end = 0;
};

/// The model's own chat template, cut at the places where Braid writes. All are text for tokenize(..., true).
/// An answer's end mark belongs to `next_turn`: an answer joins a timeline without the end token that it was
/// ended by, so that one cut short is followed by the same.
struct ChatFormat {
  std::string begin;               ///< BOS and system turn, up to where the user's text begins
  std::string end_of_question;     ///< after the user's text, up to where the answer begins
  std::string next_turn;           ///< from the mark that ends an answer to where the user's next text begins
  std::vector<std::string> stops;  ///< texts that end an answer beside the end-of-generation tokens
};

/// Counted since load; read by tests and metrics. Rows by RowKind.
struct Counters {
  std::uint64_t steps = 0;
  std::uint64_t passes = 0;  ///< forward passes; equals steps where one_pass holds
  std::array<std::uint64_t, kRowKinds> rows{};
  std::uint64_t forks = 0;
};

/// Text to tokens and back. Any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual const ChatFormat& chat() const = 0;
  /// `special`: text may hold the template's control tokens. Outside text is tokenised with false.
  virtual TokenRun tokenize(std::string_view text, bool special) const = 0;
  /// The bytes of a token: maybe part of a UTF-8 character. Control tokens give "".
  virtual std::string piece(Token token) const = 0;
  virtual bool ends_generation(Token token) const = 0;
  /// A whole conversation as a prompt. kUnsupported: tools where the template has none. kBadInput: an empty
  /// conversation, a schema or arguments that can't be read. kLimit: a bound of ChatBounds.
  virtual Result<RenderedChat> render(const ChatInput& input) const = 0;
};

/// The language model and its KV cache. One thread.
class Decoder {
 public:
  virtual ~Decoder() = default;

  /// Computes all rows of the plan and appends their cells. kFull if cells run out (nothing is appended
  /// then), kInternal if the backend failed. Blocks for the step's duration.
  virtual Result<StepResult> step(const StepPlan& plan) = 0;

  /// `to` (empty until now) shares the cells of `from` in `ranges`. Bookkeeping only where the backend can.
  /// Its next row stands right after the last of them: some backends refuse a gap there.
  virtual Status fork(SequenceId from, SequenceId to, std::span<const PositionRange> ranges) = 0;
  /// Takes a range out of a sequence; cells no sequence holds become free.
  virtual Status forget(SequenceId sequence, PositionRange range) = 0;
  virtual void free(SequenceId sequence) = 0;

  /// A snapshot; any thread.
  virtual Counters counters() const = 0;
};

/// One picture or utterance, borrowed for the call.
using Medium = std::variant<const Frame*, const Utterance*>;

/// Vision and audio encoder. One thread.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// One prompt per medium, as the model wants it: begin and end marks as tokens, the medium as embedding
  /// rows. Blocks for the encode's duration. kUnsupported: the model has no such sense. kBadInput: nothing to
  /// encode.
  virtual Result<std::vector<Prompt>> encode(std::span<const Medium> batch) = 0;
  virtual std::uint64_t encoded_frames() const = 0;  ///< since load; any thread
  virtual std::uint64_t encoded_utterances() const = 0;
  /// Rows that a frame of this size would take, without encoding it.
  virtual int frame_rows(int width, int height) const = 0;
};

/// Text to unit vectors, for the memory. One thread.
class TextEmbedder {
 public:
  virtual ~TextEmbedder() = default;
  virtual int dim() const = 0;
  virtual int most_tokens() const = 0;                                   ///< of a text; what is longer is cut
  virtual int tokens(const std::string& text) const = 0;                 ///< before it is cut; any thread
  virtual Result<Matrix> embed(std::span<const std::string> texts) = 0;  ///< [n, dim], rows of length 1
};

/// What a backend gives for a model. `encoder` is null for a text-only model.
struct Engine {
  EngineInfo info;
  std::unique_ptr<Tokenizer> tokenizer;
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<Encoder> encoder;
};

}  // namespace braid::engine
