#pragma once
// Token bytes to text that may be shown: whole UTF-8 characters, and nothing that may yet turn out to be a
// stop text.

#include <string>
#include <string_view>
#include <vector>

namespace braid::decode {

/// One answer's text. One thread. What comes out doesn't depend on how the bytes were split.
///
/// The stop text that is complete first ends the answer; of several complete at the same place, the longest.
/// What isn't UTF-8 becomes U+FFFD, one for each maximal subpart of a character (The Unicode Standard, 3.9).
class TextStream {
 public:
  /// Empty stop texts are ignored.
  explicit TextStream(std::vector<std::string> stops);

  /// Adds a token's bytes; returns what may be shown now (maybe nothing). Bytes that can't be UTF-8 become
  /// U+FFFD. Nothing after a stop text or finish().
  std::string push(std::string_view bytes);
  /// A stop text was met; what push() returned before it is all there is.
  bool stopped() const { return stopped_; }
  /// The end: what was held back.
  std::string finish();

 private:
  std::string release(bool at_end);
  bool cut_at_stop();
  std::size_t held_back() const;

  std::vector<std::string> stops_;
  std::string bytes_;    // maybe an incomplete character
  std::string pending_;  // whole characters that may begin a stop text
  bool stopped_ = false;
};

}  // namespace braid::decode
