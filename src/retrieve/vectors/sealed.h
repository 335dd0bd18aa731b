#pragma once
// Vectors of a full segment, in eight bits a number.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "braid/base/result.h"
#include "vectors/block.h"

namespace braid::retrieve {

/// Which vectors a file is of.
struct SealedKey {
  std::uint32_t space = 0;  ///< a hash of its name
  std::int64_t first_id = 0, last_id = 0;
};

/// A query, quantised as the vectors are.
class CoarseQuery {
 public:
  explicit CoarseQuery(std::span<const float> query);
  /// About the inner product; `scale` is the row's.
  float times(std::span<const std::int8_t> row, float scale) const;
  std::size_t dim() const { return values_.size(); }

 private:
  std::vector<std::int8_t> values_;
  float scale_ = 0;
};

/// The bytes of a file: header with CRC32C of what follows, ids, scales, rows of [dim] i8. Every row has a
/// scale of its own, so that its largest number is 127.
std::string sealed_bytes(const SealedKey& key, const VectorBlock& block);

/// Views into a file's bytes.
class Sealed {
 public:
  /// kBadInput: not such a file, cut or altered; kMismatch: of other vectors. Any bytes will do.
  static Result<Sealed> parse(std::string_view bytes, const SealedKey& key);

  std::size_t rows() const { return rows_; }
  std::int64_t id(std::size_t row) const;
  float score(const CoarseQuery& query, std::size_t row) const;
  std::size_t dim() const { return dim_; }

 private:
  std::size_t rows_ = 0, dim_ = 0;
  const char* ids_ = nullptr;     // [rows] i64
  const char* scales_ = nullptr;  // [rows] f32
  const char* values_ = nullptr;  // [rows, dim] i8
};

}  // namespace braid::retrieve
