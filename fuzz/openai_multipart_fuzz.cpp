// Any bytes as a form: the first line is the Content-Type. Parts lie inside the body, in order, none
// overlapping.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/openai/multipart.h"
#include "braid/openai/transcription.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view form(reinterpret_cast<const char*>(data), size);
  const std::size_t line = form.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string_view type = form.substr(0, line), body = form.substr(line + 1);
  const auto parts = braid::openai::parse_multipart(type, body);
  if (parts) {
    const char* at = body.data();
    for (const braid::openai::FormPart& part : *parts) {
      require(!part.name.empty() && part.body.data() >= at);
      at = part.body.data() + part.body.size();
    }
    require(parts->size() <= 64 && at <= body.data() + body.size());
  } else {
    require(!parts.error().message.empty());
  }
  const auto request = braid::openai::parse_transcription(type, body);
  require(request ? !request->file.empty() && !request->model.empty() : !request.error().message.empty());
  return 0;
}
