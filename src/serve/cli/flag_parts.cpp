#include "cli/flag_parts.h"

#include <fmt/format.h>

#include <charconv>

namespace braid::serve {

Finite::Finite(double least, double most) : Validator(fmt::format("{} to {}", least, most)) {
  func_ = [least, most](const std::string& text) -> std::string {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
      return {};
    return fmt::format("'{}' is no number from {} to {}", text, least, most);
  };
}

void name_group(CLI::App& command, const char* name) {
  for (CLI::Option* option : command.get_options([&](CLI::Option* one) {
         return one->get_group() == "Options" && !one->get_positional() && one != command.get_help_ptr();
       }))
    option->group(name);
}

void add_limit_flags(CLI::App& command, ingest::InputLimits& limits, double& max_duration_s) {
  command.add_option("--max-side", limits.max_side, "larger pictures are refused, pixels a side")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command.add_option("--max-pixels", limits.max_pixels, "pictures of more pixels are refused")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32))
      ->capture_default_str();
  command.add_option("--max-streams", limits.max_streams, "files of more streams are refused")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--max-duration", max_duration_s, "longer files are refused, seconds; 0: any length")
      ->check(Finite(0.0, 31'536'000.0))
      ->capture_default_str();
  command
      .add_option("--max-unpacked-bytes", limits.max_unpacked_bytes,
                  "a picture, packet or index that unpacks to more is refused")
      ->check(CLI::Range(std::int64_t{1} << 16, std::int64_t{0x7fffffff}))
      ->capture_default_str();
  command.add_option("--max-probe-bytes", limits.max_probe_bytes, "read to tell what a file is")
      ->check(CLI::Range(std::int64_t{4096}, std::int64_t{1} << 30))
      ->capture_default_str();
  name_group(command, "Limits");
}

}  // namespace braid::serve
