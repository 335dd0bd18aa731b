#pragma once
// Rows and full text in one SQLite file.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "row_store.h"
#include "sqlite/database.h"

namespace braid::retrieve {

/// Records lie in segments in the order they were added, each with a full-text index of its own: a segment
/// outside of the range asked for isn't touched, and one that is pruned whole is dropped whole. Ranks of
/// several segments are merged by their scores, each by its own segment's word counts.
class SqliteRows final : public RowStore {
 public:
  /// kUnsupported: of a later version. Those of Database::open.
  static Result<std::unique_ptr<SqliteRows>> open(const std::string& path, const MemoryOptions& options);

  Status append(std::vector<Record>& records) override;
  Result<Ranking> by_words(const std::vector<std::string>& words, const Filter& filter, int limit,
                           const Stop& stop) override;
  Result<Ranking> newest(const Filter& filter, int limit, const Stop& stop) override;
  Result<Ranking> earliest(const Filter& filter, int limit, const Stop& stop) override;
  Result<std::vector<KeptLink>> links(std::int64_t id) override;
  Result<std::vector<Record>> page(std::int64_t after, int limit, bool with_vectors) override;
  Result<std::int64_t> imported(const std::string& key) override;
  Status import_records(const std::string& key, std::vector<Record>& records) override;
  Result<std::vector<Record>> get(const std::vector<std::int64_t>& ids) override;
  Result<MemoryStats> stats() override;
  Result<std::int64_t> prune(UtcTime before) override;
  Result<std::uint64_t> bytes() override;
  Result<UtcTime> oldest(std::int64_t one_in) override;
  Result<std::vector<SegmentSpan>> spans(const Filter& filter) override;
  Result<std::vector<std::int64_t>> ids(const SegmentSpan& span, const Filter& filter) override;
  Result<VectorBlock> vectors(const std::string& space, std::int64_t first_id, std::int64_t last_id) override;
  Result<VectorBlock> vectors(const std::string& space, const std::vector<std::int64_t>& ids) override;
  Result<std::int64_t> newest_vector(const std::string& space) override;
  Result<std::vector<Record>> unembedded(std::int64_t after, int limit) override;
  Status append_vectors(const std::string& space, const VectorBlock& block,
                        const std::vector<Merge>& merges) override;

 private:
  struct Segment {
    std::int64_t id = 0, records = 0, first_ns = 0, last_ns = 0;
  };
  struct Space {
    std::int64_t id = 0, dim = 0;
  };
  struct Scored {
    std::int64_t id = 0;
    double score = 0;
  };

  SqliteRows(Database database, std::int64_t segment_records)
      : database_(std::move(database)), segment_records_(segment_records) {}
  Status prepare_format(bool read_only);
  std::string columns() const;
  static Record record_of(const Statement& row);
  Status append_all(std::vector<Record>& records);
  Status append_one(Record& record, Segment& segment);
  Result<Ranking> in_order(const Filter& filter, const char* order, int limit, const Stop& stop);
  Status fill_vectors(std::vector<Record>& records);
  Status import_all(const std::string& key, std::vector<Record>& records);
  Status append_links(const Record& record);
  Status fill_links(std::vector<Record>& records);
  Status append_vector(std::int64_t id, const std::string& in, std::span<const float> vector);
  /// `dim` 0: one that isn't there stays so, with id 0.
  Result<Space> space(const std::string& name, std::int64_t dim);
  Status merge(const Merge& merge);
  static Status read_vectors(Statement& rows, VectorBlock& block);
  Status prune_links(const std::string& chosen);
  Status prune_vectors(const std::string& chosen);
  Status begin_segment(Segment& segment);
  Status save(const Segment& segment);
  Result<std::vector<Segment>> segments(const std::string& where);
  Result<std::string> matching(const Segment& segment, const std::vector<std::string>& words);
  Status search_segment(const Segment& segment, const std::string& match, const Filter& filter, int limit,
                        std::vector<Scored>& found);
  Status search_segments(const std::vector<std::string>& words, const Filter& filter, int limit,
                         const Stop& stop, std::vector<Scored>& found);
  Result<std::int64_t> prune_all(UtcTime before);
  Result<std::int64_t> prune_within(const Segment& segment, std::int64_t before_ns);
  Status transaction(const std::function<Status()>& body);

  Database database_;
  const std::int64_t segment_records_;
  bool has_spaces_ = true;    // not in format 1, which is only read
  bool has_sessions_ = true;  // not in formats 1 and 2
  bool has_links_ = true;     // not in formats 1 to 3
};

}  // namespace braid::retrieve
