#include "durable/saved_session.h"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <limits>
#include <utility>

namespace braid::serve {

namespace json = boost::json;

namespace {

constexpr std::array<const char*, 3> kKinds = {"sources", "configured", "client"};
constexpr std::size_t kModalities = 4;

std::int64_t ns(SessionTime at) { return at.time_since_epoch().count(); }

json::value print(const SavedEntry& entry) {
  json::object out;
  if (entry.is_chunk) {
    out["chunk"] = entry.chunk;
    out["modality"] = to_string(entry.modality);
    out["source"] = entry.source;
  }
  out["start_ns"] = ns(entry.start);
  out["end_ns"] = ns(entry.end);
  if (entry.error_bound != Nanoseconds::zero()) out["error_ns"] = entry.error_bound.count();
  json::array& pieces = out["pieces"].emplace_array();
  for (const auto& piece : entry.pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
      pieces.emplace_back(json::array(tokens->begin(), tokens->end()));
    } else {
      const auto& run = std::get<SavedRun>(piece);
      pieces.emplace_back(json::object{{"run", run.id}, {"at", run.offset}});
    }
  }
  return out;
}

json::object print(const openai::StandingQuestion& question) {
  json::object out{{"ask", question.ask}};
  if (question.every) out["every_ns"] = question.every->count();
  if (!question.on_event.empty()) out["on_event"] = question.on_event;
  if (!question.webhook.empty()) out["webhook"] = question.webhook;
  if (!question.secret.empty()) out["secret"] = question.secret;
  if (question.deadline) out["deadline_ns"] = question.deadline->count();
  if (question.max_tokens) out["max_tokens"] = *question.max_tokens;
  return out;
}

/// The first member that isn't what it must be is kept; all after it give defaults.
class Reader {
 public:
  bool failed() const { return !failed_.empty(); }
  const std::string& why() const { return failed_; }

  void refuse(std::string_view name) {
    if (failed_.empty()) failed_ = name;
  }
  std::string text(const json::object& from, std::string_view name) {
    const json::value* at = from.if_contains(name);
    if (at == nullptr) return {};
    if (const json::string* text = at->if_string()) return std::string(*text);
    refuse(name);
    return {};
  }
  template <class Number>
  Number number(const json::object& from, std::string_view name) {
    const json::value* at = from.if_contains(name);
    return at == nullptr ? Number{} : whole<Number>(*at, name);
  }
  template <class Number>
  Number whole(const json::value& value, std::string_view name) {
    boost::system::error_code error;
    const auto number = value.to_number<Number>(error);
    // A token that has a fraction is no token.
    if (!error && !value.is_double()) return number;
    refuse(name);
    return {};
  }
  SessionTime time(const json::object& from, std::string_view name) {
    // What adds to it later must not pass what 64 bits hold.
    const auto at = number<std::int64_t>(from, name);
    if (at < -kMaxTime || at > kMaxTime) refuse(name);
    return failed() ? SessionTime{} : SessionTime(Nanoseconds(at));
  }
  /// Longer than nothing, if it is there.
  std::optional<Nanoseconds> span(const json::object& from, std::string_view name) {
    if (!from.contains(name)) return std::nullopt;
    const auto length = number<std::int64_t>(from, name);
    if (length <= 0 || length > kMaxTime) refuse(name);
    return failed() ? std::nullopt : std::optional(Nanoseconds(length));
  }
  const json::array& array(const json::object& from, std::string_view name) {
    static const json::array none;
    const json::value* at = from.if_contains(name);
    if (at == nullptr) return none;
    if (const json::array* array = at->if_array()) return *array;
    refuse(name);
    return none;
  }
  const json::object& object(const json::value& value, std::string_view name) {
    static const json::object none;
    if (const json::object* object = value.if_object()) return *object;
    refuse(name);
    return none;
  }

