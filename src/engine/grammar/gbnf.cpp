#include "grammar/gbnf.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "braid/base/utf8.h"
#include "grammar/builder.h"
#include "grammar/text_reader.h"

namespace braid::engine::grammar {

namespace {

constexpr int kMaxDepth = 200;  // of groups

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-'; }

/// Reads one grammar, valid UTF-8, into a builder; its rules' names begin with `scope` there. The first error
/// stops all: every step asks in_.ok().
class Reader {
 public:
  Reader(std::string_view text, std::string scope, Builder& builder)
      : in_(text), scope_(std::move(scope)), builder_(builder) {}

  /// The root rule.
  Result<std::uint32_t> read() {
    skip_space(true);
    while (in_.ok() && !in_.at_end()) read_rule();
    if (in_.ok() && !builder_.knows(scope_ + "root")) refuse("has no rule 'root'");
    if (const std::string missing = builder_.undefined(); in_.ok() && !missing.empty())
      refuse(fmt::format("names a rule '{}' that it doesn't define", missing));
    if (!in_.ok()) return tl::unexpected(in_.error());
    return rule_of("root");
  }

 private:
  std::uint32_t rule_of(std::string_view name) { return builder_.named(scope_ + std::string(name)); }

  void refuse(const std::string& what, ErrorCode code = ErrorCode::kBadInput) {
    in_.refuse("the grammar " + what, code);
  }

  void skip_space(bool newlines) {
    for (;; in_.skip(1)) {
      if (in_.peek() == '#')
        while (!in_.at_end() && in_.peek() != '\n') in_.skip(1);
      const char c = in_.peek();
      if (c != ' ' && c != '\t' && !(newlines && (c == '\n' || c == '\r'))) return;
    }
  }

  std::string_view read_name() {
    std::size_t length = 0;
    while (is_name(in_.peek(length))) ++length;
    if (length == 0) refuse("lacks a name");
    const std::string_view name = in_.rest().substr(0, length);
    in_.skip(length);
    return name;
  }

  void read_rule() {
    const std::string_view name = read_name();
    if (!in_.ok()) return;
    const std::uint32_t rule = rule_of(name);
    skip_space(false);
    if (!in_.rest().starts_with("::=")) return refuse("lacks '::='");
    in_.skip(3);
    skip_space(true);
    auto alternatives = read_alternatives(0);
    if (!in_.ok()) return;
    builder_.define(rule, std::move(alternatives));
    if (!in_.at_end() && in_.peek() != '\n' && in_.peek() != '\r') refuse("lacks the end of a rule");
    skip_space(true);
  }

  // Inside a group lines may break anywhere; outside a line's end ends the rule.
  std::vector<Sequence> read_alternatives(int depth) {
    std::vector<Sequence> alternatives;
    do {
      skip_space(true);
      alternatives.push_back(read_sequence(depth));
    } while (in_.ok() && in_.take('|'));
    return alternatives;
  }

  Sequence read_sequence(int depth) {
    Sequence sequence;
    std::size_t last = 0;  // where the symbol begins that a repetition repeats
    while (in_.ok() && !in_.at_end()) {
      const char c = in_.peek();
      if (c == '*' || c == '+' || c == '?' || c == '{') {
        read_repetition(sequence, last);
      } else {
        last = sequence.size();
        if (!read_symbol(sequence, depth)) break;
      }
      skip_space(depth > 0);
      if (builder_.full()) refuse("has too many elements and repetitions", ErrorCode::kLimit);
    }
    return sequence;
  }

  bool read_symbol(Sequence& sequence, int depth) {
    if (is_name(in_.peek()))
      sequence.push_back({Element::Kind::kRule, rule_of(read_name())});
    else if (in_.take('"'))
      read_literal(sequence);
    else if (in_.take('['))
      sequence.push_back(read_class());
    else if (in_.take('.'))
      sequence.push_back(builder_.one_of(complement({})));
    else if (in_.take('('))
      read_group(sequence, depth);
    else
      return false;
    return true;
  }

  void read_group(Sequence& sequence, int depth) {
    if (depth >= kMaxDepth)
      return refuse(fmt::format("has groups more than {} deep", kMaxDepth), ErrorCode::kLimit);
    auto alternatives = read_alternatives(depth + 1);
    if (in_.ok() && !in_.take(')')) refuse("lacks ')'");
    if (in_.ok()) sequence.push_back({Element::Kind::kRule, builder_.make(std::move(alternatives))});
  }

