#include "cli/memory_flags.h"

#include <fmt/format.h>

#include "braid/retrieve/asked_time.h"
#include "cli/time_text.h"
#include "memory/session_memory.h"

namespace braid::serve {

namespace {

void add_zone(CLI::App& command, MemoryFlags& flags) {
  command.add_option("--zone", flags.zone, "zone of times without an offset: +01:00, Europe/Berlin")
      ->capture_default_str()
      ->type_name("ZONE");
}

void add_embedder_flag(CLI::App& command, MemoryFlags& flags) {
  command
      .add_option("--embedder", flags.embedder,
                  "GGUF of the model that makes vectors of texts; off: found by words alone. Default: "
                  "all-MiniLM-L6-v2, where it was prepared")
      ->type_name("FILE");
}

}  // namespace

void add_add_flags(CLI::App& command, MemoryFlags& flags) {
  command.add_option("FILE", flags.files, "text (.txt, .log) and Markdown (.md); - reads text from a pipe")
      ->type_name("");
  command.add_option("--text", flags.texts, "a record as it is; may be repeated")
      ->take_all()
      ->expected(1)
      ->type_name("TEXT");
  command
      .add_option("--at", flags.at,
                  "when it was: a time or an interval as docs/time.md lists them. Default: the file's "
                  "modification, else now")
      ->type_name("TIME");
  command.add_option("--source", flags.source, "who says so; default: the file's name, else 'note'")
      ->type_name("NAME");
  command
      .add_option("--kind", flags.kind,
                  "vision, audio, text, reading, answer, document; default: document "
                  "of files, text of --text")
      ->type_name("KIND");
  add_embedder_flag(command, flags);
  add_zone(command, flags);
}

void add_search_flags(CLI::App& command, MemoryFlags& flags) {
  command
      .add_option("TEXT", flags.question,
                  "what to look for, and when: \"weld alarms in the past 72 h\"; without it the newest "
                  "records are shown")
      ->type_name("");
  command.add_option("--during", flags.during, "a time or an interval: 2026-11-29, PT72H (the last 72 h)")
      ->type_name("TIME");
  command.add_option("--from", flags.from, "nothing that ended before this time's beginning")
      ->type_name("TIME");
  command.add_option("--to", flags.to, "nothing that started at this time's beginning or later")
      ->type_name("TIME");
  command.add_option("--source", flags.sources, "of this source alone; may be repeated")
      ->take_all()
      ->expected(1)
      ->type_name("NAME");
  command.add_option("--kind", flags.kinds, "of this kind alone; may be repeated")
      ->take_all()
      ->expected(1)
      ->type_name("KIND");
  command.add_option("-n,--limit", flags.limit, "hits at most")
      ->check(CLI::Range(1, retrieve::kMaxHits))
      ->capture_default_str();
  command
      .add_option("--deadline", flags.deadline,
                  "for each part of the search; what isn't there by then is left out, and said")
      ->capture_default_str()
      ->type_name("SPAN");
  add_embedder_flag(command, flags);
  add_zone(command, flags);
}

void add_prune_flags(CLI::App& command, MemoryFlags& flags) {
  command
      .add_option("--before", flags.before,
                  "forget what ended before this time's beginning; P30D: 30 days ago")
      ->required()
      ->type_name("TIME");
  add_zone(command, flags);
}

Result<retrieve::RecordKind> kind_flag(const std::string& name) {
  if (const auto kind = retrieve::parse_record_kind(name)) return *kind;
  return fail(ErrorCode::kUsage,
              fmt::format("--kind {} is none: vision, audio, text, reading, answer, document", name));
}

Result<calendar::Asker> asker(const MemoryFlags& flags) {
  auto zone = calendar::Zone::parse(flags.zone);
  if (!zone) return fail(ErrorCode::kUsage, fmt::format("--zone: {}", zone.error().message));
  return calendar::Asker{*zone, system_now()};
}

Result<calendar::UtcRange> time_flag(const char* flag, const std::string& text,
                                     const calendar::Asker& asker) {
  auto range = calendar::parse_time_range(text, asker);
  if (range) return range;
  if (parse_span(text))
    return fail(ErrorCode::kUsage,
                fmt::format("{}: '{}' is a length; write it as PT72H, PT10M or P3D", flag, text));
  return fail(ErrorCode::kUsage, fmt::format("{}: {}", flag, range.error().message));
}

Result<retrieve::SearchQuery> search_query(const MemoryFlags& flags) {
  retrieve::SearchQuery query;
  query.text = flags.question;
  query.limit = flags.limit;
  query.filter.sources = flags.sources;
  const auto who = asker(flags);
  if (!who) return tl::unexpected(who.error());
  if (!flags.during.empty() && (!flags.from.empty() || !flags.to.empty()))
    return fail(ErrorCode::kUsage, "--during is a whole range: leave out --from and --to");
  if (!flags.during.empty()) {
    const auto range = time_flag("--during", flags.during, *who);
    if (!range) return tl::unexpected(range.error());
    query.filter.from = range->from;
    query.filter.to = range->to;
  }
  if (!flags.from.empty()) {
    const auto range = time_flag("--from", flags.from, *who);
    if (!range) return tl::unexpected(range.error());
    query.filter.from = range->from;
  }
  if (!flags.to.empty()) {
    const auto range = time_flag("--to", flags.to, *who);
    if (!range) return tl::unexpected(range.error());
    query.filter.to = range->from;
  }
  if (query.filter.to <= query.filter.from)
    return fail(ErrorCode::kUsage, fmt::format("--to {} is not after --from {}", flags.to, flags.from));
  if (flags.during.empty() && flags.from.empty() && flags.to.empty())
    if (auto asked = retrieve::find_asked_time(query.text, *who)) {
      query.filter.from = asked->from;
      query.filter.to = asked->to;
      query.text = std::move(asked->rest);
    }
  for (const std::string& name : flags.kinds) {
    const auto kind = kind_flag(name);
    if (!kind) return tl::unexpected(kind.error());
    query.filter.kinds.push_back(*kind);
  }
  const auto deadline = parse_span(flags.deadline);
  if (!deadline) return tl::unexpected(deadline.error());
  query.deadline = *deadline;
  return query;
}

}  // namespace braid::serve
