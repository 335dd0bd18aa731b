#pragma once
// The flags of `braid memory`.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "braid/calendar/time_range.h"
#include "braid/retrieve/search.h"

namespace braid::serve {

struct MemoryFlags {
  std::string folder;
  bool json = false;
  std::vector<std::string> files;    ///< add
  std::vector<std::string> texts;    ///< add
  std::string at;                    ///< add; a time as calendar reads it
  std::string source;                ///< add
  std::string kind;                  ///< add
  std::string question;              ///< search
  std::string from, to, during;      ///< search
  std::vector<std::string> sources;  ///< search
  std::vector<std::string> kinds;    ///< search
  std::string server, key;           ///< search
  int limit = 10;                    ///< search
  std::string deadline = "500ms";    ///< search
  std::string embedder;              ///< add, search; as load_text_model() takes it
  std::string file;                  ///< export, import
  bool vectors = false;              ///< export
  std::int64_t id = 0;               ///< show
  bool around = false;               ///< show
  int hops = 1;                      ///< show
  std::string reach = "10m";         ///< show
  std::vector<std::string> links;    ///< add; as link_of() reads them
  std::string before;                ///< prune
  std::string zone = "UTC";          ///< of times without an offset
};

void add_add_flags(CLI::App& command, MemoryFlags& flags);
void add_search_flags(CLI::App& command, MemoryFlags& flags);
void add_show_flags(CLI::App& command, MemoryFlags& flags);
void add_export_flags(CLI::App& command, MemoryFlags& flags);
void add_import_flags(CLI::App& command, MemoryFlags& flags);
void add_prune_flags(CLI::App& command, MemoryFlags& flags);

/// Who asks, with the system's time. Errors of Zone::parse.
Result<calendar::Asker> asker(const MemoryFlags& flags);
/// "caused_by=12". kUsage.
Result<retrieve::RecordLink> link_of(const std::string& text);
/// kUsage: names the flag that doesn't fit.
Result<retrieve::SearchQuery> search_query(const MemoryFlags& flags);

}  // namespace braid::serve
