#pragma once
// What the flags of several verbs are made of.

#include <CLI/CLI.hpp>

#include "braid/ingest/open.h"

namespace braid::serve {

/// CLI11's ranges let NaN pass.
class Finite final : public CLI::Validator {
 public:
  Finite(double least, double most);
};

/// Options that are in no group yet.
void name_group(CLI::App& command, const char* name);
/// What a file may be; checked before it is decoded. What they are parsed into outlives the command.
void add_limit_flags(CLI::App& command, ingest::InputLimits& limits, double& max_duration_s);

}  // namespace braid::serve
