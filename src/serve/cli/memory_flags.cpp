#include "cli/memory_flags.h"

#include <fmt/format.h>

#include <charconv>

#include "braid/retrieve/around.h"
#include "config/time_text.h"
#include "memory/search_words.h"

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
  command
      .add_option("FILE", flags.files,
                  "documents: .txt, .log, .md, .html, .pdf, .srt, .vtt, .csv, .tsv; - reads text, HTML or a "
                  "PDF from a pipe")
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
  command
      .add_option("--link", flags.links,
                  "caused_by=ID or belongs_to=ID: a record that this one hangs on; may be repeated")
      ->take_all()
      ->expected(1)
      ->type_name("LINK");
  add_embedder_flag(command, flags);
  add_zone(command, flags);
}

void add_show_flags(CLI::App& command, MemoryFlags& flags) {
  command.add_option("ID", flags.id, "its number")->required()->type_name("");
  command.add_flag("--around", flags.around,
                   "what is linked with it, and what was before, after and meanwhile");
  command.add_option("--hops", flags.hops, "1, or 2: what is around these, too")
      ->check(CLI::Range(1, retrieve::kMaxHops))
      ->capture_default_str();
  command.add_option("--reach", flags.reach, "how far before and after")
      ->capture_default_str()
      ->type_name("SPAN");
  command.add_option("-n,--limit", flags.limit, "of each kind, at most")
      ->check(CLI::Range(1, retrieve::kMaxNeighbours))
      ->capture_default_str();
}

void add_export_flags(CLI::App& command, MemoryFlags& flags) {
  command.add_option("FILE", flags.file, "JSON lines; appears when it is whole")->required()->type_name("");
  command.add_flag("--vectors", flags.vectors, "with the records' vectors, which else are made anew");
}

void add_import_flags(CLI::App& command, MemoryFlags& flags) {
  command.add_option("FILE", flags.file, "what braid memory export wrote")->required()->type_name("");
  add_embedder_flag(command, flags);
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
  command
      .add_option("--server", flags.server, "in place of DIR: a server that remembers, http://127.0.0.1:8080")
      ->type_name("URL");
  command.add_option("--key", flags.key, "the server's key; else $BRAID_KEY")->type_name("KEY");
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

Result<retrieve::RecordLink> link_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto kind = retrieve::parse_link_kind(std::string_view(text).substr(0, equals));
  std::int64_t to = 0;
  const char* const end = text.data() + text.size();
  const char* const number = equals == std::string::npos ? end : text.data() + equals + 1;
  const auto [last, error] = std::from_chars(number, end, to);
  if (!kind || error != std::errc{} || last != end || to < 1)
    return fail(
        ErrorCode::kUsage,
        fmt::format("--link {} is none: caused_by=ID or belongs_to=ID, the number of a record", text));
  return retrieve::RecordLink{*kind, to};
}

Result<calendar::Asker> asker(const MemoryFlags& flags) {
  auto asker = asker_in(flags.zone);
  if (!asker) return fail(ErrorCode::kUsage, fmt::format("--zone: {}", asker.error().message));
  return asker;
}

Result<retrieve::SearchQuery> search_query(const MemoryFlags& flags) {
  const auto who = asker(flags);
  if (!who) return tl::unexpected(who.error());
  const auto deadline = parse_span(flags.deadline);
  if (!deadline) return tl::unexpected(deadline.error());
  auto query = search_query({flags.question, flags.during, flags.from, flags.to, flags.sources, flags.kinds,
                             flags.limit, *deadline},
                            *who, "--");
  if (!query) return tl::unexpected(query.error().error);
  return std::move(*query);
}

}  // namespace braid::serve
