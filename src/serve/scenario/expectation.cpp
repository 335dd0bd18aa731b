#include "scenario/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <utility>

#include "scenario/words.h"

namespace braid::serve {

namespace {

namespace json = boost::json;
using Op = Condition::Op;

struct FoundOp {
  Op op;
  std::size_t length;
};

std::optional<FoundOp> op_at(std::string_view text) {
  if (text.starts_with("!=")) return FoundOp{Op::kNot, 2};
  if (text.starts_with("<=")) return FoundOp{Op::kAtMost, 2};
  if (text.starts_with(">=")) return FoundOp{Op::kAtLeast, 2};
  if (text.starts_with('=')) return FoundOp{Op::kEqual, 1};
  if (text.starts_with('<')) return FoundOp{Op::kLess, 1};
  if (text.starts_with('>')) return FoundOp{Op::kMore, 1};
  if (text.starts_with('~')) return FoundOp{Op::kContains, 1};
  return std::nullopt;
}

Status parse_value(std::string_view word, Condition& condition) {
  if (is_quoted(word)) {
    auto text = unquote(word);
    if (!text) return tl::unexpected(text.error());
    condition.value = std::move(*text);
  } else if (word == "null") {
    condition.value = nullptr;
  } else if (word == "true" || word == "false") {
    condition.value = word == "true";
  } else if (const auto number = parse_number(word)) {
    condition.value = *number;
  } else {
    condition.value = std::string(word);
  }
  return {};
}

Result<Condition> parse_condition(std::string_view word) {
  const std::size_t at = word.find_first_of("=!<>~\"");
  const auto found = at == std::string_view::npos ? std::nullopt : op_at(word.substr(at));
  if (!found || at == 0)
    return fail(ErrorCode::kBadInput,
                fmt::format("'{}' is no condition; write field=value (= != < <= > >= ~)", word));
  Condition condition;
  condition.path = std::string(word.substr(0, at));
  condition.op = found->op;
  if (const Status value = parse_value(word.substr(at + found->length), condition); !value)
    return tl::unexpected(value.error());
  return condition;
}

const json::value* find(const json::value& event, std::string_view path) {
  const json::value* at = &event;
  while (at && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const auto* object = at->if_object();
    const auto* array = at->if_array();
    const auto place = array ? parse_count(path.substr(0, dot), 100'000) : Result<int>(0);
    at = object           ? object->if_contains({path.data(), dot})
         : array && place ? array->if_contains(static_cast<std::size_t>(*place))
                          : nullptr;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

bool equal(const json::value& field, const Condition& condition) {
  if (const auto* text = std::get_if<std::string>(&condition.value))
    return field.is_string() && std::string_view(field.get_string()) == *text;
  if (const auto* flag = std::get_if<bool>(&condition.value))
    return field.is_bool() && field.get_bool() == *flag;
  if (const auto* number = std::get_if<double>(&condition.value))
    return field.is_number() && std::abs(field.to_number<double>() - *number) < 1e-9;
  return field.is_null();
}

bool compare(const json::value& field, const Condition& condition) {
  const auto* number = std::get_if<double>(&condition.value);
  if (!number || !field.is_number()) return false;
  const double value = field.to_number<double>();
  switch (condition.op) {
    case Op::kLess:
      return value < *number;
    case Op::kAtMost:
      return value <= *number;
    case Op::kMore:
      return value > *number;
    default:
      return value >= *number;
  }
}

bool holds(const json::value& event, const Condition& condition) {
  const json::value* field = find(event, condition.path);
  if (!field) return false;
  if (condition.op == Op::kEqual) return equal(*field, condition);
  if (condition.op == Op::kNot) return !equal(*field, condition);
  if (condition.op != Op::kContains) return compare(*field, condition);
  const auto* text = std::get_if<std::string>(&condition.value);
  return text && field->is_string() &&
         std::string_view(field->get_string()).find(*text) != std::string_view::npos;
}

}  // namespace

Result<Expectation> parse_expectation(const std::vector<std::string>& words) {
  Expectation expectation;
  expectation.count = 1;
  std::size_t next = 0;
  if (next < words.size()) {
    const std::string& first = words[next];
    const auto count = parse_count(first, 1'000'000);
    if (first == "some") expectation.count.reset();
    if (first == "no") expectation.count = 0;
    if (count) expectation.count = *count;
    if (first == "some" || first == "no" || count) ++next;
  }
  if (next == words.size())
    return fail(ErrorCode::kBadInput, "expect what? Write: expect [N|no|some] TYPE field=value ...");
  expectation.type = words[next++];
  for (; next < words.size(); ++next) {
    auto condition = parse_condition(words[next]);
    if (!condition) return tl::unexpected(condition.error());
    expectation.conditions.push_back(std::move(*condition));
  }
  return expectation;
}

std::string check(const Expectation& expectation, const std::vector<std::string>& events) {
  int matches = 0;
  std::string seen;
  for (const std::string& text : events) {
    const json::value event = json::parse(text);
    if (event.at("type").as_string() != expectation.type) continue;
    matches += std::all_of(expectation.conditions.begin(), expectation.conditions.end(),
                           [&](const Condition& condition) { return holds(event, condition); });
    if (seen.size() < 4000) seen += "\n    " + text;
  }
  if (expectation.count ? matches == *expectation.count : matches > 0) return "";
  return fmt::format("line {}: {}\n  {} match; what came of that type:{}", expectation.line, expectation.said,
                     matches, seen.empty() ? " nothing" : seen);
}

}  // namespace braid::serve
