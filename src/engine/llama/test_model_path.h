#pragma once
// For tests and benchmarks: where the default model lies.

#include <cstdlib>
#include <string>

namespace braid::engine::llama {

/// A file of the cache's models.
inline std::string cached_model(const std::string& name) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::string root = cache && *cache ? cache : std::string(home ? home : "") + "/.cache";
  return root + "/braid/models/" + name;
}

/// BRAID_TEST_MODEL, else the merged model in the cache.
inline std::string model_path() {
  if (const char* path = std::getenv("BRAID_TEST_MODEL")) return path;
  return cached_model("nano-q8_0.gguf");
}
inline std::string mmproj_path() { return "models/nano/mmproj-nano.gguf"; }

}  // namespace braid::engine::llama
