#pragma once
// Texts as vectors of their words.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace braid::retrieve {

/// A word's number and its weight, in order of the numbers; of length 1, or empty.
using TermVector = std::vector<std::pair<int, float>>;

float cosine(const TermVector& a, const TermVector& b);

/// Words that few of the texts have weigh more (TF-IDF). One thread.
class TermWeights {
 public:
  /// The texts that words are counted over.
  void count(std::string_view text);
  /// Words that were never counted weigh nothing.
  TermVector vector_of(std::string_view text) const;

 private:
  struct Term {
    int id = 0;
    int texts = 0;  // that have it
  };
  std::map<std::string, Term, std::less<>> terms_;
  int texts_ = 0;
};

}  // namespace braid::retrieve
