#include "devices.h"

extern "C" {
#include <libavdevice/version.h>
}

#include <dlfcn.h>
#include <fmt/format.h>

namespace braid::ingest::ffmpeg {

Status load_devices() {
  static const Status loaded = []() -> Status {
    const std::string name = fmt::format("libavdevice.so.{}", LIBAVDEVICE_VERSION_MAJOR);
    // Never closed: its formats stay registered. Global, so that the sound cards' library is found by name.
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* entry = library ? dlsym(library, "avdevice_register_all") : nullptr;
    if (!entry)
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("cameras and sound cards need {}, which can't be loaded ({}): install the package "
                      "libavdevice{}",
                      name, library ? "it has no devices" : dlerror(), LIBAVDEVICE_VERSION_MAJOR));
    reinterpret_cast<void (*)()>(entry)();
    return {};
  }();
  return loaded;
}

}  // namespace braid::ingest::ffmpeg
