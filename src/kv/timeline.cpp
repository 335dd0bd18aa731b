#include "braid/kv/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace braid::kv {

namespace {

int extent(const Prompt& prompt) { return std::max(prompt.rows(), prompt.positions()); }

// In front of what is there, joined to a run of tokens that begins it.
void prepend(Prompt& prompt, const TokenRun& tokens) {
  if (tokens.empty()) return;
  if (auto* first = std::get_if<TokenRun>(&prompt.pieces.front()))
    first->insert(first->begin(), tokens.begin(), tokens.end());
  else
    prompt.pieces.insert(prompt.pieces.begin(), tokens);
}

}  // namespace

const Prompt& prompt_of(const Kept& kept) {
  return std::visit([](const auto& what) -> const Prompt& { return what->prompt; }, kept);
}

const Chunk* Entry::chunk() const {
  const auto* held = std::get_if<std::shared_ptr<const Chunk>>(&what);
  return held == nullptr ? nullptr : held->get();
}

Timeline::Timeline(WindowOptions options, TokenRun begin, TokenRun separator, TokenRun next_turn)
    : options_(options), separator_(std::move(separator)), next_turn_(std::move(next_turn)) {
  options_.keep = std::min(options_.keep, options_.turn_over_at);  // else a turn-over might evict nothing
  opening_.append(std::move(begin));
  current_ = opened();
}

Timeline::Layout Timeline::opened() const {
  Layout layout;
  layout.end = opening_.positions();
  layout.rows = opening_.rows();
  return layout;
}

Result<Entry> Timeline::append(std::shared_ptr<const Chunk> chunk) { return take(std::move(chunk)); }

Result<Entry> Timeline::append_turns(Prompt turns, SessionTime at) {
  if (turns.rows() > 0) turns.append(next_turn_);
  return take(std::make_shared<Turns>(Turns{std::move(turns), at}));
}

std::size_t Timeline::bytes() const {
  std::size_t bytes = 0;
  for (const Entry& entry : current_.entries) bytes += entry.prompt.bytes();
  return bytes;
}

std::vector<Kept> Timeline::kept() const {
  std::vector<Kept> kept;
  kept.reserve(current_.entries.size());
  for (const Entry& entry : current_.entries) kept.push_back(entry.what);
  return kept;
}

Status Timeline::restore(std::vector<Kept> kept, std::uint64_t evicted) {
  evicted_ = evicted;
  for (Kept& one : kept) {
    drop_oldest(extent(prompt_of(one)));
    if (auto taken = take(std::move(one)); !taken) return tl::unexpected(taken.error());
  }
  return {};
}

void Timeline::drop_oldest(int waiting_rows) {
  if (extent(opening_) + waiting_rows > options_.max_rows || !wants_turn_over(waiting_rows)) return;
  begin_turn_over(waiting_rows);
  finish_turn_over();
}

Result<Entry> Timeline::take(Kept what) {
  const Prompt& prompt = prompt_of(what);
  if (prompt.rows() == 0) return fail(ErrorCode::kBadInput, "a chunk has 0 rows; expected at least 1");
  const int alone = extent(opening_) + extent(prompt);
  if (alone > options_.max_rows)
    return fail(ErrorCode::kLimit,
                fmt::format("a chunk takes {} rows with the system text; the window holds {}: make "
                            "the window larger or the input smaller",
                            alone, options_.max_rows));
  if (!has_room(extent(prompt)))
    return fail(ErrorCode::kFull,
                fmt::format("the window holds {} of {} rows, {} more don't fit until it turns over",
                            current_.extent(), options_.max_rows, extent(prompt)),
                true);
  ++changes_;
  if (successor_) successor_->tail.push_back(place(successor_->layout, what).prompt);
  return place(current_, std::move(what));
}

const Entry& Timeline::place(Layout& layout, Kept what) const {
  Entry entry;
  entry.prompt = prompt_of(what);
  entry.what = std::move(what);
  entry.lead = layout.turn_has_content ? static_cast<int>(separator_.size()) : 0;
  if (entry.lead > 0) prepend(entry.prompt, separator_);
  entry.range = {layout.end, layout.end + entry.prompt.positions()};
  layout.end = entry.range.end;
  layout.rows += entry.prompt.rows();
  layout.turn_has_content = entry.chunk() != nullptr;
  layout.entries.push_back(std::move(entry));
  return layout.entries.back();
}

int Timeline::lead_rows() const {
  return current_.turn_has_content ? static_cast<int>(separator_.size()) : 0;
}

bool Timeline::has_room(int rows) const {
  return current_.extent() + lead_rows() + rows <= options_.max_rows;
}

bool Timeline::wants_turn_over(int waiting_rows) const {
  if (successor_ || current_.entries.empty()) return false;
  if (!has_room(waiting_rows)) return true;
  return current_.extent() > options_.turn_over_at * options_.max_rows && first_kept(waiting_rows) > 0;
}

// The newest entries within `keep`; the very newest also where it is larger, so that an answer is not left
// blind.
std::size_t Timeline::first_kept(int waiting_rows) const {
  const int separator = static_cast<int>(separator_.size());
  const int room = options_.max_rows - extent(opening_) - separator - waiting_rows;
  const int wanted = static_cast<int>(options_.keep * options_.max_rows) - extent(opening_);
  int taken = 0;
  std::size_t first = current_.entries.size();
  while (first > 0) {
    const Entry& entry = current_.entries[first - 1];
    taken += extent(entry.prompt);
    const bool newest = first == current_.entries.size();
    if (taken - entry.lead > (newest ? room : std::min(room, wanted))) break;
    --first;
  }
  return first;
}

