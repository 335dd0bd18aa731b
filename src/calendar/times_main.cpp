// braid_times [ZONE [NOW]]: each line of standard input as a time, for tests that compare with other readers.
// Prints "FROM TO PRECISION MARKS" in ns, `..` and `?` for ends without a time; of a line "duration TEXT" its
// months, days and ns; "error CODE" for what is no time.

#include <cstdio>
#include <iostream>
#include <string>

#include "braid/calendar/duration.h"
#include "braid/calendar/time_range.h"

namespace {

using namespace braid;
using calendar::Edge;

std::string edge(Edge edge, UtcTime time) {
  if (edge == Edge::kGiven) return std::to_string(time.time_since_epoch().count());
  return edge == Edge::kOpen ? ".." : "?";
}

std::string described(std::string_view text, const calendar::Asker& asker) {
  constexpr std::string_view kDuration = "duration ";
  if (text.starts_with(kDuration)) {
    const auto duration = calendar::parse_duration(text.substr(kDuration.size()));
    if (!duration) return std::string("error ") + to_string(duration.error().code);
    return std::to_string(duration->months) + " " + std::to_string(duration->days) + " " +
           std::to_string(duration->time.count());
  }
  const auto range = calendar::parse_time_range(text, asker);
  if (!range) return std::string("error ") + to_string(range.error().code);
  std::string marks = "-";
  if (range->uncertain) marks += '?';
  if (range->approximate) marks += '~';
  if (range->unspecified) marks += 'X';
  return edge(range->from_edge, range->from) + " " + edge(range->to_edge, range->to) + " " +
         to_string(range->precision) + " " + marks;
}

}  // namespace

int main(int argc, char** argv) {
  calendar::Asker asker;
  if (argc > 1) {
    const auto zone = calendar::Zone::parse(argv[1]);
    if (!zone) return std::fprintf(stderr, "%s\n", zone.error().message.c_str()), 2;
    asker.zone = *zone;
  }
  if (argc > 2) {
    const auto now = calendar::parse_time_range(argv[2], asker);
    if (!now) return std::fprintf(stderr, "%s\n", now.error().message.c_str()), 2;
    asker.now = now->from;
  }
  for (std::string line; std::getline(std::cin, line);) std::cout << described(line, asker) << "\n";
}
