#pragma once
// The stages that an answer's time is attributed to, and the record a packet carries through them.

#include <array>
#include <cstddef>
#include <cstdint>

#include "braid/base/time.h"

namespace braid {

/// In the order in which a packet and then an answer pass them. The names are those of JSON, metrics and
/// docs.
enum class Stage : std::uint8_t {
  kCapture,       ///< the sensor or network still has it
  kIngest,        ///< demux, decode, scale
  kSync,          ///< waiting for the other streams' bounds; voice activity
  kEncodeQueue,   ///< waiting for the encoder
  kEncode,        ///< pixels or samples to embeddings
  kPrefillQueue,  ///< waiting for a step
  kPrefill,       ///< in a step, as rows
  kRetrieve,      ///< evidence from memory
  kSchedule,      ///< an answer that waits for a step or the device
  kDecodeFirst,   ///< the question's last rows and the first token's sampling
  kDecode,        ///< the other tokens
  kDeliver,       ///< last token made, not all bytes delivered
  kUnattributed,  ///< nobody said
};
inline constexpr std::size_t kStageCount = 13;

/// "decode_first" for Stage::kDecodeFirst.
const char* to_string(Stage stage);

/// Milliseconds by stage; indexed by Stage.
struct StageTimes {
  std::array<Nanoseconds, kStageCount> by_stage{};

  Nanoseconds& operator[](Stage stage) { return by_stage[static_cast<std::size_t>(stage)]; }
  Nanoseconds operator[](Stage stage) const { return by_stage[static_cast<std::size_t>(stage)]; }
  Nanoseconds sum() const;
};

/// Who held a packet or an answer, and from when: a list of entries, each lasting until the next. Fixed
/// capacity, so recording allocates nothing; when full, the last entry is replaced and the one before it
/// lasts longer: totals and end stay right.
class StageTrace {
 public:
  /// From `at` on, `stage` holds it. Times must not go back; an earlier `at` is taken as the last one.
  void enter(Stage stage, SteadyTime at);
  /// From `at` on nobody holds it, until the next enter().
  void leave(SteadyTime at);

  bool empty() const { return size_ == 0; }
  /// Who holds it now; kUnattributed: nobody.
  Stage holder() const { return empty() ? Stage::kUnattributed : entries_[size_ - 1].stage; }
  SteadyTime begin() const { return entries_[0].at; }
  SteadyTime end() const { return entries_[size_ - 1].at; }

  /// How long each stage held it between `from` and `to`.
  void add_to(StageTimes& times, SteadyTime from, SteadyTime to) const;
  StageTimes times() const;

 private:
  struct Entry {
    SteadyTime at;
    Stage stage;  // kUnattributed: nobody
  };
  static constexpr std::size_t kCapacity = 12;
  std::array<Entry, kCapacity> entries_{};
  std::uint8_t size_ = 0;
};

/// Adds up who held an answer, for as many changes of hands as it takes. One thread.
class StageMeter {
 public:
  /// From `at` on, `stage` holds it.
  void enter(Stage stage, SteadyTime at);
  /// Counts the time since the last enter().
  void stop(SteadyTime at);
  /// Adds what others recorded.
  void add(const StageTimes& times);
  const StageTimes& times() const { return times_; }

 private:
  StageTimes times_;
  Stage stage_ = Stage::kUnattributed;
  SteadyTime since_{};
};

}  // namespace braid
