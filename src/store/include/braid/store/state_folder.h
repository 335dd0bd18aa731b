#pragma once
// Where a server keeps what outlives it: a folder for each session.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::store {

/// "sess_" and 32 small hex digits: a session's id, which is its folder's name.
bool is_session_folder(std::string_view name);

/// For one process at a time. Files and folders that it didn't make it leaves alone, wherever they lie; what
/// it makes is of mode 0700 and 0600. Thread-safe, as far as two threads don't use one name.
class StateFolder {
 public:
  /// Made where it is missing, though not its parents. kNotFound: neither are they; kUsage: it isn't a
  /// folder, or one that holds other things and was never a state folder, which stays as it is; kFull:
  /// another process uses it; kResource.
  static Result<StateFolder> open(std::string path);
  StateFolder(StateFolder&&) noexcept;
  StateFolder& operator=(StateFolder&&) noexcept;
  ~StateFolder();

  /// Names of sessions' folders that are there, sorted.
  std::vector<std::string> names() const;
  /// Of the snapshot and the log in the session's folder.
  std::uint64_t bytes(std::string_view name) const;
  /// kResource: it was removed or replaced since it was opened; another process may have what is there now.
  Status is_there() const;
  /// The session's folder's path; it is made where it is missing. kUsage: not a name; errors of is_there().
  Result<std::string> make(std::string_view name);
  /// The snapshot and the log in it, and itself. Names that aren't there are fine. kUsage: it holds other
  /// things, and stays with them; kResource.
  Status remove(std::string_view name);

 private:
  struct State;
  explicit StateFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace braid::store
