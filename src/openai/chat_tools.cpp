#include "chat_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxName = 64;             // bytes, OpenAI's own bound
constexpr std::size_t kMaxDescription = 16'384;  // bytes

std::string read_name(FieldReader& reader, JsonIndex object) {
  std::string name = reader.required_string(object, "name", kMaxName);
  const bool proper = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!proper && !reader.failed()) {
    const std::string param = reader.path(object, "name");
    reader.refuse(
        param, "invalid_value",
        fmt::format("Invalid '{}': expected letters, digits, underscores and dashes alone.", param));
  }
  return name;
}

// How deep a schema is and how many properties it declares.
struct SchemaSize {
  std::size_t depth = 0;
  std::size_t properties = 0;
};

SchemaSize measure(const JsonDoc& doc, JsonIndex schema) {
  SchemaSize size;
  std::vector<JsonIndex> open;
  for (JsonIndex at = schema; at < doc[schema].end; ++at) {
    while (!open.empty() && doc[open.back()].end <= at) open.pop_back();
    if (doc[at].kind != Kind::kObject && doc[at].kind != Kind::kArray) continue;
    open.push_back(at);
    size.depth = std::max(size.depth, open.size());
    if (doc[at].key == "properties") size.properties += doc.children(at);
  }
  return size;
}

std::string read_schema(FieldReader& reader, JsonIndex object, std::string_view name,
                        const ChatLimits& limits) {
  const std::optional<JsonIndex> at = reader.object(object, name);
  if (!at || reader.failed()) return {};
  const auto refuse = [&](std::string_view what, std::size_t max) {
    reader.refuse(*at, "invalid_json_schema",
                  fmt::format("Invalid '{}': the schema has more than {} {}; simplify it.",
                              reader.doc().path(*at), max, what));
    return std::string();
  };
  const SchemaSize size = measure(reader.doc(), *at);
  if (size.depth > limits.schema_depth) return refuse("levels", limits.schema_depth);
  if (size.properties > limits.schema_properties) return refuse("properties", limits.schema_properties);
  std::string text = reader.doc().print(*at);
  if (text.size() > limits.schema_bytes) return refuse("bytes", limits.schema_bytes);
  return text;
}

Tool read_tool(FieldReader& reader, JsonIndex at, const ChatLimits& limits) {
  Tool tool;
  if (!reader.is(at, Kind::kObject, "an object")) return tool;
  reader.required(at, "type");
  reader.word(at, "type", {"function"});
  const std::optional<JsonIndex> function = reader.required_object(at, "function");
  if (!function) return tool;
  tool.name = read_name(reader, *function);
  if (const auto text = reader.string(*function, "description", kMaxDescription)) tool.description = *text;
  tool.parameters = read_schema(reader, *function, "parameters", limits);
  tool.strict = reader.boolean(*function, "strict").value_or(false);
  return tool;
}

bool has_tool(const std::vector<Tool>& tools, std::string_view name) {
  return std::any_of(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.name == name; });
}

void read_named_choice(FieldReader& reader, JsonIndex at, ChatRequest& request) {
  reader.required(at, "type");
  reader.word(at, "type", {"function"});
  const std::optional<JsonIndex> function = reader.required_object(at, "function");
  if (!function) return;
  request.tool_choice = {ToolChoice::Kind::kFunction, read_name(reader, *function)};
  if (!reader.failed() && !has_tool(request.tools, request.tool_choice.function))
    reader.refuse(
        reader.path(at, "function.name"), "invalid_value",
        fmt::format("Invalid 'tool_choice': there is no tool named '{}'.", request.tool_choice.function));
}

void read_tool_choice(FieldReader& reader, JsonIndex root, ChatRequest& request) {
  using Choice = ToolChoice::Kind;
  request.tool_choice.kind = request.tools.empty() ? Choice::kNone : Choice::kAuto;
  const std::optional<JsonIndex> at = reader.doc().member(root, "tool_choice");
  if (!at) return;
  if (reader.node(*at).kind == Kind::kObject) return read_named_choice(reader, *at, request);
  if (!reader.is(*at, Kind::kString, "one of a string or object")) return;
  const auto word = reader.word(root, "tool_choice", {"none", "auto", "required"});
  if (!word) return;
  request.tool_choice.kind = *word == "none"   ? Choice::kNone
                             : *word == "auto" ? Choice::kAuto
                                               : Choice::kRequired;
  if (request.tools.empty() && *word != "none")
    reader.refuse(*at, "invalid_value", "Invalid 'tool_choice': it is only allowed when 'tools' are given.");
}

}  // namespace

void read_tools(FieldReader& reader, JsonIndex root, const ChatLimits& limits, ChatRequest& request) {
  for (const char* old : {"functions", "function_call"})
    if (reader.doc().member(root, old))
      reader.refuse(old, "unsupported_parameter",
                    fmt::format("Unsupported parameter: '{}'. Use 'tools' and 'tool_choice' instead.", old));
  if (const std::optional<JsonIndex> tools = reader.array(root, "tools")) {
    if (!reader.within(*tools, reader.doc().children(*tools), limits.tools, "tools")) return;
    for (JsonIndex at = *tools + 1; at < reader.node(*tools).end && !reader.failed();
         at = reader.node(at).end) {
      Tool tool = read_tool(reader, at, limits);
      if (!reader.failed() && has_tool(request.tools, tool.name))
        reader.refuse(at, "invalid_value", fmt::format("Two tools are named '{}'.", tool.name));
      request.tools.push_back(std::move(tool));
    }
  }
  read_tool_choice(reader, root, request);
  request.parallel_tool_calls = reader.boolean(root, "parallel_tool_calls").value_or(true);
}

void read_response_format(FieldReader& reader, JsonIndex root, const ChatLimits& limits,
                          ChatRequest& request) {
  const std::optional<JsonIndex> at = reader.object(root, "response_format");
  if (!at || !reader.required(*at, "type")) return;
  ResponseFormat& format = request.response_format;
  const auto type = reader.word(*at, "type", {"text", "json_object", "json_schema"});
  if (type == "json_object") format.kind = ResponseFormat::Kind::kJsonObject;
  if (type != "json_schema") return;
  format.kind = ResponseFormat::Kind::kJsonSchema;
  const std::optional<JsonIndex> schema = reader.required_object(*at, "json_schema");
  if (!schema) return;
  format.name = read_name(reader, *schema);
  reader.string(*schema, "description", kMaxDescription);
  format.strict = reader.boolean(*schema, "strict").value_or(false);
  format.schema = read_schema(reader, *schema, "schema", limits);
}

}  // namespace braid::openai
