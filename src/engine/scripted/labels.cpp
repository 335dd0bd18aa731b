#include "scripted/labels.h"

#include <algorithm>

namespace braid::engine::scripted {

namespace {
constexpr float kMark = 1.375F;  // tells our rows from others'
}

int LabelTable::intern(const std::string& label) {
  std::lock_guard lock(mutex_);
  const auto found = std::find(labels_.begin(), labels_.end(), label);
  if (found != labels_.end()) return static_cast<int>(found - labels_.begin());
  labels_.push_back(label);
  return static_cast<int>(labels_.size()) - 1;
}

std::string LabelTable::text(int label) const {
  std::lock_guard lock(mutex_);
  if (label < 0 || static_cast<std::size_t>(label) >= labels_.size()) return "something unknown";
  return labels_[static_cast<std::size_t>(label)];
}

Matrix make_rows(const MediumRow& medium, int dim) {
  Matrix matrix(static_cast<std::size_t>(medium.rows), static_cast<std::size_t>(dim));
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.row(i);
    row[0] = kMark;
    row[1] = static_cast<float>(medium.modality);
    row[2] = static_cast<float>(medium.label);
    row[3] = static_cast<float>(medium.instance);
    row[4] = static_cast<float>(i);
    row[5] = static_cast<float>(medium.rows);
  }
  return matrix;
}

MediumRow read_row(const float* embedding) {
  if (embedding[0] != kMark) return {Modality::kVision, -1, -1, 0, 1};
  return {static_cast<Modality>(static_cast<int>(embedding[1])), static_cast<int>(embedding[2]),
          static_cast<int>(embedding[3]), static_cast<int>(embedding[4]), static_cast<int>(embedding[5])};
}

}  // namespace braid::engine::scripted
