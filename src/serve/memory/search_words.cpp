#include "memory/search_words.h"

#include <fmt/format.h>

#include <utility>

#include "config/time_text.h"
#include "memory/session_memory.h"

namespace braid::serve {

namespace {

/// Takes ranges out of words; the first that doesn't fit is kept.
class Reader {
 public:
  Reader(const calendar::Asker& asker, std::string_view prefix) : asker_(asker), prefix_(prefix) {}

  std::optional<calendar::UtcRange> range(const char* name, const std::string& text) {
    if (text.empty() || misfit_) return std::nullopt;
    auto range = time_of(shown(name), text, asker_);
    if (range) return *range;
    misfit_ = MisfitWord{name, range.error()};
    return std::nullopt;
  }
  void refuse(const char* name, std::string message) {
    if (!misfit_) misfit_ = MisfitWord{name, {ErrorCode::kUsage, std::move(message)}};
  }
  void kinds(const std::vector<std::string>& names, retrieve::Filter& filter) {
    for (const std::string& name : names) {
      const auto kind = kind_of(shown("kind"), name);
      if (!kind) return refuse("kind", kind.error().message);
      filter.kinds.push_back(*kind);
    }
  }
  std::string shown(const char* name) const { return fmt::format("{}{}", prefix_, name); }
  const std::optional<MisfitWord>& misfit() const { return misfit_; }

 private:
  const calendar::Asker& asker_;
  const std::string_view prefix_;
  std::optional<MisfitWord> misfit_;
};

/// Of the words themselves, or of the question where they say none.
void read_range(const SearchWords& words, const calendar::Asker& asker, Reader& reader,
                retrieve::SearchQuery& query) {
  if (!words.during.empty() && (!words.from.empty() || !words.to.empty()))
    return reader.refuse("during",
                         fmt::format("{} is a whole range: leave out {} and {}", reader.shown("during"),
                                     reader.shown("from"), reader.shown("to")));
  if (const auto range = reader.range("during", words.during)) {
    query.filter.from = range->from;
    query.filter.to = range->to;
  }
  if (const auto range = reader.range("from", words.from)) query.filter.from = range->from;
  if (const auto range = reader.range("to", words.to)) query.filter.to = range->from;
  if (query.filter.to <= query.filter.from)
    reader.refuse("to", fmt::format("{} {} is not after {} {}", reader.shown("to"), words.to,
                                    reader.shown("from"), words.from));
  if (!words.during.empty() || !words.from.empty() || !words.to.empty()) return;
  retrieve::take_asked_time(query, asker);
}

}  // namespace

Result<calendar::Asker> asker_in(const std::string& zone) {
  auto parsed = calendar::Zone::parse(zone);
  if (!parsed) return tl::unexpected(parsed.error());
  return calendar::Asker{*parsed, system_now()};
}

Result<retrieve::RecordKind> kind_of(const std::string& given_as, const std::string& name) {
  if (const auto kind = retrieve::parse_record_kind(name)) return *kind;
  return fail(ErrorCode::kUsage,
              fmt::format("{} {} is none: vision, audio, text, reading, answer, document", given_as, name));
}

Result<calendar::UtcRange> time_of(const std::string& given_as, const std::string& text,
                                   const calendar::Asker& asker) {
  auto range = calendar::parse_time_range(text, asker);
  if (range) return range;
  if (parse_span(text))
    return fail(ErrorCode::kUsage,
                fmt::format("{}: '{}' is a length; write it as PT72H, PT10M or P3D", given_as, text));
  return fail(ErrorCode::kUsage, fmt::format("{}: {}", given_as, range.error().message));
}

tl::expected<retrieve::SearchQuery, MisfitWord> search_query(const SearchWords& words,
                                                             const calendar::Asker& asker,
                                                             std::string_view prefix) {
  retrieve::SearchQuery query;
  query.text = words.query;
  query.limit = words.limit;
  query.deadline = words.deadline;
  query.filter.sources = words.sources;
  Reader reader(asker, prefix);
  read_range(words, asker, reader, query);
  reader.kinds(words.kinds, query.filter);
  if (reader.misfit()) return tl::unexpected(*reader.misfit());
  return query;
}

}  // namespace braid::serve
