#include "documents/passages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "braid/base/utf8.h"

namespace braid::retrieve {

namespace {

constexpr std::size_t kMaxTitleBytes = 200;

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::size_t cut_place(std::string_view text, std::size_t most) {
  for (std::size_t at = most; at > most / 2; --at)
    if (text[at - 1] == ' ' && at > 1 && (text[at - 2] == '.' || text[at - 2] == '!' || text[at - 2] == '?'))
      return at;
  for (std::size_t at = most; at > most / 2; --at)
    if (std::isspace(static_cast<unsigned char>(text[at - 1])) != 0) return at;
  std::size_t at = most;
  while (at > most / 2 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

void Passages::add(Passage whole, std::string_view title, bool exact) {
  std::string all = std::exchange(whole.text, {});
  std::replace(all.begin(), all.end(), '\0', ' ');
  for (std::size_t at = 0; at < all.size() && !full();) {
    const std::string_view rest = std::string_view(all).substr(at);
    const std::size_t taken = rest.size() > kPassageBytes ? cut_place(rest, kPassageBytes) : rest.size();
    const std::string_view text = trimmed(rest.substr(0, taken));
    if (!text.empty()) {
      Passage& one = passages_.emplace_back(whole);
      one.text = to_valid_utf8(title.empty() ? std::string(text)
                                             : fmt::format("{}\n{}", title.substr(0, kMaxTitleBytes), text));
      if (exact && one.offset >= 0) one.offset += text.data() - all.data();
    }
    at += taken;
  }
}

Result<std::vector<Passage>> Passages::take() {
  if (full())
    return fail(ErrorCode::kLimit,
                fmt::format("the document has more than {} passages: split it", kMaxPassages));
  return std::move(passages_);
}

void BlockGatherer::title(std::string_view title) {
  finish();
  title_ = title;
}

void BlockGatherer::block(std::string_view text, std::int64_t offset) {
  if (!text_.empty() && text_.size() + 1 + text.size() > kPassageBytes) finish();
  if (text_.empty())
    offset_ = offset;
  else
    text_ += '\n';
  text_ += text;
}

void BlockGatherer::finish() { passages_.add({std::exchange(text_, {}), 0, offset_}, title_, false); }

}  // namespace braid::retrieve
