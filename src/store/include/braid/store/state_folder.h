#pragma once
// Where a server keeps what outlives it: a folder for each session.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::store {

/// 1 to 64 letters, digits, '_' and '-': what may name a folder of its own, and nothing else.
bool is_folder_name(std::string_view name);

/// Of mode 0700 and for one process at a time. Thread-safe, as far as two threads don't use one name.
class StateFolder {
 public:
  /// Made where it is missing, though not its parents. kNotFound: neither are they; kFull: another process
  /// uses it; kResource.
  static Result<StateFolder> open(std::string path);
  StateFolder(StateFolder&&) noexcept;
  StateFolder& operator=(StateFolder&&) noexcept;
  ~StateFolder();

  /// Names of those that are there, sorted.
  std::vector<std::string> names() const;
  /// The folder's path; it is made where it is missing. kUsage: not a name.
  Result<std::string> make(std::string_view name);
  /// With all that is in it. Names that aren't there are fine.
  Status remove(std::string_view name);

 private:
  struct State;
  explicit StateFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace braid::store
