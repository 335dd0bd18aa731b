#pragma once
// API keys, known by their hashes alone.

#include <cstdint>
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
/// most once a second, and read when it changed and was the same at the next look; a file that then can't be
/// read, is no regular one, holds an error or no key leaves the keys as they were and is logged. Thread-safe.
/// `find` may read the file: microseconds, rarely.
class KeyStore {
 public:
  /// kNotFound, or kBadInput with the line's number (never its content).
  static Result<std::shared_ptr<KeyStore>> open(std::string path, Clock& clock);
  ~KeyStore();

  /// Whose the key is, or nothing. An unnamed key is called "key-" and the first 12 digits of its hash. Takes
  /// the same time whichever key matches (a hash, then a comparison with each).
  std::optional<Caller> find(std::string_view key);
  /// A key of this name is there now.
  bool has_name(std::string_view name);
  /// The key is there now whose key_line() without a name this is.
  bool has_line(std::string_view line);
  /// Another number whenever the keys have changed.
  std::uint64_t generation();
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
