#include "braid/serve/braid.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "braid/deliver/json_writer.h"
#include "braid/serve/watch.h"

struct braid_watch {
  braid::RealClock clock;
  std::unique_ptr<braid::deliver::EventSink> sink;
  std::unique_ptr<braid::serve::Watch> watch;
};

namespace {

void explain(const std::string& message, char* error, std::size_t size) {
  if (!error || size == 0) return;
  const std::size_t length = std::min(message.size(), size - 1);
  std::memcpy(error, message.data(), length);
  error[length] = '\0';
}

braid::serve::WatchConfig config_of(const char* const* sources, std::size_t count,
                                    const braid_options* options) {
  braid::serve::WatchConfig config;
  config.sources.assign(sources, sources + count);
  if (!options) return config;
  config.model.model = options->model ? options->model : "";
  config.model.mmproj = options->mmproj ? options->mmproj : "";
  config.model.threads = options->threads;
  config.session.realtime = options->realtime != 0;
  return config;
}

}  // namespace

braid_watch* braid_open(const char* const* sources, std::size_t count, const braid_options* options,
                        braid_event_fn on_event, void* user, char* error, std::size_t error_size) try {
  auto made = std::make_unique<braid_watch>();
  made->sink = braid::deliver::make_json_writer(
      [on_event, user](const std::string& line) {
        if (on_event) on_event(line.c_str(), user);
      },
      made->clock, {.deltas = true});
  auto watch = braid::serve::Watch::open(config_of(sources, count, options), made->clock, *made->sink);
  if (!watch) {
    explain(watch.error().message, error, error_size);
    return nullptr;
  }
  made->watch = std::move(*watch);
  return made.release();
} catch (const std::exception& thrown) {
  explain(thrown.what(), error, error_size);
  return nullptr;
}

long long braid_ask(braid_watch* watch, const char* text, double at_seconds) try {
  if (!watch || !text || std::isnan(at_seconds) || at_seconds > 1e9) return -1;
  braid::Question question;
  question.text = text;
  if (at_seconds >= 0) question.at = braid::kSessionStart + braid::from_seconds(at_seconds);
  const auto id = watch->watch->session().ask(std::move(question));
  return id ? id->value : -1;
} catch (const std::exception&) {
  return -1;
}

int braid_run(braid_watch* watch) try {
  if (!watch) return -1;
  watch->watch->session().start();
  watch->watch->session().wait();
  return 0;
} catch (const std::exception&) {
  return -1;
}

void braid_stop(braid_watch* watch) {
  if (watch) watch->watch->session().stop(false);
}

void braid_free(braid_watch* watch) { delete watch; }
