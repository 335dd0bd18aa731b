#include "memory/memory_trouble.h"

#include <fmt/format.h>

namespace braid::serve {

std::optional<Error> MemoryTrouble::begun() {
  const std::optional<Error> failing = memory_.failing();
  if (std::exchange(in_trouble_, failing.has_value()) || !failing) return std::nullopt;
  return Error{failing->code,
               fmt::format("the memory {} can't be written, what is to be remembered waits: {}", folder_,
                           failing->message),
               true};
}

Status finish_memory(retrieve::Memory& memory, const std::string& folder, std::uint64_t lost) {
  if (Status flushed = memory.flush(); !flushed)
    return fail(
        flushed.error().code,
        fmt::format("{} records are lost: the memory {} can't be written: {}; make room there, or name "
                    "another folder",
                    memory.waiting() + lost, folder, flushed.error().message));
  if (lost == 0) return {};
  return fail(ErrorCode::kFull,
              fmt::format("{} records came faster than the memory could write them and were left out", lost));
}

}  // namespace braid::serve
