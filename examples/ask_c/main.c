/* ask_c FILE QUESTION: prints what Braid says about a video, one JSON object a line. */
#include <braid/serve/braid.h>
#include <stdio.h>

static void print(const char* json, void* user) {
  (void)user;
  puts(json);
}

int main(int argc, char** argv) {
  char error[256];
  if (argc != 3) return fprintf(stderr, "usage: ask_c FILE QUESTION\n"), 2;
  const char* sources[] = {argv[1]};
  braid_watch* watch = braid_open(sources, 1, NULL, print, NULL, error, sizeof error);
  if (!watch) return fprintf(stderr, "%s\n", error), 3;
  const int done = braid_ask(watch, argv[2], -1) >= 0 && braid_run(watch) == 0;
  braid_free(watch);
  return done ? 0 : 1;
}
