#pragma once
// Pictures, sound and video in a chat request's content parts.

#include <cstddef>
#include <string_view>

#include "braid/openai/chat_request.h"
#include "field_reader.h"

namespace braid::openai {

/// One request's; keeps count of the bytes decoded.
class MediaReader {
 public:
  MediaReader(FieldReader& reader, const ChatLimits& limits)
      : reader_(reader), limits_(limits), left_(limits.media_total) {}

  /// Reads the part at `at` if `type` is image_url, input_audio or video_url. Failures stay in the reader.
  bool read(JsonIndex at, std::string_view type, Part& part);

 private:
  void read_url(JsonIndex at, std::string_view top, Part& part);
  void read_audio(JsonIndex at, Part& part);
  std::size_t allowance() const;
  void refuse_media(JsonIndex at, std::string_view kind, const Error& error);

  FieldReader& reader_;
  const ChatLimits& limits_;
  std::size_t left_;
};

}  // namespace braid::openai
