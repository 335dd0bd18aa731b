#pragma once
// What the floats of an embedding row stand for.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "braid/packet/packet.h"
#include "braid/tensor/matrix.h"

namespace braid::engine::scripted {

/// One row of an encoded medium.
struct MediumRow {
  Modality modality = Modality::kVision;
  int label = 0;     // index into the label table; -1: not made by this encoder
  int instance = 0;  // which medium: two with one label differ in it
  int row = 0;
  int rows = 0;  // that the whole medium has
};

/// Labels by number, shared by encoder and decoder. Grows with the number of different labels. Thread-safe.
class LabelTable {
 public:
  int intern(const std::string& label);
  std::string text(int label) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> labels_;
};

inline constexpr int kRowFloats = 6;

/// [rows, dim]: each row begins with the fields of its MediumRow.
Matrix make_rows(const MediumRow& medium, int dim);
MediumRow read_row(const float* embedding);

}  // namespace braid::engine::scripted
