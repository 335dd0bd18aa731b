#pragma once
// Files and texts into a memory.

#include <optional>
#include <string>
#include <vector>

#include "braid/calendar/zone.h"
#include "braid/retrieve/memory.h"

namespace braid::serve {

/// What all records of one file or text share.
struct RecordHead {
  UtcTime start{}, end{};
  std::string source;
  retrieve::RecordKind kind = retrieve::RecordKind::kDocument;
  std::vector<retrieve::RecordLink> links = {};
  calendar::Zone zone = {};  ///< of times in tables without an offset
};

/// When a file was last changed. kNotFound, kBadInput: it is no plain file.
Result<UtcTime> modified(const std::string& path);

/// Cuts it into passages and waits until they are committed; says how many. `path` "-": standard input. What
/// has times of its own, cues and rows of tables, counts from the head's start.
/// kUnsupported: of a format that isn't read; those of cut_document(), Memory::add and flush.
Result<std::size_t> add_file(retrieve::Memory& memory, const std::string& path, const RecordHead& head);

}  // namespace braid::serve
