#pragma once
// For tests: a folder that goes with the test, and records made short.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "braid/retrieve/record.h"

namespace braid::retrieve {

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid-memory-XXXXXX").string();
    parent = mkdtemp(pattern.data());
    folder = parent + "/memory";
  }
  ~FolderTest() override { std::filesystem::remove_all(parent); }

  std::string parent, folder;
};

inline UtcTime at_s(std::int64_t seconds) { return UtcTime(std::chrono::seconds(seconds)); }

inline Record record_at(std::int64_t start_s, std::string text, std::int64_t seconds = 0) {
  Record record;
  record.start = at_s(start_s);
  record.end = at_s(start_s + seconds);
  record.source = "line";
  record.text = std::move(text);
  return record;
}

}  // namespace braid::retrieve
