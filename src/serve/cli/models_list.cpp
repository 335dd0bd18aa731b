#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

#include "braid/engine/model_facts.h"
#include "cli/exit_code.h"
#include "cli/models.h"
#include "watch/model_files.h"

namespace braid::serve {

namespace {

namespace fs = std::filesystem;

/// A file that is used if none is named, or that is cached beside those.
struct Listed {
  const char* role;
  Result<std::string> path;
  std::uintmax_t bytes = 0;
  std::optional<engine::GgufFacts> facts;  // none: no GGUF
  std::string sha256;                      // empty: not asked for
};

std::string sha256_of(const std::string& path) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> sum(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!sum || EVP_DigestInit_ex(sum.get(), EVP_sha256(), nullptr) != 1) return "";
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
    EVP_DigestUpdate(sum.get(), buffer.data(), static_cast<std::size_t>(file.gcount()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (file.bad() || EVP_DigestFinal_ex(sum.get(), bytes.data(), &size) != 1) return "";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

Listed look_at(const char* role, Result<std::string> path, const ModelFlags& flags) {
  Listed listed{role, std::move(path), 0, std::nullopt, ""};
  if (!listed.path) return listed;
  std::error_code ignored;
  listed.bytes = fs::file_size(*listed.path, ignored);
  if (listed.path->ends_with(".gguf"))
    if (auto facts = engine::read_gguf(*listed.path)) listed.facts = *facts;
  if (flags.hash) listed.sha256 = sha256_of(*listed.path);
  return listed;
}

/// GGUFs of the cache that `listed` doesn't have, by name. What links point to is not told twice.
std::vector<std::string> others(const std::vector<Listed>& listed) {
  std::vector<fs::path> known;
  std::error_code error;
  for (const Listed& file : listed)
    if (file.path) known.push_back(fs::canonical(*file.path, error));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(cache_directory()) / "models", error)) {
    const fs::path real = fs::canonical(entry.path(), error);
    if (error || entry.path().extension() != ".gguf" || std::count(known.begin(), known.end(), real) > 0)
      continue;
    if (entry.is_symlink(error)) known.push_back(real);
    names.push_back(entry.path().string());
  }
  // A link found later than its file makes that file known.
  std::erase_if(names, [&](const std::string& name) {
    return !fs::is_symlink(name, error) &&
           std::count(known.begin(), known.end(), fs::canonical(name, error)) > 0;
  });
  std::sort(names.begin(), names.end());
  return names;
}

void print_json(const Listed& file) {
  boost::json::object line{{"type", "model"}, {"role", file.role}};
  line["path"] = file.path ? boost::json::value(*file.path) : nullptr;
  line["bytes"] = file.path ? boost::json::value(file.bytes) : nullptr;
  line["missing"] = file.path ? boost::json::value(nullptr) : boost::json::value(file.path.error().message);
  line["family"] = file.facts ? boost::json::value(file.facts->family) : nullptr;
  line["quantisation"] = file.facts ? boost::json::value(file.facts->quantisation) : nullptr;
  if (!file.sha256.empty()) line["sha256"] = file.sha256;
  fmt::print("{}\n", boost::json::serialize(line));
}

void print_text(const Listed& file) {
  if (!file.path) {
    fmt::print("{:<16} missing: {}\n", file.role, file.path.error().message);
    return;
  }
  fmt::print("{:<16} {:>8}  {}", file.role, megabytes(file.bytes), *file.path);
  if (file.facts) fmt::print("  ({}, {})", file.facts->family, file.facts->quantisation);
  fmt::print("\n");
  if (!file.sha256.empty()) fmt::print("{:<16} {:>8}  sha256 {}\n", "", "", file.sha256);
}

}  // namespace

int list_models(const ModelFlags& flags) {
  const auto nano = with_default_model({});
  const auto part = [&](std::string ModelChoice::*member) {
    return nano ? Result<std::string>((*nano).*member) : tl::unexpected(nano.error());
  };
  std::vector<Listed> files;
  files.push_back(look_at("language model", part(&ModelChoice::model), flags));
  files.push_back(look_at("encoders", part(&ModelChoice::mmproj), flags));
  files.push_back(look_at("speech detector", speech_model_file(), flags));
  for (const std::string& path : others(files)) files.push_back(look_at("cached", path, flags));
  for (const Listed& file : files) flags.json ? print_json(file) : print_text(file);
  return kDone;
}

}  // namespace braid::serve
