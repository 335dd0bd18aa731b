/* Braid's C interface: small, and stable where the C++ headers are not. Events arrive as JSON objects, one a
 * call (docs/json.md), so that new fields break nobody. */
#ifndef BRAID_SERVE_BRAID_H
#define BRAID_SERVE_BRAID_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct braid_watch braid_watch;

/* Called on Braid's delivery thread; `json` is UTF-8, ends with 0 and lives for the call. Must not call
 * braid_free. */
typedef void (*braid_event_fn)(const char* json, void* user);

typedef struct braid_options {
  const char* model;  /* GGUF files; NULL: the default model */
  const char* mmproj; /* NULL: none, or the default model's */
  int realtime;       /* 0: as fast as it can be perceived */
  int threads;        /* 0: all that this process may use */
} braid_options;

/* Loads the model and opens `count` sources (as `braid watch` names them). NULL on failure, and then why in
 * `error`, cut to `error_size` bytes. `options` may be NULL. Blocks for seconds. */
braid_watch* braid_open(const char* const* sources, size_t count, const braid_options* options,
                        braid_event_fn on_event, void* user, char* error, size_t error_size);

/* Asks at session time `at_seconds`; negative: when the sources have ended. The question's id, or -1. Any
 * thread. */
long long braid_ask(braid_watch* watch, const char* text, double at_seconds);

/* Reads the sources and answers until they end. Once. 0: done. */
int braid_run(braid_watch* watch);

/* Ends braid_run() soon; open answers are cancelled. Any thread. */
void braid_stop(braid_watch* watch);

/* After braid_run() has returned, or without it. NULL is ignored. */
void braid_free(braid_watch* watch);

#ifdef __cplusplus
}
#endif

#endif
