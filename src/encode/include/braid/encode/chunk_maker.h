#pragma once
// Frames, utterances, lines and readings become prompt chunks.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "braid/base/clock.h"
#include "braid/encode/novelty_filter.h"
#include "braid/engine/device_arbiter.h"
#include "braid/engine/engine.h"
#include "braid/packet/prompt.h"

namespace braid::encode {

struct EncodeOptions {
  NoveltyOptions novelty;
  std::size_t max_text_bytes = 2000;  ///< longer lines and readings are cut, marked with "..."
};

/// What became of one packet.
struct Encoded {
  std::shared_ptr<Chunk> chunk;  ///< null: not kept
  Modality modality = Modality::kVision;
  SourceId source;
  SessionTime start;
  SessionTime end;
  Nanoseconds error_bound{};   ///< of both
  std::string reason;          ///< why kept, or why not
  int tokens = 0;              ///< rows of the medium or text, or what they would have been
  int width = 0, height = 0;   ///< pixels, of frames
  std::string text;            ///< of lines and readings
  StageTrace trace;            ///< the chunk's goes on in the chunk
  std::optional<Error> error;  ///< the encoder refused it
};

/// One thread. Blocks while it encodes and while it waits for the device.
class ChunkMaker {
 public:
  /// `encoder` is null for a text-only model: frames and utterances are then dropped as "unsupported".
  ChunkMaker(EncodeOptions options, const engine::Tokenizer& tokenizer, engine::Encoder* encoder,
             engine::DeviceArbiter& arbiter, Clock& clock);

  /// How readings of a source are headed in the prompt.
  void name_source(SourceId source, std::string name);

  Encoded make(Frame frame);
  /// The frame isn't looked at, for `reason`.
  Encoded pass_over(Frame frame, std::string reason);
  Encoded make(Utterance utterance);
  Encoded make(TextLine line);
  Encoded make(Reading reading);

 private:
  void encode(engine::Medium medium, const std::string& time, Encoded& encoded);
  void write(const std::string& time, std::string text, Encoded& encoded);
  void keep(Encoded& encoded, Prompt prompt);

  EncodeOptions options_;
  const engine::Tokenizer& tokenizer_;
  engine::Encoder* encoder_;
  engine::DeviceArbiter& arbiter_;
  Clock& clock_;
  NoveltyFilter novelty_;
  std::map<SourceId, std::string> names_;
  std::int64_t next_chunk_ = 0;
};

}  // namespace braid::encode
