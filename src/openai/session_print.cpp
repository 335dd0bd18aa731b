#include "account.h"
#include "braid/openai/session_api.h"
#include "json_out.h"

namespace braid::openai {

namespace {

void append_source(JsonOut& out, const SourceInfo& source) {
  out.begin_object().name("name").string(source.name).name("kind").string(source.kind);
  out.name("state").string(source.state).name("perceived").count(source.perceived);
  out.name("kept").count(source.kept).end_object();
}

void append_session(JsonOut& out, const SessionInfo& session) {
  out.begin_object().name("id").string(session.id).name("object").string("session");
  out.name("state").string(session.state).name("created").integer(session.created);
  out.name("last_used").integer(session.last_used).name("bytes").count(session.bytes);
  out.name("perceived").count(session.perceived).name("kept").count(session.kept);
  out.name("window").begin_object().name("from_us").integer(to_us(session.window_from));
  out.name("to_us").integer(to_us(session.window_to)).name("chunks").integer(session.window_chunks);
  out.name("tokens").integer(session.window_tokens).end_object();
  out.name("sources").begin_array();
  for (const SourceInfo& source : session.sources) append_source(out, source);
  out.end_array();
  if (!session.unanswered.empty()) {
    out.name("unanswered").begin_array();
    for (const UnansweredQuestion& one : session.unanswered) {
      out.begin_object().name("question").string(one.question);
      out.name("asked_at_us").integer(to_us(one.asked_at)).end_object();
    }
    out.end_array();
  }
  if (!session.resume_token.empty()) out.name("resume_token").string(session.resume_token);
  out.end_object();
}

}  // namespace

std::string print_session(const SessionInfo& session) {
  JsonOut out;
  append_session(out, session);
  return out.take();
}

std::string print_sessions(const std::vector<SessionInfo>& sessions) {
  JsonOut out;
  out.begin_object().name("object").string("list").name("data").begin_array();
  for (const SessionInfo& session : sessions) append_session(out, session);
  out.end_array().end_object();
  return out.take();
}

std::string print_session_deleted(std::string_view id) {
  JsonOut out;
  out.begin_object().name("id").string(id).name("object").string("session.deleted");
  out.name("deleted").boolean(true).end_object();
  return out.take();
}

}  // namespace braid::openai
