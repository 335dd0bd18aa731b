#pragma once
// Whether an mmproj holds the tensors that libmtmd takes for granted.

#include "braid/base/result.h"
#include "gguf_file.h"

namespace braid::engine::llama {

/// libmtmd loads most tensors as optional and follows null pointers where one is missing. For the projectors
/// that docs/models.md lists, kBadInput names what is missing. Others are libmtmd's own affair: their blocks
/// differ too much from one another.
Status check_encoder_tensors(const GgufFile& file);

}  // namespace braid::engine::llama
