#pragma once
// `set NAME VALUE` of a scenario.

#include <string>

#include "scenario/scenario.h"

namespace braid::serve {

/// kBadInput: no such setting, or a value that can't be.
Status apply_setting(Scenario& scenario, const std::string& name, const std::string& value);

}  // namespace braid::serve
