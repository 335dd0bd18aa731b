#include "durable/run_bytes.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace braid::serve {

namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");
static_assert(sizeof(GridPosition) == 12);

struct Header {
  std::uint32_t rows, columns;
  std::int32_t positions;
  std::uint32_t indivisible;
  std::uint32_t grid;  // entries
};
static_assert(sizeof(Header) == 20);

}  // namespace

std::string to_bytes(const EmbeddingRun& run) {
  const Header header{static_cast<std::uint32_t>(run.rows->rows),
                      static_cast<std::uint32_t>(run.rows->columns), run.positions, run.indivisible ? 1U : 0U,
                      static_cast<std::uint32_t>(run.grid.size())};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(run.grid.data()), run.grid.size() * sizeof(GridPosition));
  bytes.append(reinterpret_cast<const char*>(run.rows->values.data()),
               run.rows->values.size() * sizeof(float));
  return bytes;
}

Result<EmbeddingRun> parse_run(std::string_view bytes) {
  const auto wrong = [&] {
    return fail(ErrorCode::kBadInput, fmt::format("{} bytes are no embeddings", bytes.size()));
  };
  Header header;
  if (bytes.size() < sizeof header) return wrong();
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::uint64_t grid_bytes = std::uint64_t{header.grid} * sizeof(GridPosition);
  const std::uint64_t values = std::uint64_t{header.rows} * header.columns;
  const std::uint64_t left = bytes.size() - sizeof header;
  if (header.rows == 0 || header.columns == 0 || header.positions < 0 || header.indivisible > 1 ||
      (header.grid != 0 && header.grid != header.rows) || grid_bytes > left || values > left ||
      left != grid_bytes + values * sizeof(float))
    return wrong();
  EmbeddingRun run;
  run.positions = header.positions;
  run.indivisible = header.indivisible == 1;
  run.grid.resize(header.grid);
  const char* at = bytes.data() + sizeof header;
  if (grid_bytes > 0) std::memcpy(run.grid.data(), at, grid_bytes);
  auto rows = std::make_shared<Matrix>(header.rows, header.columns);
  std::memcpy(rows->values.data(), at + grid_bytes, values * sizeof(float));
  run.rows = std::move(rows);
  return run;
}

}  // namespace braid::serve
