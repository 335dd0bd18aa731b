#include "braid/schedule/prefill_job.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace braid::schedule {

namespace {

int rows_of(const Piece& piece) {
  if (const auto* tokens = std::get_if<TokenRun>(&piece)) return static_cast<int>(tokens->size());
  return static_cast<int>(std::get<EmbeddingRun>(piece).rows->rows);
}

int positions_of(const Piece& piece) {
  const auto* run = std::get_if<EmbeddingRun>(&piece);
  return run ? run->positions : rows_of(piece);
}

bool is_indivisible(const Piece& piece) {
  const auto* run = std::get_if<EmbeddingRun>(&piece);
  return run && run->indivisible;
}

bool has_grid(const Piece& piece) {
  const auto* run = std::get_if<EmbeddingRun>(&piece);
  return run && !run->grid.empty();
}

// Row `offset` of a piece that begins at `base`.
Row row_of(const Piece& piece, int offset, Position base) {
  const auto i = static_cast<std::size_t>(offset);
  Row row;
  row.position = row.y = row.x = base + offset;
  if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
    row.token = (*tokens)[i];
    return row;
  }
  const auto& run = std::get<EmbeddingRun>(piece);
  row.embedding = run.rows->row(i).data();
  if (run.grid.empty()) return row;
  row.position = base + run.grid[i].t;
  row.y = base + run.grid[i].y;
  row.x = base + run.grid[i].x;
  return row;
}

}  // namespace

PrefillJob::PrefillJob(SequenceId sequence, Position start, Prompt prompt, RowKind kind, bool wants_logits,
                       SteadyTime since)
    : sequence_(sequence),
      base_(start),
      prompt_(std::move(prompt)),
      kind_(kind),
      wants_logits_(wants_logits),
      since_(since),
      rows_left_(prompt_.rows()) {
  for (const Piece& piece : prompt_.pieces) {
    const auto* run = std::get_if<EmbeddingRun>(&piece);
    if (run && !run->grid.empty() && run->grid.size() != run->rows->rows)
      throw std::logic_error("a medium's grid must have a position for each of its rows");
  }
  skip_empty();
}

// Moves on to the next piece that still has rows.
void PrefillJob::skip_empty() {
  while (piece_ < prompt_.pieces.size() && offset_ == rows_of(prompt_.pieces[piece_])) {
    base_ += positions_of(prompt_.pieces[piece_]);
    ++piece_;
    offset_ = 0;
  }
}

Position PrefillJob::position() const {
  return piece_ == prompt_.pieces.size() || has_grid(prompt_.pieces[piece_]) ? base_ : base_ + offset_;
}

int PrefillJob::indivisible_next() const {
  if (done() || !is_indivisible(prompt_.pieces[piece_])) return 0;
  return rows_of(prompt_.pieces[piece_]) - offset_;
}

int PrefillJob::emit(StepPlan& plan, int max_rows) const {
  const int whole = indivisible_next();
  if (whole > max_rows) return 0;
  const int limit = whole > 0 ? whole : std::min(max_rows, rows_left_);
  int emitted = 0;
  int offset = offset_;
  Position base = base_;
  for (std::size_t p = piece_; emitted < limit; ++p) {
    const Piece& piece = prompt_.pieces[p];
    if (emitted > 0 && rows_of(piece) > 0 && is_indivisible(piece)) break;
    for (; offset < rows_of(piece) && emitted < limit; ++offset, ++emitted) {
      Row row = row_of(piece, offset, base);
      row.sequence = sequence_;
      row.kind = kind_;
      plan.rows.push_back(row);
    }
    base += positions_of(piece);
    offset = 0;
  }
  if (emitted > 0 && emitted == rows_left_) plan.rows.back().wants_logits = wants_logits_;
  return emitted;
}

void PrefillJob::commit(int rows) {
  if (rows < 0 || rows > rows_left_) throw std::logic_error("more rows committed than the job has left");
  rows_left_ -= rows;
  while (rows > 0) {
    const int step = std::min(rows, rows_of(prompt_.pieces[piece_]) - offset_);
    offset_ += step;
    rows -= step;
    skip_empty();
  }
}

}  // namespace braid::schedule
