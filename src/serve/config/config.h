#pragma once
// The server's configuration as a TOML file. docs/operations.md describes the keys.

#include <string>
#include <string_view>

#include "braid/serve/server.h"

namespace braid::serve {

/// What a server is that nobody configured: ServerConfig's defaults, and what comes from outside is decoded
/// in processes of their own.
ServerConfig default_config();

/// What the file doesn't name keeps its default. kUsage, beginning with NAME:LINE: not TOML, an unknown key
/// (with the nearest known one), a value of another type or out of range, a source or question that can't be.
Result<ServerConfig> parse_config(std::string_view text, std::string_view name);
/// kNotFound, kLimit (over 1 MiB), and those of parse_config.
Result<ServerConfig> load_config(const std::string& path);

/// Every key with its value and what it means. parse_config() of it gives `config` back.
std::string print_config(const ServerConfig& config);

/// Empty where nothing is chosen. kUsage: both are, or the variable isn't set; kNotFound: the file can't be
/// read; kBadInput: there is nothing in it.
Result<std::string> read_secret(const SecretChoice& choice);

}  // namespace braid::serve