 private:
  static constexpr std::int64_t kMaxTime = std::numeric_limits<std::int64_t>::max() / 4;
  std::string failed_;
};

openai::StandingQuestion read_standing(Reader& reader, const json::value& value) {
  const json::object& from = reader.object(value, "standing");
  openai::StandingQuestion question;
  question.ask = reader.text(from, "ask");
  question.on_event = reader.text(from, "on_event");
  question.webhook = reader.text(from, "webhook");
  question.secret = reader.text(from, "secret");
  question.every = reader.span(from, "every_ns");
  question.deadline = reader.span(from, "deadline_ns");
  if (from.contains("max_tokens")) question.max_tokens = reader.number<int>(from, "max_tokens");
  return question;
}

std::variant<TokenRun, SavedRun> read_piece(Reader& reader, const json::value& piece) {
  if (const json::array* tokens = piece.if_array()) {
    TokenRun run;
    run.reserve(tokens->size());
    for (const json::value& token : *tokens) run.push_back(reader.whole<Token>(token, "pieces"));
    return run;
  }
  const json::object& run = reader.object(piece, "pieces");
  return SavedRun{reader.number<std::uint64_t>(run, "run"), reader.number<std::uint64_t>(run, "at")};
}

SavedEntry read_entry(Reader& reader, const json::value& value) {
  const json::object& from = reader.object(value, "timeline");
  SavedEntry entry;
  entry.is_chunk = from.contains("chunk");
  entry.chunk = reader.number<std::int64_t>(from, "chunk");
  entry.source = reader.number<std::int64_t>(from, "source");
  const std::string modality = reader.text(from, "modality");
  for (std::size_t i = 0; i < kModalities; ++i)
    if (modality == to_string(static_cast<Modality>(i))) entry.modality = static_cast<Modality>(i);
  entry.start = reader.time(from, "start_ns");
  entry.end = reader.time(from, "end_ns");
  entry.error_bound = reader.span(from, "error_ns").value_or(Nanoseconds::zero());
  for (const json::value& piece : reader.array(from, "pieces"))
    entry.pieces.push_back(read_piece(reader, piece));
  return entry;
}

SavedSession read(Reader& reader, const json::object& from) {
  SavedSession session;
  session.id = reader.text(from, "id");
  session.owner = reader.text(from, "owner");
  session.token_hash = reader.text(from, "token_hash");
  session.model = reader.text(from, "model");
  session.conversation = reader.text(from, "conversation");
  const std::string kind = reader.text(from, "kind");
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kind == kKinds[i]) session.kind = static_cast<SessionKind>(i);
  for (const json::value& source : reader.array(from, "sources")) {
    if (!source.is_string()) reader.refuse("sources");
    if (const json::string* text = source.if_string()) session.sources.emplace_back(*text);
  }
  for (const json::value& question : reader.array(from, "standing"))
    session.standing.push_back(read_standing(reader, question));
  if (from.contains("window_ns"))
    session.window = Nanoseconds(reader.number<std::int64_t>(from, "window_ns"));
  session.created = reader.number<std::int64_t>(from, "created");
  session.now = reader.time(from, "now_ns");
  session.evicted = reader.number<std::uint64_t>(from, "evicted");
  session.next_question = reader.number<std::int64_t>(from, "next_question");
  session.next_run = reader.number<std::uint64_t>(from, "next_run");
  session.perceived = reader.number<std::uint64_t>(from, "perceived");
  session.kept = reader.number<std::uint64_t>(from, "kept");
  for (const json::value& entry : reader.array(from, "timeline"))
    session.timeline.push_back(read_entry(reader, entry));
  for (const json::value& value : reader.array(from, "unanswered")) {
    const json::object& question = reader.object(value, "unanswered");
    session.unanswered.push_back({reader.text(question, "text"), reader.time(question, "asked_at_ns")});
  }
  return session;
}

}  // namespace

std::string print_saved_session(const SavedSession& session) {
  json::object out{{"id", session.id},
                   {"owner", session.owner},
                   {"token_hash", session.token_hash},
                   {"model", session.model},
                   {"kind", kKinds[static_cast<std::size_t>(session.kind)]},
                   {"created", session.created},
                   {"now_ns", ns(session.now)},
                   {"evicted", session.evicted},
                   {"next_question", session.next_question},
                   {"next_run", session.next_run},
                   {"perceived", session.perceived},
                   {"kept", session.kept}};
  if (session.window) out["window_ns"] = session.window->count();
  if (!session.conversation.empty()) out["conversation"] = session.conversation;
  json::array& sources = out["sources"].emplace_array();
  for (const std::string& source : session.sources) sources.emplace_back(source);
  json::array& timeline = out["timeline"].emplace_array();
  for (const SavedEntry& entry : session.timeline) timeline.push_back(print(entry));
  json::array& unanswered = out["unanswered"].emplace_array();
  for (const openai::UnansweredQuestion& question : session.unanswered)
    unanswered.push_back(json::object{{"text", question.question}, {"asked_at_ns", ns(question.asked_at)}});
  if (session.standing.empty()) return json::serialize(out);
  json::array& standing = out["standing"].emplace_array();
  for (const openai::StandingQuestion& question : session.standing) standing.push_back(print(question));
  return json::serialize(out);
}

Result<SavedSession> parse_saved_session(std::string_view text) {
  boost::system::error_code error;
  const json::value root = json::parse(text, error);
  const json::object* object = error ? nullptr : root.if_object();
  if (object == nullptr)
    return fail(ErrorCode::kBadInput,
                fmt::format("the snapshot is no JSON object{}", error ? ": " + error.message() : ""));
  Reader reader;
  SavedSession session = read(reader, *object);
  if (reader.failed())
    return fail(ErrorCode::kBadInput, fmt::format("the snapshot's '{}' isn't what it must be", reader.why()));
  return session;
}

}  // namespace braid::serve
