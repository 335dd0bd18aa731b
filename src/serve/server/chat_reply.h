#pragma once
// One request's answer on its way to the client.

#include <memory>
#include <optional>
#include <string>

#include "braid/base/clock.h"
#include "braid/net/exchange.h"
#include "braid/net/sse.h"
#include "braid/openai/chat_response.h"
#include "braid/packet/question.h"
#include "chat/chat_run.h"
#include "server/request_watch.h"

namespace braid::serve {

/// What the client asked for in its answer.
struct ReplyForm {
  openai::AnswerHead head;
  bool stream = false;
  bool include_usage = false;
  SteadyTime arrived;
  std::optional<Nanoseconds> deadline;
  bool logprobs = false;
  bool hold_text = false;  ///< the text is shown at the end: there may be tool calls in it
  std::string session;     ///< that is asked; empty: none
  RequestWatch watch;
};

/// What an answer came to, wherever it was made.
struct ReplyEnd {
  FinishReason finish = FinishReason::kStop;
  std::optional<Error> error;
  std::string text;
  std::vector<openai::ToolCall> tool_calls;
  openai::Usage usage;
  SteadyTime from, until;  ///< the span that `stages` is about
  StageTimes stages;
  std::optional<SteadyTime> first_token;
  /// What a session's answer could see, and what was given up for it. The times are set by the reply.
  openai::Account account;
};

/// Streamed or whole. begin(), text() and end() come from one thread at a time; none blocks.
class ChatReply {
 public:
  ChatReply(net::Exchange exchange, ReplyForm form, Clock& clock);

  /// `then` is called once, on an io thread, if the client goes away before the end.
  void on_gone(std::function<void()> then);
  /// The answer will come: from here on errors are events of the stream.
  void begin();
  /// Held back until the end where calls may be in it (`hold_text`).
  void text(const std::string& piece, std::vector<openai::TokenLogprob> logprobs = {});
  void end(ReplyEnd end);
  void fail(const Error& error);

 private:
  openai::Account account(const ReplyEnd& end) const;
  RequestFacts facts() const;
  void send(const std::string& data);

  net::Exchange exchange_;
  ReplyForm form_;
  Clock& clock_;
  openai::ChunkPrinter printer_;
  std::optional<net::Sse> sse_;
  std::vector<openai::TokenLogprob> logprobs_;  // of an answer that isn't streamed, or held back
};

}  // namespace braid::serve
