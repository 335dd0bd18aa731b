#pragma once
// What a sequence's cells say: the scripted engine's understanding of a prompt.

#include <span>
#include <string>
#include <vector>

#include "braid/engine/scripted_engine.h"
#include "scripted/cells.h"
#include "scripted/vocabulary.h"

namespace braid::engine::scripted {

/// Lines of a user turn that begin with a time in brackets are chunks; what follows the last of them is the
/// question.
struct View {
  std::vector<std::string> seen, heard, read, said;
  std::string last;          // the newest chunk's
  std::string question;      // of the turn being answered
  bool answering = false;    // an answer's turn is open
  std::size_t answered = 0;  // its tokens so far
};

View read_cells(const CellStore::Held& cells, const Vocabulary& vocabulary, const LabelTable& labels);

/// The first fitting rule's answer.
std::string answer_to(const View& view, std::span<const AnswerRule> rules);

/// Cells as text, media as "{label}".
std::string render(const CellStore::Held& cells, const Vocabulary& vocabulary, const LabelTable& labels);

}  // namespace braid::engine::scripted
