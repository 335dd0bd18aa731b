#include "watch/source_specs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <system_error>
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

Status check_sources(const std::vector<std::string>& texts) {
  const auto specs = parse_sources(texts);
  if (!specs) return tl::unexpected(specs.error());
  for (const ingest::SourceSpec& spec : *specs) {
    if (spec.transport != ingest::Transport::kFile || ::access(spec.target.c_str(), R_OK) == 0) continue;
    if (errno == ENOENT || errno == ENOTDIR)
      return fail(ErrorCode::kNotFound,
                  fmt::format("{}: there is no such file; check the path", spec.target));
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: can't be read: {}", spec.target, std::generic_category().message(errno)));
  }
  return {};
}

}  // namespace braid::serve
