#pragma once
// A pipeline beside a session: hears what its sources send, and does what the stages say.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/retrieve/memory.h"
#include "braid/serve/session.h"
#include "pipeline/firing.h"
#include "pipeline/held_streams.h"
#include "pipeline/triggers.h"
#include "session/sync_tap.h"

namespace braid::serve {

/// What stages do it with. All may be called from the pipeline's thread; what is null isn't there.
struct PipelineTools {
  std::function<Result<QuestionId>(Question question)> ask;
  std::function<bool(deliver::PipelineEvent event)> tell;
  std::shared_ptr<retrieve::Memory> memory;
  std::string session;  ///< of the memory's records: its id
  /// `body`: JSON. Doesn't block; the error of what can't be begun.
  std::function<Status(const PipelineStage& stage, std::string body)> post;
  /// Frames and utterances that aren't in words yet, and how many are.
  std::function<NotesBehind()> notes;
  /// Sources have ended and nothing is left to do. On the pipeline's thread, once.
  std::function<void()> done;
};

/// Those that are the session's, which is there when they are called.
PipelineTools tools_of(const std::function<Session&()>& session);

struct PipelineCounts {
  std::uint64_t fired = 0;
  std::uint64_t failed = 0;
  std::uint64_t cooled = 0;       ///< came too soon after the last
  std::uint64_t passed_over = 0;  ///< too many were under way
};

/// What fires, and with which window, depends on stamps and bounds alone. Up to kMostOpen firings are under
/// way at once; more are passed over, counted and told of. Outlives the session; its tap is on the sync
/// thread, on_event() on the delivery thread.
class PipelineRun final : public SyncTap {
 public:
  static constexpr std::size_t kMostOpen = 256;

  /// kUsage: a fault of the plan; a stage needs something that isn't among the tools.
  static Result<std::unique_ptr<PipelineRun>> create(PipelinePlan plan, PipelineTools tools, Clock& clock);
  ~PipelineRun() override;

  /// Says when session time 0 is; asked once, when the session runs. Before it starts.
  void begin(std::function<UtcTime()> zero) { zero_of_ = std::move(zero); }
  /// Whether frames and utterances are to be put into words.
  bool needs_notes() const;
  /// What a session beside it needs. Before that is made.
  void attach(SessionOptions& options);
  /// Nothing more fires. When it returns, tools aren't called any more.
  void close();
  PipelineCounts counts() const;

  void on_event(const deliver::Event& event);

  void add_source(SourceId source, const ingest::SourceInfo& info) override;
  void arrived(SourceId source, const Packet& packet) override;
  void assumed(const std::vector<sync::Advance>& advances) override;
  void ended(SourceId source) override;
  bool let_out(const sync::Timed& item) override;
  void passed(SessionTime frontier) override;

 private:
  using FiringPtr = std::shared_ptr<Firing>;

  PipelineRun(PipelinePlan plan, PipelineTools tools, Clock& clock);

  // With the lock held.
  void pass(SessionTime frontier);
  void happened(const std::vector<Happened>& all);
  void fire(const Happened& trigger, std::optional<sync::AlignedWindow> window = {});
  void follow(const Firing& done);
  bool admit(std::size_t stage, SessionTime at);
  void release_ready();
  void forget();
  void answered(const Answer& answer);
  std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex_); }
  bool idle() const { return waiting_.empty() && jobs_.empty() && asked_.empty() && !busy_at_; }
  /// Every note that is to come has come.
  bool all_noted() const;

  // On the pipeline's thread, without it.
  void run();
  void act(const FiringPtr& firing);
  void ask(const FiringPtr& firing);
  Status retrieve(Firing& firing);
  Status store(Firing& firing);
  Status post(Firing& firing);
  Status clip(Firing& firing);
  void finish(const FiringPtr& firing, Status status);
  void take_answer(const FiringPtr& firing);
  void tell_passed_over();

  UtcTime utc(SessionTime at) const;
  std::string when(SessionTime at) const;
  std::string text_of(const Firing& firing) const;

  const PipelinePlan plan_;
  const PipelineTools tools_;
  Clock& clock_;
  const std::set<std::string> unperceived_;
  std::function<UtcTime()> zero_of_;
  mutable std::once_flag zero_asked_;
  mutable UtcTime zero_{};
  Nanoseconds reach_{};  // how long before a trigger a window may begin

  mutable std::mutex mutex_;  // guards what follows
  Signal changed_;
  HeldStreams held_;
  Triggers triggers_;
  std::map<std::size_t, std::size_t> windows_;  // by stage: of held_
  std::map<std::size_t, SessionTime> last_;     // by stage: when it was triggered
  std::vector<FiringPtr> waiting_;              // for their windows, in order of what triggered them
  std::deque<FiringPtr> jobs_;
  std::map<std::int64_t, FiringPtr> asked_;  // by question
  std::vector<Answer> early_;                // that came while their question was being asked
  PipelineCounts counts_;
  std::uint64_t next_ = 0;
  std::uint64_t notes_heard_ = 0;
  SessionTime frontier_{};
  bool asking_ = false;
  std::optional<SessionTime> busy_at_;  // the thread acts on something of then
  bool all_seen_ = false;               // sources have ended, and the model has got all
  bool stopping_ = false;
  bool told_done_ = false;
  std::uint64_t told_passed_over_ = 0;
  Thread thread_;
};

/// kUsage: a stage needs something that there isn't.
Status check_plan_needs(const PipelinePlan& plan, bool memory);
/// Makes the clips' folders, though not their parents. kResource: one can't be made or written to.
Status make_folders(const PipelinePlan& plan);
/// kUsage: the plan names a source that isn't among these.
Status check_plan_sources(const PipelinePlan& plan, const std::vector<std::string>& names);

}  // namespace braid::serve
