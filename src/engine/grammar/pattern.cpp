#include "grammar/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "grammar/builder.h"
#include "grammar/characters.h"
#include "grammar/text_reader.h"

namespace braid::engine::grammar {

namespace {

using Characters = std::vector<CharacterRange>;

constexpr int kMaxDepth = 40;  // of groups; the conversion takes 100, and some are added

const Characters& digits() {
  static const Characters all = {{'0', '9'}};
  return all;
}
const Characters& word_characters() {
  static const Characters all = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  return all;
}
const Characters& spaces() {
  static const Characters all = {{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
                                 {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                                 {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  return all;
}
/// What '.' is.
const Characters& no_line_ends() {
  static const Characters all = complement({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}});
  return all;
}

bool holds(const Characters& characters, std::uint32_t character) {
  return std::any_of(characters.begin(), characters.end(), [&](const CharacterRange& range) {
    return range.first <= character && character <= range.second;
  });
}

std::string code(std::uint32_t character) {
  return character > 0xFFFF ? fmt::format("\\U{:08X}", character) : fmt::format("\\u{:04X}", character);
}

std::string exactly(std::string_view text) {
  std::string made;
  for (const char c : text) made += fmt::format("[{}]", code(static_cast<unsigned char>(c)));
  return made;
}

/// The characters that stand for themselves between a JSON string's quotes.
std::string raw_class(const Characters& characters) {
  // Outside of these: quotes, backslashes, control characters, surrogates.
  constexpr CharacterRange kRaw[] = {{' ', '!'}, {'#', '['}, {']', 0xD7FF}, {0xE000, kLastCharacter}};
  std::string made;
  for (const auto& [first, last] : characters)
    for (const auto& [least, most] : kRaw) {
      const std::uint32_t from = std::max(first, least);
      const std::uint32_t to = std::min(last, most);
      if (from == to) made += code(from);
      if (from < to) made += fmt::format("{}-{}", code(from), code(to));
    }
  return made.empty() ? made : fmt::format("[{}]", made);
}

/// One of these characters as JSON writes it; empty: none.
std::string one_of(const Characters& characters) {
  std::vector<std::string> forms;
  if (std::string raw = raw_class(characters); !raw.empty()) forms.push_back(std::move(raw));
  for (const auto& [character, letter] :
       {std::pair{'"', '"'}, {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}})
    if (holds(characters, static_cast<std::uint32_t>(character)))
      forms.push_back(exactly(std::string{'\\', letter}));
  if (forms.empty())
    for (std::uint32_t character = 0; character < 0x20; ++character)
      if (holds(characters, character)) forms.push_back(exactly(fmt::format("\\u{:04x}", character)));
  if (forms.size() == 1) return forms.front();
  return forms.empty() ? "" : fmt::format("(?:{})", fmt::join(forms, "|"));
}

class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : in_(pattern) {}

  Result<std::string> read() {
    std::string made = "^(";
    do {
      if (made.size() > 2) made += "|";
      if (!in_.take('^')) made += any_;
      made += read_sequence(0);
      if (!in_.take('$')) made += any_;
    } while (in_.ok() && in_.take('|'));
    if (in_.ok() && !in_.at_end()) in_.refuse("a pattern has a ')' too many");
    if (!in_.ok()) return tl::unexpected(in_.error());
    return made + ")$";
  }

 private:
  std::string read_sequence(int depth) {
    std::string made;
    while (in_.ok() && !in_.at_end()) {
      const char c = in_.peek();
      const bool last_dollar = c == '$' && depth == 0 && (in_.peek(1) == '|' || in_.peek(1) == '\0');
      if (c == '|' || c == ')' || last_dollar) break;
      made += read_repeated(read_atom(depth));
    }
    return made;
  }

  std::string read_atom(int depth) {
    if (in_.take('(')) return read_group(depth);
    if (in_.take('[')) return filled(one_of(read_class()));
    if (in_.take('.')) return one_of(no_line_ends());
    const char c = in_.peek();
    if (c == '^' || c == '$')
      in_.refuse("a pattern's ^ and $ are taken at its ends alone", ErrorCode::kUnsupported);
    if (c == '*' || c == '+' || c == '?' || c == '{') in_.refuse("a pattern repeats nothing");
    if (!in_.take('\\')) return single(in_.character());
    if (auto set = read_set_escape()) return one_of(*set);
    return single(read_character_escape());
  }

  std::string filled(std::string made) {
    if (made.empty()) in_.refuse("a pattern's class holds no character");
    return made;
  }

  std::string single(std::uint32_t character) { return filled(one_of({{character, character}})); }

  std::string read_group(int depth) {
    if (depth >= kMaxDepth) in_.refuse("a pattern's groups are too deep", ErrorCode::kLimit);
    if (in_.take('?') && !in_.take(':'))
      in_.refuse("a pattern's groups may begin with (?: alone", ErrorCode::kUnsupported);
    std::string made = "(?:";
    made += in_.ok() ? read_sequence(depth + 1) : "";
    while (in_.ok() && in_.take('|')) made.append("|").append(read_sequence(depth + 1));
    if (in_.ok() && !in_.take(')')) in_.refuse("a pattern lacks a ')'");
    return made + ")";
  }

  std::string read_repeated(const std::string& atom) {
    if (!in_.ok()) return {};
    const char c = in_.peek();
    std::string times;
    if (in_.take('{'))
      times = read_counts();
    else if (c == '*' || c == '+' || c == '?') {
      in_.skip(1);
      times = c;
    }
    if (times.empty()) return atom;
    in_.take('?');  // the same texts, found in another order
    return fmt::format("(?:{}){}", atom, times);
  }

  std::string read_counts() {
    const std::uint32_t least = in_.count(Builder::kMaxRepeats);
    std::string made = fmt::format("{{{}", least);
    if (in_.take(',')) {
      made += ",";
      if (in_.peek() != '}') {
        const std::uint32_t most = in_.count(Builder::kMaxRepeats);
        if (most < least) in_.refuse("a pattern repeats less often than it repeats");
        made += std::to_string(most);
      }
    }
    if (in_.ok() && !in_.take('}')) in_.refuse("a pattern lacks a '}'");
    return made + "}";
  }

  Characters read_class() {
    const bool negated = in_.take('^');
    Characters all;
    while (in_.ok() && !in_.take(']')) {
      if (in_.at_end()) {
        in_.refuse("a pattern lacks a ']'");
        break;
      }
      const auto [first, set] = read_class_item();
      if (set) {
        all.insert(all.end(), set->begin(), set->end());
        continue;
      }
      std::uint32_t last = first;
      if (in_.peek() == '-' && in_.peek(1) != ']' && in_.peek(1) != '\0') {
        in_.take('-');
        last = read_class_item().first;
        if (last < first) in_.refuse("a pattern's class runs backwards");
      }
      all.emplace_back(first, last);
    }
    return negated ? complement(std::move(all)) : all;
  }

  std::pair<std::uint32_t, std::optional<Characters>> read_class_item() {
    if (!in_.take('\\')) return {in_.character(), std::nullopt};
    if (auto set = read_set_escape()) return {0, std::move(set)};
    if (in_.take('b')) return {'\b', std::nullopt};
    return {read_character_escape(), std::nullopt};
  }

  std::optional<Characters> read_set_escape() {
    if (in_.take('d')) return digits();
    if (in_.take('D')) return complement(digits());
    if (in_.take('w')) return word_characters();
    if (in_.take('W')) return complement(word_characters());
    if (in_.take('s')) return spaces();
    if (in_.take('S')) return complement(spaces());
    return std::nullopt;
  }

  std::uint32_t read_character_escape() {
    for (const auto& [letter, character] :
         {std::pair{'t', '\t'}, {'n', '\n'}, {'r', '\r'}, {'f', '\f'}, {'v', '\v'}, {'0', '\0'}})
      if (in_.take(letter)) return static_cast<std::uint32_t>(character);
    if (in_.take('x')) return in_.hex(2);
    if (in_.take('u')) return read_unicode_escape();
    const char c = in_.peek();
    const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) in_.refuse(fmt::format("a pattern's \\{} isn't taken", c), ErrorCode::kUnsupported);
    return in_.character();
  }

  std::uint32_t read_unicode_escape() {
    if (in_.take('{')) {
      const std::uint32_t character = in_.hex_until('}');
      return checked(character);
    }
    const std::uint32_t first = in_.hex(4);
    if (first < 0xD800 || first > 0xDBFF || in_.peek() != '\\' || in_.peek(1) != 'u') return checked(first);
    in_.take('\\');
    in_.take('u');
    const std::uint32_t second = in_.hex(4);
    if (second < 0xDC00 || second > 0xDFFF) return checked(first);
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  std::uint32_t checked(std::uint32_t character) {
    if (character > kLastCharacter || (character >= 0xD800 && character <= 0xDFFF))
      in_.refuse("a pattern names what is no character");
    return character;
  }

  TextReader in_;
  const std::string any_ = one_of(complement({})) + "*";  // before and after a match
};

}  // namespace

Result<std::string> json_pattern(std::string_view pattern) { return PatternReader(pattern).read(); }

}  // namespace braid::engine::grammar
