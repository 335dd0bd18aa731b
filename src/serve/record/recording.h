#pragma once
// A recording, read.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/store/record_file.h"
#include "record/events.h"

namespace braid::serve {

/// What the model said in it.
struct ModelTables {
  std::map<std::pair<std::string, bool>, TokenRun> tokens;  ///< by text and `special`
  std::map<Token, Spelled> pieces;
  std::map<std::pair<int, int>, int> frame_rows;             ///< by width and height
  std::deque<MediumEncoded> media;                           ///< as they were encoded
  std::map<std::uint32_t, std::deque<float>> probabilities;  ///< of speech, by detector
};

/// One thread. Any bytes will do; doesn't throw.
class Recording {
 public:
  /// Looks through all of it. Errors of RecordFileReader; kBadInput: an event was altered, or doesn't fit the
  /// others; kUnsupported: of a later program.
  static Result<Recording> open(const std::string& path);
  static Result<Recording> over(std::string bytes);

  const Opened& opened() const { return opened_; }
  const ModelTables& tables() const { return tables_; }
  /// It ends as the session did; else it was cut short.
  bool ended() const { return ended_; }
  bool lost() const { return lost_; }
  std::uint64_t torn_bytes() const { return torn_; }
  std::uint64_t events() const { return events_; }

  /// The next event; none: no more, or they were lost.
  Result<std::optional<RecordedEvent>> next();

 private:
  explicit Recording(store::RecordFileReader reader) : reader_(std::move(reader)) {}
  static Result<Recording> look_through(Result<store::RecordFileReader> first,
                                        Result<store::RecordFileReader> second);
  Status keep(RecordedEvent event);
  Status check(const RecordedEvent& event) const;

  store::RecordFileReader reader_;
  Opened opened_;
  ModelTables tables_;
  bool has_opened_ = false, ended_ = false, lost_ = false;
  std::uint64_t torn_ = 0, events_ = 0;
};

}  // namespace braid::serve
