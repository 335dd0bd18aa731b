#include "grammar/schema_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "braid/base/utf8.h"
#include "braid/engine/chat.h"
#include "grammar/pattern.h"

namespace braid::engine::grammar {

namespace {

namespace json = boost::json;

// What the conversion takes, in microseconds, measured on one core of an AMD EPYC: json_schema_to_grammar()
// on schemas that hold many of one thing.
constexpr double kNode = 3.0;
constexpr double kPattern = 10.0;
constexpr double kOptionalPair = 1.4;  // each optional property's rule lists all after it
constexpr double kNamesake = 0.5;      // names that differ only in what a rule's name can't hold are numbered
constexpr double kNameByte = 0.1;
constexpr double kEnumValue = 1.0;
constexpr double kCopiedNode = 0.1;   // a list of types copies the schema for each
constexpr double kPatternRule = 0.1;  // each pattern saves all rules that there are

constexpr const char* kAnyValue = R"({"type":["object","array","string","number","boolean","null"]})";
constexpr std::array<std::string_view, 4> kCounts = {"minItems", "maxItems", "minLength", "maxLength"};
constexpr std::array<std::string_view, 4> kNamed = {"properties", "$defs", "definitions",
                                                    "patternProperties"};
constexpr std::array<std::string_view, 4> kData = {"const", "enum", "default", "examples"};

constexpr std::array<std::string_view, 4> kLimits = {"minimum", "maximum", "exclusiveMinimum",
                                                     "exclusiveMaximum"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

/// How far a number is from 0; what is none: 0.
double magnitude(const json::value& value) {
  if (value.is_int64()) return std::abs(static_cast<double>(value.get_int64()));
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return value.is_double() ? std::abs(value.get_double()) : 0.0;
}

/// A number like 1e999 or -0e310 has no double, and would be written as what is no JSON.
bool has_odd_number(const json::value& value) {
  if (const auto* object = value.if_object())
    return std::any_of(object->begin(), object->end(),
                       [](const auto& member) { return has_odd_number(member.value()); });
  if (const auto* array = value.if_array()) return std::any_of(array->begin(), array->end(), has_odd_number);
  return value.is_double() && !std::isfinite(value.get_double());
}

double count_nodes(const json::value& value) {
  double nodes = 1.0;
  if (const auto* object = value.if_object())
    for (const auto& member : *object) nodes += count_nodes(member.value());
  if (const auto* array = value.if_array())
    for (const json::value& item : *array) nodes += count_nodes(item);
  return nodes;
}

/// A name as a rule's name holds it.
std::string plain(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (kept)
      made += c;
    else if (made.empty() || made.back() != '_')
      made += '_';
  }
  return made;
}

/// Walks a schema, and what its references lead to, as the conversion does. The first error stops it.
class Checker {
 public:
  Checker(json::value& root, double& cost_left) : root_(root), cost_left_(cost_left) {}

  Status check() {
    walk(root_, {.times = 1.0, .path_bytes = 0});
    while (!error_ && !pending_.empty()) {
      const std::string reference = std::move(pending_.back());
      pending_.pop_back();
      if (json::value* target = resolve(reference))
        walk(*target, {.times = 1.0, .path_bytes = reference.size()});
    }
    for (const auto& [name, times] : namesakes_) spend(kNamesake * times * times);
    spend(patterns_ * nodes_ * kPatternRule);
    if (error_) return tl::unexpected(*error_);
    return {};
  }

 private:
  struct Place {
    double times;  // it is converted
    std::size_t path_bytes;
  };

  void refuse(ErrorCode code, std::string message) {
    if (!error_) error_ = Error{code, std::move(message), false};
  }
  void spend(double microseconds) {
    cost_left_ -= microseconds;
    if (cost_left_ < 0)
      refuse(ErrorCode::kLimit,
             "the schema takes too long to prepare; fewer optional properties, patterns and references take "
             "less");
  }

