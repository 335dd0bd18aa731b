#pragma once
// Events as JSON lines; docs/json.md is the schema.

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "braid/base/clock.h"
#include "braid/deliver/writer.h"

namespace braid::deliver {

struct JsonOptions {
  bool deltas = false;                              ///< answer_begin and answer_delta objects too
  Nanoseconds progress_every = Milliseconds(1000);  ///< at most one progress object in this span; 0: all
};

/// One object a line, flushed line by line. An answer's text is flushed before its `deliver` stage is
/// measured. `out` stays open and outlives the writer.
std::unique_ptr<Writer> make_json_writer(std::FILE* out, Clock& clock, JsonOptions options = {});

/// The same to a function: one call an object, without the line's end.
std::unique_ptr<Writer> make_json_writer(std::function<void(const std::string&)> out, Clock& clock,
                                         JsonOptions options = {});

}  // namespace braid::deliver
