#include "braid/encode/chunk_maker.h"

#include <array>
#include <utility>

#include "braid/encode/prompt_format.h"

namespace braid::encode {

namespace {

Encoded begin(Modality modality, SourceId source, SessionTime start, SessionTime end, StageTrace& trace,
              SteadyTime now) {
  trace.enter(Stage::kEncode, now);
  Encoded encoded;
  encoded.modality = modality;
  encoded.source = source;
  encoded.start = start;
  encoded.end = end;
  encoded.trace = trace;
  return encoded;
}

std::string cut(std::string text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

}  // namespace

ChunkMaker::ChunkMaker(EncodeOptions options, const engine::Tokenizer& tokenizer, engine::Encoder* encoder,
                       engine::DeviceArbiter& arbiter, Clock& clock)
    : options_(options),
      tokenizer_(tokenizer),
      encoder_(encoder),
      arbiter_(arbiter),
      clock_(clock),
      novelty_(options.novelty) {}

void ChunkMaker::name_source(SourceId source, std::string name) { names_[source] = std::move(name); }

Encoded ChunkMaker::make(Frame frame) {
  auto encoded =
      begin(Modality::kVision, frame.source, frame.captured, frame.captured, frame.trace, clock_.now());
  encoded.error_bound = frame.error_bound;
  encoded.width = frame.width;
  encoded.height = frame.height;
  const Novelty novelty = novelty_.judge(frame);
  encoded.reason = to_string(novelty);
  if (keeps(novelty))
    encode(&frame, time_text(frame.captured), encoded);
  else if (encoder_)
    encoded.tokens = encoder_->frame_rows(frame.width, frame.height);
  if (!encoded.chunk) encoded.trace.leave(clock_.now());
  return encoded;
}

Encoded ChunkMaker::pass_over(Frame frame, std::string reason) {
  auto encoded =
      begin(Modality::kVision, frame.source, frame.captured, frame.captured, frame.trace, clock_.now());
  encoded.width = frame.width;
  encoded.height = frame.height;
  encoded.reason = std::move(reason);
  if (encoder_) encoded.tokens = encoder_->frame_rows(frame.width, frame.height);
  encoded.trace.leave(clock_.now());
  return encoded;
}

Encoded ChunkMaker::make(Utterance utterance) {
  auto encoded = begin(Modality::kAudio, utterance.source, utterance.start, utterance.end, utterance.trace,
                       clock_.now());
  encoded.error_bound = utterance.error_bound;
  encoded.reason = "speech";
  encode(&utterance, span_text(utterance.start, utterance.end), encoded);
  if (!encoded.chunk) encoded.trace.leave(clock_.now());
  return encoded;
}

Encoded ChunkMaker::make(TextLine line) {
  auto encoded = begin(Modality::kText, line.source, line.start, line.end, line.trace, clock_.now());
  encoded.error_bound = line.error_bound;
  encoded.reason = "text";
  write(line.end > line.start ? span_text(line.start, line.end) : time_text(line.start), std::move(line.text),
        encoded);
  return encoded;
}

Encoded ChunkMaker::make(Reading reading) {
  auto encoded =
      begin(Modality::kReading, reading.source, reading.at, reading.at, reading.trace, clock_.now());
  encoded.error_bound = reading.error_bound;
  encoded.reason = "reading";
  write(time_text(reading.at), reading_text(names_[reading.source], reading), encoded);
  return encoded;
}

void ChunkMaker::encode(engine::Medium medium, const std::string& time, Encoded& encoded) {
  if (!encoder_) {
    encoded.reason = "unsupported";
    return;
  }
  // Waiting for the device is the encode queue's time, not the encoder's.
  encoded.trace.enter(Stage::kEncodeQueue, clock_.now());
  auto turn = arbiter_.take(engine::DeviceArbiter::Work::kEncode);
  encoded.trace.enter(Stage::kEncode, clock_.now());
  auto prompts = encoder_->encode(std::array{medium});
  if (!prompts) {
    encoded.reason = to_string(prompts.error().code);
    encoded.error = prompts.error();
    return;
  }
  Prompt prompt;
  prompt.append(tokenizer_.tokenize(time, false));
  prompt.append(prompts->front());
  encoded.tokens = prompts->front().rows();
  keep(encoded, std::move(prompt));
}

void ChunkMaker::write(const std::string& time, std::string text, Encoded& encoded) {
  encoded.text = cut(std::move(text), options_.max_text_bytes);
  Prompt prompt;
  prompt.append(tokenizer_.tokenize(time + " " + encoded.text, false));
  encoded.tokens = prompt.rows();
  keep(encoded, std::move(prompt));
}

void ChunkMaker::keep(Encoded& encoded, Prompt prompt) {
  auto chunk = std::make_shared<Chunk>();
  chunk->id = ChunkId{next_chunk_++};
  chunk->modality = encoded.modality;
  chunk->source = encoded.source;
  chunk->start = encoded.start;
  chunk->end = encoded.end;
  chunk->error_bound = encoded.error_bound;
  chunk->prompt = std::move(prompt);
  encoded.chunk = std::move(chunk);
  encoded.trace.enter(Stage::kPrefillQueue, clock_.now());
}

}  // namespace braid::encode
