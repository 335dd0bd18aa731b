#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "braid/base/utf8.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/memory_flags.h"
#include "cli/memory_server.h"
#include "cli/say.h"
#include "config/time_text.h"
#include "memory/add_files.h"
#include "memory/record_json.h"
#include "memory/search_words.h"
#include "memory/session_memory.h"
#include "memory/text_embedder.h"
#include "memory/transfer.h"

namespace braid::serve {

namespace {

using retrieve::Memory;

int failed(const Error& error) {
  say("braid memory: {}\n", error.message);
  return exit_code(error.code);
}

void print(const boost::json::object& object) { fmt::print("{}\n", boost::json::serialize(object)); }

Result<std::unique_ptr<Memory>> open_with_embedder(const MemoryFlags& flags, Clock& clock, bool read_only) {
  retrieve::MemoryOptions options;
  options.read_only = read_only;
  auto embedder = load_text_model(flags.embedder, clock);
  if (!embedder) return tl::unexpected(embedder.error());
  options.embedder = std::move(embedder->turns);
  return Memory::open(flags.folder, std::move(options), clock);
}

Result<std::unique_ptr<Memory>> open(const MemoryFlags& flags, Clock& clock, bool read_only) {
  retrieve::MemoryOptions options;
  options.read_only = read_only;
  options.must_exist = true;
  return Memory::open(flags.folder, options, clock);
}

/// Before a memory is made for nothing.
Status are_there(const std::vector<std::string>& files) {
  std::error_code error;
  for (const std::string& path : files)
    if (path != "-" && !std::filesystem::exists(path, error))
      return fail(ErrorCode::kNotFound, fmt::format("there is no file {}", path));
  return {};
}

/// What the flags say of all that is added; its time for texts and pipes.
Result<RecordHead> head_of(const MemoryFlags& flags) {
  RecordHead head;
  head.start = head.end = system_now();
  head.source = flags.source;
  head.kind = retrieve::RecordKind::kDocument;
  if (!flags.kind.empty()) {
    const auto kind = kind_of("--kind", flags.kind);
    if (!kind) return tl::unexpected(kind.error());
    head.kind = *kind;
  }
  const auto who = asker(flags);
  if (!who) return tl::unexpected(who.error());
  head.zone = who->zone;
  for (const std::string& link : flags.links) {
    const auto read = link_of(link);
    if (!read) return tl::unexpected(read.error());
    head.links.push_back(*read);
  }
  if (flags.at.empty()) return head;
  const auto range = time_of("--at", flags.at, *who);
  if (!range) return tl::unexpected(range.error());
  if (range->from == UtcTime::min() || range->to == UtcTime::max())
    return fail(ErrorCode::kUsage, "--at is open: a record has a start and an end");
  head.start = range->from;
  // A moment that is told to the second is a moment; an interval or a day is all of it.
  const bool moment =
      range->precision >= calendar::Precision::kSecond && flags.at.find('/') == std::string::npos;
  head.end = moment ? range->from : range->to;
  return head;
}

Status add_text(Memory& memory, const std::string& text, const RecordHead& head, const MemoryFlags& flags) {
  retrieve::Record record;
  record.start = head.start;
  record.end = head.end;
  record.source = head.source.empty() ? "note" : head.source;
  record.kind = flags.kind.empty() ? retrieve::RecordKind::kText : head.kind;
  record.text = text;
  record.links = head.links;
  return memory.add(std::move(record));
}

Result<std::size_t> add_one_file(Memory& memory, const std::string& path, RecordHead head,
                                 const MemoryFlags& flags) {
  if (flags.at.empty() && path != "-") {
    const auto time = modified(path);
    if (!time) return tl::unexpected(time.error());
    head.start = head.end = *time;
  }
  if (head.source.empty())
    head.source = path == "-" ? "stdin" : std::filesystem::path(path).filename().string();
  return add_file(memory, path, head);
}

std::string count_of(std::uint64_t records) {
  return fmt::format("{} {}", records, records == 1 ? "record" : "records");
}

void tell_added(const MemoryFlags& flags, const std::string& file, std::size_t records) {
  if (flags.json)
    print({{"type", "added"}, {"file", file}, {"records", records}});
  else
    fmt::print("{}: {}\n", file, count_of(records));
}

int add(const MemoryFlags& flags) {
  if (flags.files.empty() && flags.texts.empty())
    return failed({ErrorCode::kUsage, "nothing to add: name a FILE, or say --text TEXT"});
  const auto head = head_of(flags);
  if (!head) return failed(head.error());
  if (Status there = are_there(flags.files); !there) return failed(there.error());
  RealClock clock;
  auto memory = open_with_embedder(flags, clock, false);
  if (!memory) return failed(memory.error());
  for (const std::string& text : flags.texts)
    if (Status added = add_text(**memory, text, *head, flags); !added) return failed(added.error());
  if (Status flushed = (*memory)->flush(); !flushed) return failed(flushed.error());
  if (!flags.texts.empty()) tell_added(flags, "--text", flags.texts.size());
  std::optional<Error> first;
  for (const std::string& path : flags.files) {
    const auto added = add_one_file(**memory, path, *head, flags);
    if (!added) {
      say("braid memory: {}\n", added.error().message);
      first = first.value_or(added.error());
    } else {
      tell_added(flags, path, *added);
    }
  }
  if (Status settled = (*memory)->settle(); !settled) first = first.value_or(settled.error());
  return first ? exit_code(first->code) : kDone;
}

void print_record(const retrieve::Record& record) {
  fmt::print("{}  {}  {} #{}\n", citation(record), cited_source(record), retrieve::to_string(record.kind),
             record.id);
  std::string text = record.text;
  // Nothing that a record says moves the cursor.
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  fmt::print("    {}\n", text);
}

/// As it was understood.
std::string range_text(const retrieve::Found& found) {
  const bool from = found.from != UtcTime::min(), to = found.to != UtcTime::max();
  if (from && to)
    return fmt::format("from {} to {}", calendar::utc_text(found.from), calendar::utc_text(found.to));
  if (from) return fmt::format("since {}", calendar::utc_text(found.from));
  if (to) return fmt::format("before {}", calendar::utc_text(found.to));
  return "that is kept here";
}

/// By which event the time was told.
void tell_event(const std::optional<retrieve::RelativeTo>& relative) {
  if (!relative) return;
  if (!relative->record) return say("note: nothing like '{}' was found\n", relative->asked.event);
  say("note: {} [{}] #{}\n", to_string(relative->asked.relation), citation(*relative->record),
      relative->record->id);
}

/// A field that a server may leave out.
std::string text_of(const boost::json::object& object, const char* name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_string() ? printable(value->get_string()) : "";
}

int ask_server(const MemoryFlags& flags) {
  const auto found = search_server(flags);
  if (!found) return failed(found.error());
  for (const boost::json::value& one : found->hits) {
    const boost::json::object* hit = one.if_object();
    if (!hit) continue;
    if (flags.json) {
      boost::json::object line{{"type", "hit"}};
      for (const auto& field : *hit) line.insert(field);
      print(line);
    } else {
      fmt::print("{}  {}  {}\n    {}\n", text_of(*hit, "time"), text_of(*hit, "source"),
                 text_of(*hit, "kind"), text_of(*hit, "text"));
    }
  }
  if (flags.json) print(found->search);
  if (!flags.json && found->hits.empty()) say("nothing fits\n");
  return kDone;
}

int search(const MemoryFlags& flags) {
  if (!flags.server.empty()) {
    MemoryFlags of_server = flags;
    if (of_server.question.empty()) of_server.question = std::exchange(of_server.folder, {});
    if (of_server.folder.empty()) return ask_server(of_server);
    return failed({ErrorCode::kUsage, "name a DIR or a --server, not both"});
  }
  if (flags.folder.empty()) return failed({ErrorCode::kUsage, "DIR is required, or --server URL"});
  const auto query = search_query(flags);
  if (!query) return failed(query.error());
  RealClock clock;
  auto memory = query->text.empty() ? open(flags, clock, true) : open_with_embedder(flags, clock, true);
  if (!memory) return failed(memory.error());
  const auto found = (*memory)->search(*query);
  if (!found) return failed(found.error());
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    if (flags.json)
      print(hit_json(found->hits[i], i + 1));
    else
      print_record(found->hits[i].record);
  }
  if (flags.json) {
    print(search_json(*found));
    return kDone;
  }
  tell_event(found->relative_to);
  if (found->hits.empty()) say("nothing {} fits\n", range_text(*found));
  for (const retrieve::SearchPart& part : found->parts)
    if (part.verdict == retrieve::PartVerdict::kLate)
      say("note: the search by {} missed its deadline and was left out\n", part.name);
  return kDone;
}

int show_around(Memory& memory, const MemoryFlags& flags) {
  const auto reach = parse_span(flags.reach);
  if (!reach) return failed(reach.error());
  const auto found = memory.around(flags.id, {*reach, flags.hops, flags.limit});
  if (!found) return failed(found.error());
  for (const retrieve::Neighbour& one : *found) {
    if (flags.json) {
      print(neighbour_json(one));
      continue;
    }
    fmt::print("{} #{}: ", to_string(one.edge), one.from);
    print_record(one.record);
  }
  return kDone;
}

int show(const MemoryFlags& flags) {
  RealClock clock;
  auto memory = open(flags, clock, true);
  if (!memory) return failed(memory.error());
  const auto record = (*memory)->get(flags.id);
  if (!record) return failed(record.error());
  if (flags.json) {
    boost::json::object line{{"type", "record"}};
    for (auto& field : record_json(*record)) line.insert(field);
    print(line);
  } else {
    print_record(*record);
  }
  return flags.around ? show_around(**memory, flags) : kDone;
}

int stats(const MemoryFlags& flags) {
  RealClock clock;
  auto memory = open(flags, clock, true);
  if (!memory) return failed(memory.error());
  const auto stats = (*memory)->stats();
  if (!stats) return failed(stats.error());
  if (flags.json) {
    print(stats_json(*stats));
    return kDone;
  }
  fmt::print("{} in {} {}, {:.1f} MB", count_of(stats->records), stats->segments,
             stats->segments == 1 ? "segment" : "segments", static_cast<double>(stats->bytes) / 1e6);
  if (stats->records > 0)
    fmt::print(", {} to {}", calendar::utc_text(stats->first), calendar::utc_text(stats->last));
  fmt::print("\n");
  return kDone;
}

void tell_transfer(const MemoryFlags& flags, const char* type, const Transfer& transfer) {
  const std::string checksum = fmt::format("{:08x}", transfer.checksum);
  if (flags.json)
    print({{"type", type}, {"records", transfer.records}, {"there", transfer.there}, {"crc32c", checksum}});
  else
    fmt::print("{} {}, checksum {}{}\n", count_of(static_cast<std::uint64_t>(transfer.records)), type,
               checksum, transfer.there > 0 ? fmt::format("; {} of them were there", transfer.there) : "");
}

int export_all(const MemoryFlags& flags) {
  RealClock clock;
  auto memory = open(flags, clock, true);
  if (!memory) return failed(memory.error());
  const auto done = export_memory(**memory, flags.file, flags.vectors);
  if (!done) return failed(done.error());
  tell_transfer(flags, "exported", *done);
  return kDone;
}

int import_all(const MemoryFlags& flags) {
  RealClock clock;
  auto memory = open_with_embedder(flags, clock, false);
  if (!memory) return failed(memory.error());
  // What is there gets its vectors first: they are made in the order of records.
  if (Status settled = (*memory)->settle(); !settled) return failed(settled.error());
  const auto done = import_memory(**memory, flags.file);
  if (!done) return failed(done.error());
  if (Status settled = (*memory)->settle(); !settled) return failed(settled.error());
  tell_transfer(flags, "imported", *done);
  return kDone;
}

int prune(const MemoryFlags& flags) {
  const auto who = asker(flags);
  if (!who) return failed(who.error());
  const auto before = time_of("--before", flags.before, *who);
  if (!before) return failed(before.error());
  if (before->from == UtcTime::min()) return failed({ErrorCode::kUsage, "--before has no beginning"});
  RealClock clock;
  auto memory = open(flags, clock, false);
  if (!memory) return failed(memory.error());
  const auto pruned = (*memory)->prune(before->from);
  if (!pruned) return failed(pruned.error());
  if (flags.json)
    print({{"type", "pruned"}, {"records", *pruned}});
  else
    fmt::print("{} forgotten\n", count_of(static_cast<std::uint64_t>(*pruned)));
  return kDone;
}

}  // namespace

