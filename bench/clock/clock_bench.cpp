// How far off capture times are over simulated networks, beside what others do; and the clients' drift
// protocol.

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "braid/sync/drift_clock.h"
#include "braid/sync/source_clock.h"
#include "clock/path_for_tests.h"
#include "estimators.h"

namespace {

using namespace braid;
using sync::test::Dice;
using sync::test::PathKind;
using sync::test::SenderClock;
using sync::test::Sent;
using sync::test::session;

constexpr std::int64_t kMs = 1'000'000, kSecond = 1000 * kMs;
constexpr std::int64_t kRun = 120 * kSecond, kInterval = 20 * kMs;

/// The share `q` of the values is at most this.
double quantile(std::vector<double>& values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(std::ceil(q * static_cast<double>(values.size()))) - 1;
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}
double median(std::vector<double> values) { return quantile(values, 0.5); }

struct Run {
  PathKind path;
  SenderClock clock;
  std::vector<Sent> sent;
  std::int64_t stepped_at = kRun;  // the sender's clock is set then; kRun: it isn't
};

Run make_run(const PathKind& path, std::uint64_t seed, bool steps) {
  Dice dice(seed);
  Run run{path, {1'700'000'000 * kSecond, dice.between(-100, 100)}, {}, kRun};
  if (steps) run.stepped_at = kRun / 2;
  run.sent = send(path, run.clock, 0, run.stepped_at, kInterval, dice);
  if (!steps) return run;
  run.clock.start += static_cast<std::int64_t>(dice.between(-1, 1) * 500e6);
  const auto after = send(path, run.clock, run.stepped_at, kRun, kInterval, dice);
  run.sent.insert(run.sent.end(), after.begin(), after.end());
  return run;
}

/// p99 of a run in ms. One-way stamps can't tell how long the quickest packet takes: it is taken off.
template <class Estimator>
double p99(const Run& run, Estimator&& estimate) {
  std::vector<double> errors;
  errors.reserve(run.sent.size());
  const double unseen = 1e6 * run.path.least_ms;
  for (const Sent& sent : run.sent)
    errors.push_back(std::abs(estimate(sent) - static_cast<double>(sent.truth) - unseen) / 1e6);
  return quantile(errors, 0.99);
}

double ns(SessionTime at) { return static_cast<double>(at.time_since_epoch().count()); }

struct Ours {
  double one_way = 0;     // p99, ms, without the unseen path
  double with_pings = 0;  // p99, ms, of all
  double skew = 0;        // ppm off, after 60 s
  double outside = 0;     // share of packets whose error is beyond their bound, with pings
};

/// Pings come when a client's drift protocol sends them.
Ours ours(const Run& run, std::uint64_t seed) {
  Dice dice(seed + 1'000'000);
  Ours result;
  sync::SourceClock one_way({}), pinged({});
  sync::DriftClock client;
  bool skew_known = false;
  result.one_way = p99(run, [&](const Sent& sent) {
    const double at = ns(one_way.observe(sent.stamp, session(sent.arrival)).at);
    if (!skew_known && sent.truth >= 60 * kSecond) {
      skew_known = true;
      result.skew = std::abs(one_way.report().skew_ppm - run.clock.ppm);
    }
    return at;
  });
  std::int64_t next_ping = 0, outside = 0;
  const auto before = SenderClock{1'700'000'000 * kSecond, run.clock.ppm};
  std::vector<double> errors;
  for (const Sent& sent : run.sent) {
    if (sent.arrival >= next_ping) {
      const std::int64_t t = sent.arrival, there = t + dice.there_ns(run.path),
                         back = there + kMs / 10 + dice.back_ns(run.path);
      const SenderClock& clock = t < run.stepped_at ? before : run.clock;
      if (back < run.stepped_at || t >= run.stepped_at)
        pinged.exchange({clock.at(t), session(there), session(there + kMs / 10), clock.at(back)});
      client.exchange(clock.at(t) / 1000, there / 1000, there / 1000 + 100, clock.at(back) / 1000);
      next_ping = back + client.ping_after_ms() * kMs;
    }
    const auto got = pinged.observe(sent.stamp, session(sent.arrival));
    const double error = std::abs(ns(got.at) - static_cast<double>(sent.truth));
    errors.push_back(error / 1e6);
    outside += error > static_cast<double>(got.error_bound.count()) + 1000;
  }
  result.with_pings = quantile(errors, 0.99);
  result.outside = static_cast<double>(outside) / static_cast<double>(run.sent.size());
  return result;
}

struct Row {
  std::vector<double> first, mean, squares, minimum, one_way, with_pings, skew, outside;
};

template <class Estimator>
double p99_of(const Run& run) {
  return p99(run, [estimator = Estimator{}](const Sent& sent) mutable {
    return estimator.map(sent.stamp, sent.arrival);
  });
}

Row measure(const PathKind& path, std::uint64_t seeds, bool steps) {
  Row row;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Run run = make_run(path, seed, steps);
    row.first.push_back(p99_of<bench::FirstPacket>(run));
    row.mean.push_back(p99_of<bench::RunningMean>(run));
    row.squares.push_back(p99_of<bench::LeastSquares>(run));
    row.minimum.push_back(p99_of<bench::WindowedMinimum>(run));
    const Ours got = ours(run, seed);
    row.one_way.push_back(got.one_way);
    row.with_pings.push_back(got.with_pings);
    row.skew.push_back(got.skew);
    row.outside.push_back(got.outside);
  }
  return row;
}

/// The client's half: what its offset is off at each tenth of a second, from the first exchange on.
struct Drift {
  double within = 0;  // share of errors up to 8.3 ms, while open
  double within_all = 0;
  double p99 = 0;   // ms, while open
  double open = 0;  // share of the time
};

Drift drift(const PathKind& path, std::uint64_t seeds) {
  std::vector<double> open, all;
  std::size_t ticks = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Dice dice(seed);
    sync::DriftClock clock;
    const SenderClock client{1'700'000'000 * kSecond, dice.between(-100, 100)};
    std::int64_t now = 0;
    while (now < kRun) {
      const std::int64_t there = now + dice.there_ns(path), back = there + 1000 + dice.back_ns(path);
      clock.exchange(client.at(now) / 1000, there / 1000, there / 1000 + 1, client.at(back) / 1000);
      const std::int64_t next = std::max(back, now) + clock.ping_after_ms() * kMs;
      for (std::int64_t t = back; t < next; t += 100 * kMs, ++ticks) {
        const double truth = static_cast<double>(t - client.at(t)) / 1e3;
        const double error =
            std::abs(clock.offset(static_cast<double>(client.at(t)) / 1e3)->us - truth) / 1e3;
        all.push_back(error);
        if (clock.is_open()) open.push_back(error);
      }
      now = next;
    }
  }
  const auto within = [](const std::vector<double>& errors) {
    const auto in = std::count_if(errors.begin(), errors.end(), [](double e) { return e <= 8.3; });
    return errors.empty() ? 0 : static_cast<double>(in) / static_cast<double>(errors.size());
  };
  return {within(open), within(all), open.empty() ? 0 : quantile(open, 0.99),
          static_cast<double>(open.size()) / static_cast<double>(ticks)};
}

void print_mapping(std::uint64_t seeds, bool steps) {
  fmt::print(
      "\n| p99 of the mapping error, ms{} | first packet | EWMA 1/125 | least squares | windowed minimum | "
      "Braid | Braid with pings, path included | its worst run | skew off by, ppm | beyond the bound |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      steps ? "; the clock is set by up to 500 ms after a minute" : "");
  for (const PathKind& path : sync::test::kPaths) {
    const Row row = measure(path, seeds, steps);
    std::vector<double> skew = row.skew, pings = row.with_pings;
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.3f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} % |\n",
               path.name, median(row.first), median(row.mean), median(row.squares), median(row.minimum),
               median(row.one_way), median(row.with_pings), quantile(pings, 1), quantile(skew, 0.95),
               100 * median(row.outside));
  }
}

void print_drift(std::uint64_t seeds) {
  fmt::print(
      "\n| drift protocol | within ±8.3 ms while open | at any time | p99 while open, ms | open |\n"
      "| --- | --- | --- | --- | --- |\n");
  for (const PathKind& path : sync::test::kPaths) {
    const Drift got = drift(path, seeds);
    fmt::print("| {} | {:.2f} % | {:.2f} % | {:.2f} | {:.1f} % |\n", path.name, 100 * got.within,
               100 * got.within_all, got.p99, 100 * got.open);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seeds = 200;
  if (argc > 2 ||
      (argc == 2 &&
       std::from_chars(argv[1], argv[1] + std::string_view(argv[1]).size(), seeds).ec != std::errc{}) ||
      seeds == 0) {
    fmt::print(stderr, "usage: braid_clock_bench [SEEDS]\n");
    return 2;
  }
  fmt::print("{} runs a path, {} s each, {} packets a second, skew up to ±100 ppm; medians over the runs\n",
             seeds, kRun / kSecond, kSecond / kInterval);
  print_mapping(seeds, false);
  print_mapping(seeds, true);
  print_drift(seeds);
  return 0;
}
