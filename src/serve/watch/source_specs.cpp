#include "watch/source_specs.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace braid::serve {

namespace {

/// A path that exists is taken whole, whatever it looks like.
bool is_named(const std::string& text, const ingest::SourceSpec& spec) {
  return spec.target != text && (text.starts_with("name=") || text.find(",name=") != std::string::npos);
}

}  // namespace

Result<std::vector<ingest::SourceSpec>> parse_sources(const std::vector<std::string>& texts) {
  std::vector<ingest::SourceSpec> specs;
  std::set<std::string> taken;
  for (const std::string& text : texts) {
    auto spec = ingest::parse_source_spec(text);
    if (!spec) return tl::unexpected(spec.error());
    if (is_named(text, *spec) && !taken.insert(spec->name).second)
      return fail(ErrorCode::kUsage,
                  fmt::format("two sources are named {}: give each a name of its own", spec->name));
    specs.push_back(std::move(*spec));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (is_named(texts[i], specs[i])) continue;
    const std::string base = specs[i].name;
    for (int next = 2; !taken.insert(specs[i].name).second; ++next)
      specs[i].name = fmt::format("{}-{}", base, next);
  }
  return specs;
}

}  // namespace braid::serve
