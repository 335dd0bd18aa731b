#pragma once
// Counts what the process allocates, by call site. Linking this replaces malloc and its relatives.

#include <cstdint>
#include <string>
#include <vector>

namespace braid::bench {

/// Whose interface the thread is inside of; what it allocates there counts as theirs.
enum class Owner : std::uint8_t { kOurs, kTokenizer, kEngine, kBench };
const char* to_string(Owner owner);

class OwnerScope {
 public:
  explicit OwnerScope(Owner owner);
  ~OwnerScope();
  OwnerScope(const OwnerScope&) = delete;
  OwnerScope& operator=(const OwnerScope&) = delete;

 private:
  Owner before_;
};

struct AllocationSite {
  Owner owner = Owner::kOurs;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> stack;  ///< innermost first: demangled name, or file+0xoffset
};

/// From here on everything is counted, in all threads.
void start_counting();
/// Ends it; the sites, the most frequent first. At most 4,096 are told apart.
std::vector<AllocationSite> stop_counting();

}  // namespace braid::bench
