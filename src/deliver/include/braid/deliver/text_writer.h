#pragma once
// Events for a person at a terminal.

#include <cstdio>
#include <memory>

#include "braid/base/clock.h"
#include "braid/deliver/writer.h"

namespace braid::deliver {

struct TextOptions {
  bool progress = true;  ///< a bar on `err` where that is a terminal and the sources' length is known
  bool quiet = false;    ///< answers alone, each when it is complete, and errors
  bool typed = false;  ///< questions are typed where `out` is read: not said again, and no bar over the line
};

/// Answers and the summary on `out`, errors and progress on `err`. An answer's text is written as it comes,
/// then one line of stages; heading and stages carry the question's id, and while several answers are open,
/// each is written in whole lines with it before them. Colour only on a terminal, and never with NO_COLOR
/// set. Control characters of outside text are not passed on. Both files stay open and outlive the writer.
std::unique_ptr<Writer> make_text_writer(std::FILE* out, std::FILE* err, Clock& clock,
                                         TextOptions options = {});

}  // namespace braid::deliver
