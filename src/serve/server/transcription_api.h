#pragma once
// POST /v1/audio/transcriptions: speech is found, cut, and each piece is asked of the model.

#include <string>

#include "braid/net/router.h"
#include "chat/chat_service.h"
#include "chat/media_prompts.h"
#include "server/request_watch.h"
#include "server/workers.h"

namespace braid::serve {

/// All outlive the router.
struct TranscriptionParts {
  ChatService& chats;
  MediaPrompts& media;
  const engine::Tokenizer& tokenizer;
  std::string model;  ///< its name
  Observers observers;
  Workers& workers;
  Clock& clock;
};

void add_transcription_route(net::Router& router, TranscriptionParts parts);

}  // namespace braid::serve
