#pragma once
// What a file holds, guessed.

#include "braid/ingest/source_spec.h"

namespace braid::ingest {

/// By the name's ending (.srt .vtt .ass .ssa, .txt .md .log, .csv .tsv); for .jsonl, .ndjson and names that
/// say nothing by the first bytes of a regular file. kMedia where nothing says otherwise. Never fails:
/// opening tells.
SourceKind guess_kind(const SourceSpec& spec);

}  // namespace braid::ingest
