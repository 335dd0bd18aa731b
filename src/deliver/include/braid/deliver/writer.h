#pragma once
// A sink that writes events down for somebody.

#include "braid/base/result.h"
#include "braid/deliver/events.h"

namespace braid::deliver {

/// One thread at a time. on_event() blocks as long as the reader does.
class Writer : public EventSink {
 public:
  /// kCancelled: the reader went away (a closed pipe); kResource: the medium is full or broken. From then on
  /// events are taken and nothing is written. Any thread.
  virtual Status status() const = 0;
};

}  // namespace braid::deliver
