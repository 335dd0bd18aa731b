#include "grammar/matcher.h"

#include <algorithm>
#include <utility>

namespace braid::engine::grammar {

Matcher::Matcher(const Program& program) : program_(program) {
  nodes_.push_back({0, kBottom});
  seen_.push_back(0);
  closed_.push_back(kUnknown);
  ++round_;
  const Rule root = program.rules[program.root];
  for (std::uint32_t i = 0; i < root.count; ++i) visit(link(program.starts[root.first + i], kBottom));
  close();
  start_ = intern();
}

Matcher::Node Matcher::link(std::uint32_t place, Node below) {
  const std::uint64_t key = static_cast<std::uint64_t>(place) << 32 | below;
  const auto [at, added] = node_ids_.emplace(key, static_cast<Node>(nodes_.size()));
  if (added) {
    work_ += 4;  // memory is taken
    nodes_.push_back({place, below});
    seen_.push_back(0);
    closed_.push_back(kUnknown);
  }
  return at->second;
}

Matcher::Node Matcher::after(std::uint32_t place, Node below) {
  return program_.elements[place + 1].kind == Element::Kind::kEnd ? below : link(place + 1, below);
}

void Matcher::visit(Node node) {
  if (seen_[node] == round_) return;
  seen_[node] = round_;
  todo_.push_back(node);
}

// Expands calls and ends until every stack begins with bytes.
void Matcher::close() {
  found_.clear();
  found_end_ = false;
  while (!todo_.empty()) {
    if (++work_ > kMaxWork || found_.size() > kMaxStacks) {
      exhausted_ = true;
      todo_.clear();
      return;
    }
    const Node node = todo_.back();
    todo_.pop_back();
    if (node == kBottom) {
      found_end_ = true;
      continue;
    }
    const auto [place, below] = nodes_[node];
    const Element element = program_.elements[place];
    if (element.kind == Element::Kind::kBytes) {
      found_.push_back(node);
    } else if (element.kind == Element::Kind::kEnd) {
      visit(below);
    } else {
      const Node next = after(place, below);
      const Rule rule = program_.rules[element.value];
      work_ += rule.count;
      for (std::uint32_t i = 0; i < rule.count; ++i) visit(link(program_.starts[rule.first + i], next));
    }
  }
}

// The state of what close() found: a known one, or a new one.
Matcher::State Matcher::intern() {
  if (found_.empty() && !found_end_) return kDead;
  std::sort(found_.begin(), found_.end());
  std::uint64_t hash = found_end_ ? 1 : 2;
  for (const Node node : found_) hash = (hash ^ node) * 0x9E3779B97F4A7C15ULL + (hash >> 29);
  const auto known = state_ids_.find(hash);
  for (State at = known == state_ids_.end() ? kDead : known->second; at != kDead;
       at = states_[static_cast<std::size_t>(at)].same_hash) {
    const Known& state = states_[static_cast<std::size_t>(at)];
    if (state.may_end == found_end_ && state.count == found_.size() &&
        std::equal(found_.begin(), found_.end(), stacks_.begin() + state.first))
      return at;
  }
  work_ += 16 + program_.representatives.size() / 4;  // what it takes to keep one
  const auto made = static_cast<State>(states_.size());
  states_.push_back({static_cast<std::uint32_t>(stacks_.size()), static_cast<std::uint32_t>(found_.size()),
                     found_end_, known == state_ids_.end() ? kDead : known->second});
  state_ids_[hash] = made;
  stacks_.insert(stacks_.end(), found_.begin(), found_.end());
  transitions_.resize(transitions_.size() + program_.representatives.size(), kUnknown);
  return made;
}

Matcher::State Matcher::step(State from, std::uint8_t byte) {
  const std::size_t byte_class = program_.class_of[byte];
  const std::size_t at = static_cast<std::size_t>(from) * program_.representatives.size() + byte_class;
  if (transitions_[at] != kUnknown) return transitions_[at];
  const State to = compute(from, byte_class);
  if (!exhausted_) transitions_[at] = to;
  return to;
}

Matcher::State Matcher::compute(State from, std::size_t byte_class) {
  if (exhausted_) return kDead;
  const std::uint8_t byte = program_.representatives[byte_class];
  const Known state = states_[static_cast<std::size_t>(from)];
  work_ += state.count / 8;  // a test of a set is cheap beside a visit
  ++round_;
  for (std::uint32_t i = 0; i < state.count; ++i) {
    const auto [place, below] = nodes_[stacks_[state.first + i]];
    if (program_.sets[program_.elements[place].value].test(byte)) visit(after(place, below));
  }
  return settle();
}

// The state of the stacks to be expanded. Mostly it is one, and many bytes lead to it.
Matcher::State Matcher::settle() {
  const Node single = todo_.size() == 1 ? todo_.front() : kBottom;
  if (single != kBottom && closed_[single] != kUnknown) {
    todo_.clear();
    return closed_[single];
  }
  close();
  if (exhausted_) return kDead;
  const State made = intern();
  if (single != kBottom) closed_[single] = made;
  return made;
}

Matcher::State Matcher::forget(State keep) {
  const Known kept = states_[static_cast<std::size_t>(keep)];
  const std::vector<Link> old_nodes = std::exchange(nodes_, {});
  const std::vector<Node> old_stacks(stacks_.begin() + kept.first, stacks_.begin() + kept.first + kept.count);
  node_ids_.clear();
  states_.clear();
  stacks_.clear();
  state_ids_.clear();
  transitions_.clear();
  seen_.assign(1, 0);
  closed_.assign(1, kUnknown);
  round_ = 1;
  nodes_.push_back({0, kBottom});
  constexpr Node kNone = 0xFFFFFFFF;
  std::vector<Node> renamed(old_nodes.size(), kNone);
  renamed[kBottom] = kBottom;
  std::vector<Node> path;
  found_.clear();
  for (const Node stack : old_stacks) {
    Node at = stack;
    for (; renamed[at] == kNone; at = old_nodes[at].below) path.push_back(at);
    for (; !path.empty(); path.pop_back())
      renamed[path.back()] = link(old_nodes[path.back()].place, renamed[old_nodes[path.back()].below]);
    found_.push_back(renamed[stack]);
  }
  found_end_ = kept.may_end;
  start_ = kDead;
  return intern();
}

}  // namespace braid::engine::grammar