  void read_literal(Sequence& sequence) {
    while (in_.ok() && !in_.take('"')) {
      if (in_.at_end()) return refuse("lacks the end of a literal");
      builder_.append(sequence, read_character());
    }
  }

  Element read_class() {
    const bool negated = in_.take('^');
    std::vector<CharacterRange> ranges;
    while (in_.ok() && !in_.take(']')) {
      if (in_.at_end()) {
        refuse("lacks ']'");
        break;
      }
      const std::uint32_t first = read_character();
      std::uint32_t last = first;
      if (in_.peek() == '-' && in_.peek(1) != ']' && in_.peek(1) != '\0') {
        in_.skip(1);
        last = read_character();
      }
      if (first <= last) ranges.emplace_back(first, last);
    }
    return in_.ok() ? builder_.one_of(negated ? complement(std::move(ranges)) : ranges) : Element{};
  }

  std::uint32_t read_character() { return in_.take('\\') ? read_escape() : in_.character(); }

  std::uint32_t read_escape() {
    const char kind = in_.peek();
    in_.skip(1);
    switch (kind) {
      case 'x':
        return read_hex(2);
      case 'u':
        return read_hex(4);
      case 'U':
        return read_hex(8);
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'n':
        return '\n';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
        return static_cast<std::uint32_t>(kind);
      default:
        refuse("has an unknown escape");
        return 0;
    }
  }

  std::uint32_t read_hex(int digits) {
    const std::uint32_t character = in_.hex(digits);
    if (character > kLastCharacter) refuse("names a character beyond the last");
    return character;
  }

  void read_repetition(Sequence& sequence, std::size_t last) {
    std::uint32_t least = 0;
    std::uint32_t most = Builder::kUnbounded;
    const char kind = in_.peek();
    in_.skip(1);
    if (kind == '+') least = 1;
    if (kind == '?') most = 1;
    if (kind == '{') std::tie(least, most) = read_counts();
    if (!in_.ok()) return;
    if (last >= sequence.size()) return refuse("repeats nothing");
    if (most < least) return refuse("repeats less often than it repeats");
    const Sequence repeated(sequence.begin() + static_cast<std::ptrdiff_t>(last), sequence.end());
    sequence.resize(last);
    const Element what =
        repeated.size() == 1 ? repeated.front() : Element{Element::Kind::kRule, builder_.make({repeated})};
    builder_.append_repeated(sequence, what, least, most);
  }

  std::pair<std::uint32_t, std::uint32_t> read_counts() {
    skip_space(false);
    const std::uint32_t least = in_.count(Builder::kMaxRepeats);
    std::uint32_t most = least;
    skip_space(false);
    if (in_.take(',')) {
      skip_space(false);
      most = is_digit(in_.peek()) ? in_.count(Builder::kMaxRepeats) : Builder::kUnbounded;
      skip_space(false);
    }
    if (in_.ok() && !in_.take('}')) refuse("lacks '}'");
    return {least, most};
  }

  TextReader in_;
  std::string scope_;
  Builder& builder_;
};

Result<std::uint32_t> read_into(Builder& builder, std::string_view text, std::string scope) {
  if (text.size() > kMaxGrammarBytes)
    return fail(ErrorCode::kLimit, fmt::format("the grammar takes {} bytes; at most {} are read", text.size(),
                                               kMaxGrammarBytes));
  if (to_valid_utf8(text) != text) return fail(ErrorCode::kBadInput, "the grammar isn't UTF-8");
  return Reader(text, std::move(scope), builder).read();
}

}  // namespace

Result<Program> read_gbnf(std::string_view text) {
  Builder builder;
  const auto root = read_into(builder, text, "");
  if (!root) return tl::unexpected(root.error());
  return builder.lay_out(*root);
}

Result<Program> read_either_gbnf(std::string_view first, std::string_view before, std::string_view second) {
  Builder builder;
  const auto one = read_into(builder, first, "first ");
  if (!one) return tl::unexpected(one.error());
  const auto other = read_into(builder, second, "second ");
  if (!other) return tl::unexpected(other.error());
  Sequence sequence;
  const std::string valid = to_valid_utf8(before);
  for (TextReader in(valid); !in.at_end();) builder.append(sequence, in.character());
  sequence.push_back({Element::Kind::kRule, *other});
  return builder.lay_out(builder.make({{{Element::Kind::kRule, *one}}, std::move(sequence)}));
}

}  // namespace braid::engine::grammar
