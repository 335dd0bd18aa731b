#pragma once
// Pieces of text gathered to passages.

#include <string>
#include <string_view>
#include <vector>

#include "braid/retrieve/document.h"

namespace braid::retrieve {

std::string_view trimmed(std::string_view text);
/// Where to cut what is longer than `most`: behind a sentence, else a word, else a character.
std::size_t cut_place(std::string_view text, std::size_t most);

/// What was cut so far; bounded.
class Passages {
 public:
  /// Trims and cuts it, and puts the title before each piece; nothing where it is blank. `offset` of the
  /// first; with `exact` the others' follow from it, else they are the same.
  void add(Passage whole, std::string_view title, bool exact);
  bool full() const { return passages_.size() > kMaxPassages; }
  /// kLimit: there were too many.
  Result<std::vector<Passage>> take();

 private:
  std::vector<Passage> passages_;
};

/// Joins blocks (paragraphs, rows) to passages; those that are long enough stay by themselves.
class BlockGatherer {
 public:
  explicit BlockGatherer(Passages& passages) : passages_(passages) {}

  /// What follows is below this title.
  void title(std::string_view title);
  void block(std::string_view text, std::int64_t offset);
  void finish();

 private:
  Passages& passages_;
  std::string title_, text_;
  std::int64_t offset_ = -1;
};

}  // namespace braid::retrieve
