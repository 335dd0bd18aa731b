#include "memory/record_line.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstring>
#include <utility>

#include "braid/openai/base64.h"

namespace braid::serve {

namespace json = boost::json;

namespace {

std::int64_t ns(UtcTime time) { return time.time_since_epoch().count(); }

/// Members of one line; the first that isn't as it must be is kept.
class Members {
 public:
  explicit Members(const json::object& object) : object_(object) {}

  std::int64_t integer(const char* name, std::int64_t least = INT64_MIN, std::int64_t most = INT64_MAX) {
    const json::value* value = object_.if_contains(name);
    const std::int64_t* number = value ? value->if_int64() : nullptr;
    if (number && *number >= least && *number <= most) return *number;
    return wrong(name), least;
  }
  std::string text(const char* name) {
    const json::value* value = object_.if_contains(name);
    const json::string* text = value ? value->if_string() : nullptr;
    if (text) return std::string(*text);
    return wrong(name), "";
  }
  const json::array& list(const char* name) {
    static const json::array none;
    const json::value* value = object_.if_contains(name);
    if (!value) return none;
    if (const json::array* list = value->if_array()) return *list;
    return wrong(name), none;
  }
  void wrong(const char* name) {
    if (wrong_.empty()) wrong_ = name;
  }
  const std::string& misfit() const { return wrong_; }

 private:
  const json::object& object_;
  std::string wrong_;
};

json::array vectors_json(const retrieve::Record& record) {
  json::array vectors;
  for (const retrieve::RecordVector& vector : record.vectors) {
    const std::string_view bytes(reinterpret_cast<const char*>(vector.values.data()),
                                 vector.values.size() * sizeof(float));
    vectors.push_back(json::object{{"space", vector.space}, {"f32", openai::encode_base64(bytes)}});
  }
  return vectors;
}

void read_vectors(Members& members, retrieve::Record& record) {
  for (const json::value& one : members.list("vectors")) {
    const json::object* object = one.if_object();
    if (!object) return members.wrong("vectors");
    Members vector(*object);
    const auto bytes = openai::decode_base64(vector.text("f32"), retrieve::kMaxVectorDim * sizeof(float));
    if (!bytes || bytes->size() % sizeof(float) != 0) return members.wrong("vectors");
    retrieve::RecordVector& read = record.vectors.emplace_back();
    read.space = vector.text("space");
    read.values.resize(bytes->size() / sizeof(float));
    std::memcpy(read.values.data(), bytes->data(), bytes->size());
  }
}

void read_links(Members& members, retrieve::Record& record) {
  for (const json::value& one : members.list("links")) {
    const json::object* object = one.if_object();
    if (!object) return members.wrong("links");
    Members link(*object);
    const auto kind = retrieve::parse_link_kind(link.text("link"));
    const std::int64_t to = link.integer("record", 1);
    if (!kind || !link.misfit().empty()) return members.wrong("links");
    record.links.push_back({*kind, to});
  }
}

}  // namespace

std::string record_line(const retrieve::Record& record) {
  json::object line{{"type", "record"},
                    {"start_ns", ns(record.start)},
                    {"end_ns", ns(record.end)},
                    {"source", record.source},
                    {"kind", retrieve::to_string(record.kind)},
                    {"text", record.text},
                    {"count", record.count},
                    {"session", record.session},
                    {"session_began_ns", ns(record.session_began)},
                    {"page", record.page},
                    {"offset", record.offset}};
  json::array links;
  for (const retrieve::RecordLink& link : record.links)
    links.push_back(json::object{{"link", retrieve::to_string(link.kind)}, {"record", link.to}});
  line["links"] = std::move(links);
  if (!record.vectors.empty()) line["vectors"] = vectors_json(record);
  return json::serialize(line);
}

Result<retrieve::Record> read_record_line(std::string_view line) {
  boost::system::error_code error;
  const json::value value = json::parse(line, error);
  if (error || !value.is_object()) return fail(ErrorCode::kBadInput, "it is no JSON object");
  Members members(value.get_object());
  const auto time = [&](const char* name) { return UtcTime(Nanoseconds(members.integer(name))); };
  retrieve::Record record;
  record.start = time("start_ns");
  record.end = time("end_ns");
  record.source = members.text("source");
  const auto kind = retrieve::parse_record_kind(members.text("kind"));
  if (!kind) members.wrong("kind");
  record.kind = kind.value_or(retrieve::RecordKind::kText);
  record.text = members.text("text");
  record.count = static_cast<int>(members.integer("count", 1, INT32_MAX));
  record.session = members.text("session");
  record.session_began = time("session_began_ns");
  record.page = static_cast<int>(members.integer("page", 0, INT32_MAX));
  record.offset = members.integer("offset", -1);
  read_links(members, record);
  read_vectors(members, record);
  if (members.misfit().empty()) return record;
  return fail(ErrorCode::kBadInput,
              fmt::format("its '{}' is missing or not what it must be", members.misfit()));
}

}  // namespace braid::serve
