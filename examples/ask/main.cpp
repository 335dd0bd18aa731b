// ask FILE QUESTION: what a video shows, in as few lines as it takes.
#include <braid/serve/watch.h>

#include <cstdio>

struct Print final : braid::deliver::EventSink {
  void on_event(const braid::deliver::Event& event) override {
    if (const auto* delta = std::get_if<braid::AnswerDelta>(&event)) std::fputs(delta->text.c_str(), stdout);
  }
};

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: ask FILE QUESTION\n"), 2;
  braid::RealClock clock;
  Print print;
  auto watch = braid::serve::Watch::open({.sources = {argv[1]}}, clock, print);
  if (!watch) return std::fprintf(stderr, "%s\n", watch.error().message.c_str()), 3;
  braid::Question question;
  question.text = argv[2];
  if (!(*watch)->session().ask(question)) return 1;
  (*watch)->session().start();
  (*watch)->session().wait();
  return std::puts("") == EOF;
}
