#include "realtime/picture_file.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "chat/memory_file.h"

namespace braid::serve {

Result<Frame> read_picture(const std::string& bytes, const ingest::IngestOptions& options, Clock& clock) {
  auto file = MemoryFile::holding(bytes);
  if (!file) return tl::unexpected(file.error());
  ingest::SourceSpec spec;
  spec.name = "picture";
  spec.target = file->path();
  spec.kind = ingest::SourceKind::kVideo;
  ingest::IngestOptions one = options;
  one.frame_slots = 2;
  one.realtime = false;
  auto source = ingest::open_source(spec, one, clock);
  if (!source)
    return fail(source.error().code,
                fmt::format("no picture can be read ({} bytes): {}", bytes.size(), source.error().message));
  std::optional<Frame> frame;
  std::optional<Error> damage;
  const Status ran = (*source)->run(SourceId{0}, [&](Packet packet) {
    if (auto* fault = std::get_if<Damage>(&packet)) damage = std::move(fault->error);
    auto* picture = std::get_if<Frame>(&packet);
    if (picture == nullptr) return ingest::Accepted::kTaken;
    frame = std::move(*picture);
    return ingest::Accepted::kClosed;
  });
  if (frame) return std::move(*frame);
  if (damage) return tl::unexpected(std::move(*damage));
  if (!ran) return tl::unexpected(ran.error());
  return fail(ErrorCode::kBadInput, fmt::format("there is no picture in it ({} bytes)", bytes.size()));
}

}  // namespace braid::serve
