#include "braid/retrieve/record.h"

#include <array>

namespace braid::retrieve {

namespace {
constexpr std::array<const char*, kRecordKinds> kNames = {"vision",  "audio",  "text",
                                                          "reading", "answer", "document"};
constexpr std::array<const char*, kLinkKinds> kLinkNames = {"caused_by", "belongs_to"};
}  // namespace

const char* to_string(LinkKind kind) { return kLinkNames.at(static_cast<std::size_t>(kind)); }

std::optional<LinkKind> parse_link_kind(std::string_view name) {
  for (std::size_t i = 0; i < kLinkNames.size(); ++i)
    if (name == kLinkNames[i]) return static_cast<LinkKind>(i);
  return std::nullopt;
}

const char* to_string(RecordKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

std::optional<RecordKind> parse_record_kind(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<RecordKind>(i);
  return std::nullopt;
}

}  // namespace braid::retrieve
