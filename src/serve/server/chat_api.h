#pragma once
// POST /v1/chat/completions.

#include <memory>
#include <string>

#include "braid/net/exchange.h"
#include "braid/openai/chat_request.h"
#include "chat/chat_service.h"
#include "chat/remote_media.h"
#include "server/chat_reply.h"
#include "server/workers.h"

namespace braid::serve {

class LiveSession;
class LiveSessions;

/// Any thread; nothing blocks.
class ChatApi {
 public:
  /// All outlive this.
  ChatApi(ChatService& service, MediaPrompts& media, RemoteMedia& remote, LiveSessions& sessions,
          Workers& workers, Clock& clock, const engine::Engine& engine, Observers observers = {});

  void handle(net::Request request, net::Exchange exchange);

 private:
  ReplyForm form_of(const openai::ChatRequest& chat, const net::Request& request, SteadyTime arrived) const;
  void answer(net::Request request, net::Exchange exchange, SteadyTime arrived);
  void answer_by_itself(openai::ChatRequest chat, net::Exchange exchange, ReplyForm form);
  void answer_from_session(openai::ChatRequest chat, net::Exchange exchange, LiveSession& live,
                           ReplyForm form);

  ChatService& service_;
  MediaPrompts& media_;
  RemoteMedia& remote_;
  LiveSessions& sessions_;
  Workers& workers_;
  Clock& clock_;
  const engine::Tokenizer& tokenizer_;
  const std::string model_;
  const Observers observers_;
};

}  // namespace braid::serve
