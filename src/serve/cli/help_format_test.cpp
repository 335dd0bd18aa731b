#include "cli/help_format.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/watch_options.h"

namespace braid::serve {
namespace {

TEST(HelpFormat, BreaksLinesAtSpacesAndKeepsGivenOnes) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two", 8), "one two");
  EXPECT_EQ(wrapped("a\nb c", 3), "a\nb c");
  EXPECT_EQ(wrapped("incompressible a", 4), "incompressible\na");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(HelpFormat, WatchExplainsItselfInGroupsAndShortLines) {
  CLI::App app("Braid", "braid");
  app.formatter(std::make_shared<HelpFormat>());
  CLI::App* watch = app.add_subcommand("watch", "");
  add_watch_flags(*watch);
  std::istringstream help(watch->help());
  std::string all;
  for (std::string line; std::getline(help, line); all += line + "\n")
    EXPECT_LE(line.size(), HelpFormat::kWidth) << line;
  for (const char* group : {"Sources:", "Questions:", "Model:", "Output:"})
    EXPECT_NE(all.find(group), std::string::npos) << group;
}

}  // namespace
}  // namespace braid::serve
