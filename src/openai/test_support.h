#pragma once
// Files of tests/data; tests run in the repository's root.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace braid::openai {

inline std::string test_file(const std::string& name) {
  std::ifstream file("tests/data/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace braid::openai
