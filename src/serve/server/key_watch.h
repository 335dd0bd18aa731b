#pragma once
// What becomes of those whose key was taken away.

#include <functional>
#include <memory>
#include <mutex>

#include "braid/base/clock.h"
#include "braid/net/key_store.h"
#include "durable/durability.h"
#include "server/live_sessions.h"

namespace braid::serve {

/// Every second: sessions of keys that are gone are ended for good, and `keys_changed` is called once if the
/// file of keys was read anew. On a thread of its own; `durability` may be null.
class KeyWatch {
 public:
  KeyWatch(std::shared_ptr<net::KeyStore> keys, LiveSessions& sessions, Durability* durability, Clock& clock,
           std::function<void()> keys_changed);
  ~KeyWatch();

 private:
  void run();
  void end_sessions();

  const std::shared_ptr<net::KeyStore> keys_;
  LiveSessions& sessions_;
  Durability* const durability_;
  Clock& clock_;
  const std::function<void()> keys_changed_;
  std::mutex mutex_;  // guards stopping_
  Signal changed_;
  bool stopping_ = false;
  Thread thread_;
};

}  // namespace braid::serve
