#include "vectors/sealed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "braid/store/checksum.h"

namespace braid::retrieve {

namespace {

constexpr std::array<char, 8> kMagic = {'B', 'R', 'A', 'I', 'D', 'V', '0', '1'};
constexpr float kLargest = 127;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t space = 0;
  std::uint32_t dim = 0;
  std::uint64_t rows = 0;
  std::int64_t first_id = 0, last_id = 0;
  std::uint32_t checksum = 0;  // of the header with 0 here, and of what follows
  std::uint32_t unused = 0;
};
static_assert(sizeof(Header) == 48);

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::uint32_t checksum(Header header, std::string_view rest) {
  header.checksum = 0;
  return store::crc32c({bytes_of(std::span<const Header>(&header, 1)), rest});
}

/// Returns the scale by which the rounded numbers are multiplied.
float quantise(std::span<const float> row, std::int8_t* out) {
  float largest = 0;
  for (const float value : row)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const float scale = largest / kLargest;
  for (std::size_t i = 0; i < row.size(); ++i)
    out[i] = scale > 0 && std::isfinite(row[i]) ? static_cast<std::int8_t>(std::lround(row[i] / scale)) : 0;
  return scale;
}

tl::unexpected<Error> damaged(const char* how) {
  return fail(ErrorCode::kBadInput, fmt::format("the file of vectors {}", how));
}

}  // namespace

CoarseQuery::CoarseQuery(std::span<const float> query) : values_(query.size()) {
  scale_ = quantise(query, values_.data());
}

float CoarseQuery::times(std::span<const std::int8_t> row, float scale) const {
  std::int32_t sum = 0;
  // Plain, so that the compiler makes vector instructions of it.
  for (std::size_t i = 0; i < values_.size(); ++i) sum += static_cast<std::int16_t>(values_[i]) * row[i];
  return static_cast<float>(sum) * scale_ * scale;
}

std::string sealed_bytes(const SealedKey& key, const VectorBlock& block) {
  const std::size_t rows = block.ids.size();
  std::vector<float> scales(rows);
  std::vector<std::int8_t> values(rows * block.dim);
  for (std::size_t i = 0; i < rows; ++i) scales[i] = quantise(block.row(i), values.data() + i * block.dim);
  std::string rest(bytes_of(std::span<const std::int64_t>(block.ids)));
  rest += bytes_of(std::span<const float>(scales));
  rest += bytes_of(std::span<const std::int8_t>(values));
  Header header;
  header.space = key.space;
  header.dim = static_cast<std::uint32_t>(block.dim);
  header.rows = rows;
  header.first_id = key.first_id;
  header.last_id = key.last_id;
  header.checksum = checksum(header, rest);
  return std::string(bytes_of(std::span<const Header>(&header, 1))) + rest;
}

Result<Sealed> Sealed::parse(std::string_view bytes, const SealedKey& key) {
  Header header;
  if (bytes.size() < sizeof header) return damaged("is cut");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return damaged("is none");
  if (header.space != key.space || header.first_id != key.first_id || header.last_id != key.last_id)
    return fail(ErrorCode::kMismatch, "the file is of other vectors");
  const std::string_view rest = bytes.substr(sizeof header);
  const std::uint64_t row_bytes = sizeof(std::int64_t) + sizeof(float) + std::uint64_t{header.dim};
  if (header.rows > rest.size() || header.rows * row_bytes != rest.size())
    return damaged("has another length than it says");
  if (checksum(header, rest) != header.checksum) return damaged("has another checksum than it says");
  Sealed sealed;
  sealed.rows_ = header.rows;
  sealed.dim_ = header.dim;
  sealed.ids_ = rest.data();
  sealed.scales_ = sealed.ids_ + sealed.rows_ * sizeof(std::int64_t);
  sealed.values_ = sealed.scales_ + sealed.rows_ * sizeof(float);
  return sealed;
}

std::int64_t Sealed::id(std::size_t row) const {
  std::int64_t id = 0;
  std::memcpy(&id, ids_ + row * sizeof id, sizeof id);
  return id;
}

float Sealed::score(const CoarseQuery& query, std::size_t row) const {
  float scale = 0;
  std::memcpy(&scale, scales_ + row * sizeof scale, sizeof scale);
  return query.times({reinterpret_cast<const std::int8_t*>(values_ + row * dim_), dim_}, scale);
}

}  // namespace braid::retrieve
