// Any bytes as a grammar in GBNF, and a text to step through it (after a NUL).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/base/utf8.h"
#include "grammar/gbnf.h"
#include "grammar/matcher.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::engine::grammar;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view grammar = all.substr(0, all.find('\0'));
  const std::string_view text = all.substr(std::min(all.size(), grammar.size() + 1));
  const auto program = read_gbnf(grammar);
  if (!program) {
    if (program.error().message.empty() ||
        braid::to_valid_utf8(program.error().message) != program.error().message)
      std::abort();
    return 0;
  }
  Matcher plain(*program);
  Matcher forgetful(*program);
  Matcher::State state = plain.start();
  Matcher::State other = forgetful.start();
  for (const char byte : text) {
    if (state == Matcher::kDead) break;
    plain.renew();
    forgetful.renew();
    state = plain.step(state, static_cast<std::uint8_t>(byte));
    other = forgetful.step(forgetful.forget(other), static_cast<std::uint8_t>(byte));
    if (plain.exhausted() || forgetful.exhausted()) break;
    if ((state == Matcher::kDead) != (other == Matcher::kDead)) std::abort();
    if (state != Matcher::kDead && plain.may_end(state) != forgetful.may_end(other)) std::abort();
  }
  return 0;
}
