#pragma once
// What the program says to people, on standard error.

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace braid::serve {

/// What can't be written (a log on a full disk, a terminal that is gone) is lost, and nothing else is.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = fmt::format(text, std::forward<Args>(args)...);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace braid::serve
