// What a worker process sends: any bytes are a message or none, and what passes the promises is what stages
// rest on.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "isolate/promises.h"
#include "isolate/wire.h"

namespace {

using namespace braid;
using namespace braid::ingest::isolate;

void must(bool holds) {
  if (!holds) std::abort();
}

/// A stream of messages, as one worker could send them: each begins with its length.
struct Judge {
  Promises promises{ingest::IngestOptions{}};
  SessionTime last_frame = SessionTime::min();

  void operator()(const SentFrame& frame) {
    if (!promises.check(frame)) return;
    must(frame.width > 0 && frame.height > 0 && frame.stride >= 3 * frame.width);
    must(Promises::bytes_of(frame) <= promises.most_slot_bytes());
    must(frame.captured >= kSessionStart && frame.captured >= last_frame);
    last_frame = frame.captured;
  }
  void operator()(const SentSound& sound) {
    if (!promises.check(sound)) return;
    for (const float sample : sound.samples) must(sample >= -64.0F && sample <= 64.0F);
  }
  void operator()(const SentLine& line) {
    if (promises.check(line)) must(!line.text.empty() && line.start <= line.end);
  }
  void operator()(const Refused& refused) { static_cast<void>(promises.check(refused.error)); }
  void operator()(const Ended& ended) {
    if (ended.error) static_cast<void>(promises.check(*ended.error));
  }
  void operator()(const WantPool&) {}
  void operator()(const Observed&) {}
  template <class Other>
  void operator()(const Other& other) {
    static_cast<void>(promises.check(other));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view left(reinterpret_cast<const char*>(data), size);
  Judge judge;
  while (left.size() > 1) {
    const std::size_t length = std::min<std::size_t>(static_cast<std::uint8_t>(left[0]), left.size() - 1);
    const std::string_view bytes = left.substr(1, length);
    left.remove_prefix(1 + length);
    const auto message = decode_from_worker(bytes);
    if (!message) continue;
    must(encode(*message) == bytes);
    std::visit(judge, *message);
  }
  return 0;
}
