#pragma once
// The console: the files of web/, compiled in.

#include <span>

#include "braid/net/router.h"

namespace braid::serve {

/// Live as long as the program does. Defined in what cmake/embed.cmake makes of web/.
std::span<const net::StaticFile> console_files();

}  // namespace braid::serve
