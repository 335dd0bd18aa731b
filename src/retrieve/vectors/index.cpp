#include "vectors/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "braid/base/log.h"
#include "braid/store/checksum.h"

namespace braid::retrieve {

namespace {

namespace fs = std::filesystem;

/// Candidates by 8-bit vectors for each hit that is wanted, so that rounding costs none.
constexpr std::size_t kSpare = 4;
constexpr std::size_t kSpareAtLeast = 64;
constexpr const char* kFileEnd = ".i8";
constexpr std::size_t kRowsPerLook = 4096;

std::uint32_t hash_of(const std::string& space) { return store::crc32c({space}); }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Whole or not at all; what a loss of power leaves is told by the checksum.
bool write_file(const std::string& path, const std::string& bytes) {
  const std::string unfinished = path + ".tmp";
  {
    std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) return false;
  }
  return std::rename(unfinished.c_str(), path.c_str()) == 0;
}

/// In several sums, which the compiler may keep in one register.
float product(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kSums = 16;
  std::array<float, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= a.size(); i += kSums)
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += a[i + k] * b[i + k];
  float sum = std::accumulate(sums.begin(), sums.end(), 0.F);
  for (; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Goes along ascending ids and says of each whether it is among those that are allowed.
class Allowed {
 public:
  Allowed(const std::vector<std::int64_t>* ids) : ids_(ids) {}  // null: all are
  bool operator()(std::int64_t id) {
    if (!ids_) return true;
    while (next_ < ids_->size() && (*ids_)[next_] < id) ++next_;
    return next_ < ids_->size() && (*ids_)[next_] == id;
  }

 private:
  const std::vector<std::int64_t>* ids_;
  std::size_t next_ = 0;
};

}  // namespace

/// The best so far.
class VectorIndex::Best {
 public:
  explicit Best(std::size_t room) : room_(room) {}

  void offer(Scored one) {
    if (heap_.size() == room_ && one.score <= heap_.front().score) return;
    if (heap_.size() == room_) {
      std::pop_heap(heap_.begin(), heap_.end(), better);
      heap_.pop_back();
    }
    heap_.push_back(one);
    std::push_heap(heap_.begin(), heap_.end(), better);
  }
  std::vector<Scored> take() { return std::move(heap_); }
  static bool better(const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;
  }

 private:
  const std::size_t room_;
  std::vector<Scored> heap_;  // the worst in front
};

std::string VectorIndex::path_of(const SealedKey& key, std::int64_t segment) const {
  return fmt::format("{}/vectors-{:08x}-{}{}", folder_, key.space, segment, kFileEnd);
}

Status VectorIndex::seal(RowStore& rows, const std::string& space, const SegmentSpan& span,
                         Segment& segment) {
  const std::string path = path_of(segment.key, span.id);
  segment.growing = {};
  segment.bytes = read_file(path);
  auto sealed = Sealed::parse(segment.bytes, segment.key);
  if (!sealed) {
    std::error_code error;
    if (!segment.bytes.empty() && sealed.error().code != ErrorCode::kMismatch) {
      ++damaged_;
      log(LogLevel::kWarning, "{} is set aside and made anew: {}", path, sealed.error().message);
      if (may_write_) fs::rename(path, path + ".damaged", error);
    }
    const auto block = rows.vectors(space, span.first_id, span.last_id);
    if (!block) return tl::unexpected(block.error());
    segment.bytes = sealed_bytes(segment.key, *block);
    // On a full disk it is made again the next time.
    if (may_write_ && !write_file(path, segment.bytes)) fs::remove(path + ".tmp", error);
    sealed = Sealed::parse(segment.bytes, segment.key);
  }
  if (!sealed) return tl::unexpected(sealed.error());
  segment.sealed = *sealed;
  return {};
}

Result<VectorIndex::Segment*> VectorIndex::load(RowStore& rows, const std::string& space,
                                                const SegmentSpan& span) {
  const std::uint32_t hash = hash_of(space);
  Segment& segment = segments_[{hash, span.id}];
  const SealedKey key{hash, span.first_id, span.last_id};
  // Records that were pruned go out of the files too.
  const bool other = segment.key.first_id != key.first_id || segment.key.last_id > key.last_id;
  if (other) segment = {};
  segment.key = key;
  if (segment.sealed) return &segment;
  if (span.full) {
    const auto newest = rows.newest_vector(space);
    if (!newest) return tl::unexpected(newest.error());
    if (*newest > span.last_id) {
      if (Status sealed = seal(rows, space, span, segment); !sealed) return tl::unexpected(sealed.error());
      return &segment;
    }
  }
  const std::int64_t from = segment.growing.ids.empty() ? span.first_id : segment.growing.ids.back() + 1;
  const auto more = rows.vectors(space, from, span.last_id);
  if (!more) return tl::unexpected(more.error());
  segment.growing.dim = more->dim;
  segment.growing.ids.insert(segment.growing.ids.end(), more->ids.begin(), more->ids.end());
  segment.growing.values.insert(segment.growing.values.end(), more->values.begin(), more->values.end());
  return &segment;
}

void VectorIndex::keep_only(const std::vector<SegmentSpan>& spans) {
  const auto there = [&](std::int64_t id) {
    return std::any_of(spans.begin(), spans.end(), [id](const SegmentSpan& span) { return span.id == id; });
  };
  std::erase_if(segments_, [&](const auto& one) { return !there(one.first.second); });
  std::error_code error, ignored;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with("vectors-") || !name.ends_with(kFileEnd)) continue;
    const std::size_t number = name.rfind('-') + 1;
    std::int64_t id = 0;
    std::from_chars(name.data() + number, name.data() + name.size(), id);
    if (!there(id)) fs::remove(at->path(), ignored);
  }
}

