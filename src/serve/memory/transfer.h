#pragma once
// A memory as a file of JSON lines, and back: docs/memory.md has the format.

#include <cstdint>
#include <string>

#include "braid/retrieve/memory.h"

namespace braid::serve {

struct Transfer {
  std::int64_t records = 0;    ///< in the file
  std::int64_t there = 0;      ///< of these, imported by an earlier run
  std::uint32_t checksum = 0;  ///< of all records; the same for two memories that hold the same
};

/// All that is committed, oldest added first. The file appears when it is whole. kResource: it can't be
/// written; those of Memory::page.
Result<Transfer> export_memory(retrieve::Memory& memory, const std::string& file, bool with_vectors);

/// Adds what an export holds. A file that is cut or changed is refused before anything is added; an import
/// that was broken off goes on where it was, and one that was done adds nothing. kNotFound; kBadInput;
/// kUnsupported: of a later version; those of Memory::import_records.
Result<Transfer> import_memory(retrieve::Memory& memory, const std::string& file);

}  // namespace braid::serve