  void walk(json::value& value, Place place) {
    if (error_) return;
    if (auto* array = value.if_array()) {
      for (json::value& item : *array) walk(item, place);
    } else if (auto* object = value.if_object()) {
      nodes_ += place.times;
      spend(kNode * place.times);
      check_keywords(*object, place);
      walk_members(*object, place);
    }
  }

  void walk_members(json::object& object, Place place) {
    const json::value* type = object.if_contains("type");
    if (type && type->is_array() && object.contains("allOf"))
      place.times *= 2;  // for objects and for strings
    for (auto& member : object) {
      const std::string_view name = view(member.key());
      auto* named = member.value().if_object();
      if (is_one_of(kData, name)) continue;
      if (!named || !is_one_of(kNamed, name)) {
        walk(member.value(), place);
        continue;
      }
      for (auto& each : *named) walk(each.value(), {place.times, place.path_bytes + each.key().size() + 1});
    }
  }

  void check_keywords(json::object& object, Place place) {
    for (auto& member : object) {
      const std::string_view name = view(member.key());
      json::value& value = member.value();
      if (is_one_of(kCounts, name)) check_count(name, value);
      if (is_one_of(kLimits, name)) check_limit(name, value);
      if (name == "pattern" && value.is_string()) check_pattern(value.get_string(), place);
      if (name == "$ref") check_reference(value);
      if (name == "type" && value.is_array()) check_types(value.get_array(), object, place);
      if (name == "enum" && value.is_array())
        spend(kEnumValue * place.times * static_cast<double>(value.get_array().size()));
      if (name == "properties" && value.is_object()) check_properties(value.get_object(), object, place);
    }
  }

  void check_count(std::string_view name, const json::value& value) {
    if (magnitude(value) > SchemaBounds::kRepeats)
      refuse(ErrorCode::kLimit, fmt::format("{} is more than {:.0f}", name, SchemaBounds::kRepeats));
  }

  void check_limit(std::string_view name, const json::value& value) {
    if (magnitude(value) > SchemaBounds::kNumber)
      refuse(ErrorCode::kLimit, fmt::format("{} is farther from 0 than {:.0f}", name, SchemaBounds::kNumber));
  }

  void check_pattern(json::string& pattern, Place place) {
    patterns_ += place.times;
    spend(kPattern * place.times);
    if (!rewritten_.insert(&pattern).second) return;
    if (pattern.size() > SchemaBounds::kPatternBytes)
      return refuse(ErrorCode::kLimit, fmt::format("a pattern takes {} bytes; at most {} are taken",
                                                   pattern.size(), SchemaBounds::kPatternBytes));
    const auto made = json_pattern(view(pattern));
    if (!made) return refuse(made.error().code, made.error().message);
    pattern.assign(made->data(), made->size());
  }

  void check_types(const json::array& types, const json::object& object, Place place) {
    std::set<std::string> different;
    for (const json::value& type : types)
      if (!type.is_string() || !different.emplace(view(type.get_string())).second)
        return refuse(ErrorCode::kBadInput, "a list of types must hold different names");
    spend(kCopiedNode * place.times * static_cast<double>(types.size()) * count_nodes(object));
  }

  void check_properties(const json::object& properties, const json::object& object, Place place) {
    std::set<std::string_view> required;
    const json::value* list = object.if_contains("required");
    if (list && list->is_array())
      for (const json::value& name : list->get_array())
        if (name.is_string()) required.insert(view(name.get_string()));
    double optional = 0;
    for (const auto& property : properties) {
      const std::string_view name = view(property.key());
      if (name.size() > SchemaBounds::kNameBytes)
        return refuse(ErrorCode::kLimit, fmt::format("a property's name takes {} bytes; at most {} are taken",
                                                     name.size(), SchemaBounds::kNameBytes));
      optional += required.contains(name) ? 0 : 1;
      spend(kNameByte * place.times * static_cast<double>(place.path_bytes + name.size()));
      if (const std::string made = plain(name); made != name) namesakes_[made] += place.times;
    }
    spend(kOptionalPair * place.times * optional * optional);
  }

