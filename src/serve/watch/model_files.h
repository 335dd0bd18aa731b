#pragma once
// Where the default model's files and those of what listens lie.

#include <string>

#include "braid/serve/watch.h"

namespace braid::serve {

/// $XDG_CACHE_HOME/braid or ~/.cache/braid.
std::string cache_directory();

/// Fills in the default model's files where none were named. kNotFound: it has not been prepared.
Result<ModelChoice> with_default_model(ModelChoice choice);

/// Silero's file in the cache or beside the installed binary. kNotFound: it has not been fetched.
Result<std::string> speech_model_file();

/// The same of Smart Turn's.
Result<std::string> turn_model_file();
/// The same of the model that makes vectors of texts.
Result<std::string> text_model_file();

}  // namespace braid::serve
