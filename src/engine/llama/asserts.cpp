#include "asserts.h"

#include <cstdio>
#include <mutex>

#include "handles.h"

namespace braid::engine::llama {

namespace {

thread_local int guards = 0;

// ggml calls abort() where this returns.
void on_abort(const char* message) {
  if (guards > 0) throw AssertFailed(message);
  std::fprintf(stderr, "%s\n", message);
}

}  // namespace

AssertsThrow::AssertsThrow() {
  static std::once_flag once;
  std::call_once(once, [] { ggml_set_abort_callback(on_abort); });
  ++guards;
}

AssertsThrow::~AssertsThrow() { --guards; }

}  // namespace braid::engine::llama