  void check_reference(const json::value& value) {
    if (!value.is_string()) return refuse(ErrorCode::kBadInput, "a $ref must be a text");
    const std::string reference(view(value.get_string()));
    if (!reference.starts_with("#/"))
      return refuse(ErrorCode::kBadInput,
                    "a $ref leads out of the schema; only those that begin with '#/' are followed");
    if (reference.size() > SchemaBounds::kNameBytes)
      return refuse(ErrorCode::kLimit, fmt::format("a $ref takes {} bytes; at most {} are taken",
                                                   reference.size(), SchemaBounds::kNameBytes));
    if (!references_.insert(reference).second) return;
    if (references_.size() > SchemaBounds::kReferences)
      return refuse(ErrorCode::kLimit,
                    fmt::format("more than {} different $refs", SchemaBounds::kReferences));
    pending_.push_back(reference);
  }

  /// What a reference leads to, none that is a reference itself more often than there are references.
  json::value* resolve(const std::string& reference) {
    json::value* target = find(reference);
    for (std::size_t hops = 0; target; ++hops) {
      const auto* object = std::as_const(*target).if_object();
      const json::value* next = object ? object->if_contains("$ref") : nullptr;
      if (!next || !next->is_string()) return target;
      if (hops > SchemaBounds::kReferences) {
        refuse(ErrorCode::kBadInput, "a $ref leads back to itself");
        return nullptr;
      }
      target = find(std::string(view(next->get_string())));
    }
    refuse(ErrorCode::kBadInput, "a $ref leads nowhere");
    return nullptr;
  }

  json::value* find(std::string_view reference) const {
    if (!reference.starts_with("#/")) return nullptr;
    reference.remove_prefix(2);
    json::value* at = &root_;
    while (at) {
      const std::string_view name = reference.substr(0, reference.find('/'));
      at = member(*at, name);
      if (name.size() == reference.size()) break;
      reference.remove_prefix(name.size() + 1);
    }
    return at;
  }

  static json::value* member(json::value& value, std::string_view name) {
    if (auto* object = value.if_object()) return object->if_contains({name.data(), name.size()});
    auto* array = value.if_array();
    std::size_t index = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool number = bad == std::errc() && end == name.data() + name.size();
    return array && number && index < array->size() ? &(*array)[index] : nullptr;
  }

  json::value& root_;
  double nodes_ = 0;
  double patterns_ = 0;
  double& cost_left_;
  std::map<std::string, double> namesakes_;
  std::set<std::string> references_;
  std::set<const json::string*> rewritten_;
  std::vector<std::string> pending_;
  std::optional<Error> error_;
};

Result<json::value> parse(std::string_view text) {
  json::parse_options options;
  options.max_depth = SchemaBounds::kDepth;
  json::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  if (error == json::error::too_deep)
    return fail(ErrorCode::kLimit,
                fmt::format("the schema is more than {} levels deep", SchemaBounds::kDepth));
  if (error) return fail(ErrorCode::kBadInput, fmt::format("the schema isn't JSON: {}", error.message()));
  if (has_odd_number(value))
    return fail(ErrorCode::kBadInput,
                "the schema has a number that is too large to be one; write it in full");
  return value;
}

}  // namespace

Result<std::string> check_schema(std::string_view text, double& cost_left) {
  if (text.size() > ChatBounds::kSchemaBytes)
    return fail(ErrorCode::kLimit, fmt::format("the schema takes {} bytes; at most {} are taken", text.size(),
                                               ChatBounds::kSchemaBytes));
  try {
    auto schema = parse(text);
    if (!schema) return tl::unexpected(schema.error());
    if (const bool* any = schema->if_bool(); any && *any) return kAnyValue;
    if (!schema->is_object()) return fail(ErrorCode::kBadInput, "a schema must be a JSON object");
    if (schema->get_object().empty()) return kAnyValue;
    if (auto ok = Checker(*schema, cost_left).check(); !ok) return tl::unexpected(ok.error());
    return json::serialize(*schema);
  } catch (const std::exception& failed) {
    return fail(ErrorCode::kBadInput,
                fmt::format("the schema can't be read: {}", to_valid_utf8(failed.what())));
  }
}

}  // namespace braid::engine::grammar