void add_memory(CLI::App& app, Command& run) {
  auto* memory =
      app.add_subcommand("memory", "keep records of what happened in a folder, and find them again");
  memory->require_subcommand(1);
  memory->footer(
      "Examples:\n"
      "  braid memory add plant.memory report.md --at 2026-11-29\n"
      "  braid memory search plant.memory \"weld alarm\" --during PT72H\n"
      "Times: docs/time.md. The folder, the ranking and what is promised: docs/memory.md.");
  auto flags = std::make_shared<MemoryFlags>();
  const auto verb = [&](const char* name, const char* help, int (*body)(const MemoryFlags&)) {
    auto* command = memory->add_subcommand(name, help);
    command->add_option("DIR", flags->folder, "the memory's folder")->required()->type_name("");
    command->add_flag("--json", flags->json, "JSON lines (docs/json.md)");
    command->callback([flags, body, &run] { run = [flags, body] { return body(*flags); }; });
    return command;
  };
  add_add_flags(*verb("add", "add files and texts", add), *flags);
  CLI::App* const searching = verb("search", "find records by time and words", search);
  searching->get_option("DIR")->required(false);
  add_search_flags(*searching, *flags);
  add_show_flags(*verb("show", "one record, and what is around it", show), *flags);
  verb("stats", "how much it holds, and of when", stats);
  add_export_flags(*verb("export", "all records to a file, for another memory", export_all), *flags);
  add_import_flags(*verb("import", "records of an export; one that was broken off goes on", import_all),
                   *flags);
  add_prune_flags(*verb("prune", "forget what is old", prune), *flags);
}

}  // namespace braid::serve
