#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace braid::serve {

/// The bytes of one of the default model's sample files.
inline std::string read_sample(const std::string& name) {
  std::ifstream file("models/nano/samples/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace braid::serve