Status VectorIndex::rescore(RowStore& rows, const std::string& space, std::span<const float> query,
                            std::vector<Scored>& found) const {
  std::sort(found.begin(), found.end(), [](const Scored& a, const Scored& b) { return a.id < b.id; });
  std::vector<std::int64_t> coarse;
  for (const Scored& one : found)
    if (!one.exact) coarse.push_back(one.id);
  const auto block = rows.vectors(space, coarse);
  if (!block) return tl::unexpected(block.error());
  std::size_t next = 0;
  for (Scored& one : found) {
    if (one.exact) continue;
    const bool there = next < block->ids.size() && block->ids[next] == one.id;
    one.score = there ? product(block->row(next++), query) : -1.F;
  }
  return {};
}

Result<Ranking> VectorIndex::nearest(RowStore& rows, const std::string& space, std::span<const float> query,
                                     const Filter& filter, int limit, float least, const Stop& stop) {
  const auto spans = rows.spans(filter);
  if (!spans) return tl::unexpected(spans.error());
  const auto wanted = static_cast<std::size_t>(limit);
  Best best(std::max(kSpare * wanted, kSpareAtLeast));
  const CoarseQuery coarse(query);
  for (const SegmentSpan& span : *spans) {
    if (stop && stop()) return fail(ErrorCode::kLate, "the search by vectors took too long", true);
    const auto segment = load(rows, space, span);
    if (!segment) return tl::unexpected(segment.error());
    std::vector<std::int64_t> some;
    if (!span.inside) {
      auto ids = rows.ids(span, filter);
      if (!ids) return tl::unexpected(ids.error());
      some = std::move(*ids);
    }
    Allowed allowed(span.inside ? nullptr : &some);
    const Segment& in = **segment;
    const std::size_t count = in.sealed ? in.sealed->rows() : in.growing.ids.size();
    if (count > 0 && (in.sealed ? in.sealed->dim() : in.growing.dim) != query.size()) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % kRowsPerLook == 0 && stop && stop())
        return fail(ErrorCode::kLate, "the search by vectors took too long", true);
      const std::int64_t id = in.sealed ? in.sealed->id(i) : in.growing.ids[i];
      if (!allowed(id)) continue;
      best.offer(
          {in.sealed ? in.sealed->score(coarse, i) : product(in.growing.row(i), query), id, !in.sealed});
    }
  }
  std::vector<Scored> found = best.take();
  if (Status done = rescore(rows, space, query, found); !done) return tl::unexpected(done.error());
  std::sort(found.begin(), found.end(), Best::better);
  Ranking ranking;
  for (const Scored& one : found) {
    if (ranking.ids.size() == wanted || one.score < least) break;
    ranking.ids.push_back(one.id);
    ranking.scores.push_back(one.score);
  }
  return ranking;
}

}  // namespace braid::retrieve
