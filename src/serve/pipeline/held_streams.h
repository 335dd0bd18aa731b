#pragma once
// What sources sent lately, by stream and time, for the windows of a pipeline's stages.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "braid/deliver/events.h"
#include "braid/ingest/source.h"
#include "braid/serve/pipeline.h"
#include "braid/sync/window_policies.h"

namespace braid::serve {

struct HeldPicture {
  SessionTime at;
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< [height, width, 3]
};

/// What a window had: by stream, and in words.
struct Gathered {
  std::vector<deliver::PipelineStream> streams;
  /// Lines and readings, in order of time; of a source with more than a few readings one summary.
  std::vector<Evidence> words;
  /// By source, where pictures are kept.
  std::map<std::string, std::vector<std::shared_ptr<const HeldPicture>>> pictures;
};

/// Holds members and texts until no window needs them. One thread.
class HeldStreams {
 public:
  static constexpr std::size_t kMostHeld = 1 << 16;  ///< of a stream; beyond, the oldest are let go
  static constexpr std::size_t kMostPictureBytes = 256U << 20;  ///< of all streams

  /// With pictures: what frames show, for clips.
  explicit HeldStreams(bool pictures) : keeps_pictures_(pictures) {}

  void add_source(SourceId source, const ingest::SourceInfo& info);
  const std::string& name(SourceId source) const;
  /// Before the first source. Counts up from 0.
  std::size_t add_windows(StageWindows windows);
  /// The next of those in which anything is, once it can't change any more.
  std::optional<sync::AlignedWindow> next_window(std::size_t index);

  void arrived(SourceId source, const Packet& packet);
  void heard(const Utterance& utterance);
  void assumed(const std::vector<sync::Advance>& advances);
  void ended(SourceId source);
  /// Sound has no other bound than this: utterances come out of it late.
  void passed(SessionTime frontier);

  /// Whether what was before `time` can't change any more.
  bool settled(SessionTime time) const;
  /// The latest time that any stream told of.
  SessionTime told() const { return streams_.told(); }
  /// What to look at.
  struct Wanted {
    SessionTime from, to;                      ///< [from, to)
    StageTake take;                            ///< as_of: at `from`; nearest: to their middle
    SessionTime moment;                        ///< that ages are counted to
    std::vector<std::string> sources;          ///< by name; none: all
    const std::set<std::string>* unperceived;  ///< the model hasn't got what these sent
  };
  /// `when` writes a time. None: not settled.
  std::optional<Gathered> gather(const Wanted& wanted, const std::function<std::string(SessionTime)>& when);
  void forget_before(SessionTime time);
  std::size_t held() const { return streams_.held(); }

 private:
  /// What a member says.
  struct Item {
    std::uint64_t number = 0;
    SessionTime at;
    std::string text;                                         // a line's
    std::vector<std::pair<std::string, std::string>> values;  // a reading's
    std::shared_ptr<const HeldPicture> picture;               // a frame's
  };
  /// Members of their own for windows that forget as they go.
  struct Windows {
    sync::AlignedStreams streams{kMostHeld};
    std::unique_ptr<sync::Sliding> sliding;
  };
  void add(sync::StreamKey key, SessionTime at, Nanoseconds error_bound, Item item);
  template <class Do>
  void each(Do what) {
    what(streams_);
    for (auto& windows : windows_) what(windows->streams);
  }
  std::vector<const Item*> items_of(const sync::StreamPart& part) const;
  void put_in_words(const sync::StreamPart& part, const Wanted& wanted,
                    const std::function<std::string(SessionTime)>& when, Gathered& gathered) const;
  std::shared_ptr<const HeldPicture> keep(const Frame& frame);
  void let_go(const Item& item);

  std::vector<std::string> names_;                     // by source
  std::map<sync::StreamKey, std::deque<Item>> items_;  // in order of arrival
  sync::AlignedStreams streams_{kMostHeld};
  std::vector<std::unique_ptr<Windows>> windows_;
  const bool keeps_pictures_;
  std::deque<std::pair<sync::StreamKey, std::uint64_t>> pictured_;  // items with pictures, the oldest first
  std::size_t picture_bytes_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace braid::serve