std::vector<Prompt> Timeline::begin_turn_over(int waiting_rows) {
  if (successor_) throw std::logic_error("a turn-over has begun already");
  successor_ = Successor{first_kept(waiting_rows), opened(), {}};
  std::vector<Prompt> prompts{opening_};
  prompts.reserve(1 + current_.entries.size() - successor_->first_kept);
  for (std::size_t i = successor_->first_kept; i < current_.entries.size(); ++i)
    prompts.push_back(place(successor_->layout, current_.entries[i].what).prompt);
  return prompts;
}

std::vector<Prompt> Timeline::successor_tail() {
  return successor_ ? std::exchange(successor_->tail, {}) : std::vector<Prompt>{};
}

void Timeline::finish_turn_over() {
  if (!successor_) throw std::logic_error("no turn-over to finish");
  if (!successor_->tail.empty()) throw std::logic_error("the successor has not read all that was appended");
  const auto left = current_.entries.begin() + static_cast<std::ptrdiff_t>(successor_->first_kept);
  evicted_ += static_cast<std::uint64_t>(std::count_if(
      current_.entries.begin(), left, [](const Entry& entry) { return entry.chunk() != nullptr; }));
  ++changes_;
  current_ = std::move(successor_->layout);
  successor_.reset();
}

void Timeline::abandon_turn_over() {
  if (!successor_) throw std::logic_error("no turn-over to give up");
  successor_.reset();
}

TokenRun Timeline::question_lead() const { return current_.turn_has_content ? separator_ : TokenRun{}; }

TokenRun Timeline::question_lead(SessionTime now, Position up_to, SessionTime as_of) const {
  return view(now, up_to, as_of).turn_has_content ? separator_ : TokenRun{};
}

std::vector<Range> Timeline::visible(SessionTime now, Position up_to, SessionTime as_of) const {
  return view(now, up_to, as_of).ranges;
}

WindowInfo Timeline::window(SessionTime now, Position up_to, SessionTime as_of) const {
  return view(now, up_to, as_of).window;
}

namespace {

SessionTime end_of(const Kept& kept) {
  const auto* chunk = std::get_if<std::shared_ptr<const Chunk>>(&kept);
  return chunk != nullptr ? (*chunk)->end : std::get<std::shared_ptr<const Turns>>(kept)->at;
}

void add(std::vector<SourceView>& sources, const Chunk& chunk) {
  auto at = std::lower_bound(sources.begin(), sources.end(), chunk.source,
                             [](const SourceView& view, SourceId id) { return view.source < id; });
  if (at == sources.end() || at->source != chunk.source)
    at = sources.insert(at, {chunk.source, {}, 0, chunk.end, {}});
  ++at->chunks;
  at->newest = std::max(at->newest, chunk.end);
  at->error_bound = std::max(at->error_bound, chunk.error_bound);
}

int& count_of(WindowInfo& window, Modality modality) {
  switch (modality) {
    case Modality::kVision:
      return window.frames;
    case Modality::kAudio:
      return window.utterances;
    case Modality::kText:
      return window.lines;
    case Modality::kReading:
      return window.readings;
  }
  return window.lines;
}

}  // namespace

Timeline::View Timeline::view(SessionTime now, Position up_to, SessionTime as_of) const {
  View view;
  view.ranges.push_back({0, opening_.positions()});
  view.window.from = now;
  view.window.to = now;
  view.window.tokens = opening_.rows();
  view.window.evicted_chunks = static_cast<int>(evicted_);
  for (const Entry& entry : current_.entries) {
    if (entry.range.end > up_to) break;
    const SessionTime end = end_of(entry.what);
    const bool stale = options_.max_age > Nanoseconds::zero() && end < now - options_.max_age;
    if (!stale && end <= as_of) share(entry, view);
  }
  if (view.ranges.front().begin == view.ranges.front().end) view.ranges.erase(view.ranges.begin());
  return view;
}

void Timeline::share(const Entry& entry, View& view) const {
  Range range = entry.range;
  const int rows = entry.prompt.rows();
  // Where what came before is hidden the separator goes too, unless the entry's cells can't be cut by
  // position.
  const bool dangling = !view.turn_has_content && rows == entry.prompt.positions();
  if (dangling) range.begin += entry.lead;
  if (view.ranges.back().end == range.begin)
    view.ranges.back().end = range.end;
  else
    view.ranges.push_back(range);
  const Chunk* const chunk = entry.chunk();
  view.turn_has_content = chunk != nullptr;

  WindowInfo& window = view.window;
  window.tokens += dangling ? rows - entry.lead : rows;
  if (chunk == nullptr) return;
  window.from = window.chunks == 0 ? chunk->start : std::min(window.from, chunk->start);
  window.to = window.chunks == 0 ? chunk->end : std::max(window.to, chunk->end);
  ++window.chunks;
  ++count_of(window, chunk->modality);
  add(window.sources, *chunk);
}

}  // namespace braid::kv
