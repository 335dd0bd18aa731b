#pragma once
// The parts of `braid models`.

#include <string>

#include "braid/serve/watch.h"

namespace braid::serve {

struct ModelFlags {
  ModelChoice files;  ///< without a model: the default one
  int window = 4096;  ///< KV cells
  int rounds = 5;     ///< of a measurement
  bool json = false;
  bool hash = false;
};

/// The files of the default model, and what else is cached.
int list_models(const ModelFlags& flags);
/// A file's facts; with a model also what it needs.
int show_model(const ModelFlags& flags);
/// Measures prefill, decode and encode.
int bench_model(const ModelFlags& flags);

/// "145 MB".
std::string megabytes(std::uint64_t bytes);

}  // namespace braid::serve
