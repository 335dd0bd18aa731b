#pragma once
// The words of a question, and the lengths of time among them.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/time.h"

namespace braid::retrieve {

/// A word of the question, in lower case and without what clings to it, and where it lies.
struct Word {
  std::string text;
  std::string written;
  std::size_t begin = 0, end = 0;
};

bool is_in(std::string_view text, std::initializer_list<std::string_view> list);
/// The first few hundred.
std::vector<Word> words_of(std::string_view question);

struct Span {
  Nanoseconds length{}, unit{};
  std::size_t words = 0;
};
/// "72 h", "72h", "two weeks", or a unit alone; up to 100 years.
std::optional<Span> span_at(const std::vector<Word>& words, std::size_t at);

}  // namespace braid::retrieve
