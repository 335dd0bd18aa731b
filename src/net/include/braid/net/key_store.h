#pragma once
// API keys, known by their hashes alone.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "braid/base/clock.h"
#include "braid/base/result.h"
#include "braid/net/options.h"

namespace braid::net {

/// A keys file has one key a line: its SHA-256 as 64 hex digits, then optionally a blank and a name; '#'
/// begins a comment. At most 10,000 keys in 1 MiB. The file is looked at again when the store is used, at
/// most once a second, and read when it changed; a file that then can't be read or holds an error leaves the
/// keys as they were and is logged. Thread-safe. `find` may read the file: microseconds, rarely.
class KeyStore {
 public:
  /// kNotFound, or kBadInput with the line's number (never its content).
  static Result<std::shared_ptr<KeyStore>> open(std::string path, Clock& clock);
  ~KeyStore();

  /// The name of the key ("key-3" for an unnamed one on line 3), or nothing. Takes the same time whichever
  /// key matches (a hash, then a comparison with each).
  std::optional<std::string> find(std::string_view key);
  /// A key of this name is there now.
  bool has_name(std::string_view name);
  /// The key is there now whose key_line() without a name this is.
  bool has_line(std::string_view line);
  std::size_t size() const;

  /// For ServerOptions::authorise.
  static Authorise rule(std::shared_ptr<KeyStore> store);

 private:
  struct Impl;
  explicit KeyStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A new key: "braid-" and 43 characters of 256 random bits. kResource if the system has no randomness.
Result<std::string> make_key();
/// The line of a keys file for `key`.
std::string key_line(std::string_view key, std::string_view name = {});

}  // namespace braid::net
