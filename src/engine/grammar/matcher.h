#pragma once
// Steps through a grammar byte by byte.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "grammar/program.h"

namespace braid::engine::grammar {

/// A pushdown automaton whose states are made as they are met, and kept. What is still to come is a stack of
/// places in rules; stacks are linked lists that share their tails, equal ones are one (hash consing), and a
/// state is the set of all stacks that the bytes so far allow (Tomita, An Efficient Augmented-Context-Free
/// Parsing Algorithm, 1987; regular parts become a DFA as in Thompson, Regular Expression Search Algorithm,
/// 1968). So inside a string the same state comes back, and a byte costs a look-up.
///
/// Work and memory are bounded: where a grammar takes more stacks or steps than that, exhausted() is true,
/// and all further answers mean nothing. One thread.
class Matcher {
 public:
  using State = std::int32_t;
  static constexpr State kDead = -1;

  static constexpr std::size_t kMaxStacks = 4096;      ///< of one state
  static constexpr std::size_t kMaxKept = 1U << 19;    ///< stacks and transitions kept before forget()
  static constexpr std::uint64_t kMaxWork = 1U << 18;  ///< places visited between two calls of renew()

  /// `program` outlives it.
  explicit Matcher(const Program& program);

  State start() const { return start_; }
  State step(State from, std::uint8_t byte);
  /// Whether the text may end here.
  bool may_end(State state) const { return states_[static_cast<std::size_t>(state)].may_end; }

  bool exhausted() const { return exhausted_; }
  /// Work counts anew; call it before each token.
  void renew() { work_ = 0; }
  /// Too much is kept: forget() is due.
  bool crowded() const { return stacks_.size() + transitions_.size() + nodes_.size() > kMaxKept; }
  /// Drops all states but this one, which has another name from then on.
  State forget(State keep);

 private:
  using Node = std::uint32_t;
  static constexpr Node kBottom = 0;  // the empty stack
  static constexpr State kUnknown = -2;

  struct Link {
    std::uint32_t place;  // in Program::elements
    Node below;
  };
  struct Known {
    std::uint32_t first = 0;  // its stacks, in stacks_
    std::uint32_t count = 0;
    bool may_end = false;
    State same_hash = kDead;
  };

  Node link(std::uint32_t place, Node below);
  /// The stack after the element at `place`; a rule's last element leaves nothing behind.
  Node after(std::uint32_t place, Node below);
  void visit(Node node);
  void close();
  State intern();
  State settle();
  State compute(State from, std::size_t byte_class);

  const Program& program_;
  std::vector<Link> nodes_;
  std::unordered_map<std::uint64_t, Node> node_ids_;
  std::vector<Known> states_;
  std::vector<Node> stacks_;
  std::unordered_map<std::uint64_t, State> state_ids_;
  std::vector<State> transitions_;  // [states, classes]
  State start_ = kDead;
  std::uint64_t work_ = 0;
  bool exhausted_ = false;

  // Of the state that is being made.
  std::vector<Node> todo_;
  std::vector<Node> found_;
  bool found_end_ = false;
  std::vector<std::uint32_t> seen_;  // [nodes] the round in which it was visited
  std::vector<State> closed_;        // [nodes] the state of that stack alone
  std::uint32_t round_ = 0;
};

}  // namespace braid::engine::grammar
