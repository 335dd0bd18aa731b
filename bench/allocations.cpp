#include "allocations.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace braid::bench {

namespace {

constexpr int kDepth = 14;
constexpr std::size_t kSites = 4096;

struct Site {
  std::array<void*, kDepth> frames;
  int depth;
  Owner owner;
  std::uint64_t count, bytes;
};

std::array<Site, kSites> sites;
std::atomic_flag sites_lock = ATOMIC_FLAG_INIT;
std::atomic<bool> counting = false;
thread_local Owner owner_now = Owner::kOurs;
thread_local bool inside = false;

std::size_t hash_of(const Site& site) {
  std::size_t hash = static_cast<std::size_t>(site.owner);
  for (int i = 0; i < site.depth; ++i)
    hash = hash * 1099511628211U + reinterpret_cast<std::uintptr_t>(site.frames[static_cast<std::size_t>(i)]);
  return hash;
}

void add(const Site& seen) {
  while (sites_lock.test_and_set(std::memory_order_acquire)) {
  }
  for (std::size_t i = 0, at = hash_of(seen) % kSites; i < kSites; ++i, at = (at + 1) % kSites) {
    Site& site = sites[at];
    if (site.count == 0) {
      site = seen;
      break;
    }
    if (site.owner != seen.owner || site.frames != seen.frames) continue;
    site.count += seen.count;
    site.bytes += seen.bytes;
    break;
  }
  sites_lock.clear(std::memory_order_release);
}

void note(std::size_t bytes) {
  if (!counting.load(std::memory_order_relaxed) || inside) return;
  inside = true;
  Site seen{};
  seen.depth = backtrace(seen.frames.data(), kDepth);
  seen.owner = owner_now;
  seen.count = 1;
  seen.bytes = bytes;
  add(seen);
  inside = false;
}

std::string name_of(void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || !info.dli_fname) return fmt::format("{}", address);
  if (info.dli_sname) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), std::free);
    return name ? name.get() : info.dli_sname;
  }
  const auto offset = static_cast<char*>(address) - static_cast<char*>(info.dli_fbase);
  return fmt::format("{}+{:#x}", info.dli_fname, offset);
}

}  // namespace

const char* to_string(Owner owner) {
  switch (owner) {
    case Owner::kOurs:
      return "ours";
    case Owner::kTokenizer:
      return "tokenizer";
    case Owner::kEngine:
      return "engine";
    case Owner::kBench:
      return "bench";
  }
  return "ours";
}

OwnerScope::OwnerScope(Owner owner) : before_(owner_now) { owner_now = owner; }
OwnerScope::~OwnerScope() { owner_now = before_; }

void start_counting() {
  std::array<void*, kDepth> frames;
  backtrace(frames.data(), kDepth);  // loads what it needs now, not inside malloc
  sites.fill({});
  counting = true;
}

std::vector<AllocationSite> stop_counting() {
  counting = false;
  std::vector<AllocationSite> out;
  for (const Site& site : sites) {
    if (site.count == 0) continue;
    AllocationSite& named = out.emplace_back(AllocationSite{site.owner, site.count, site.bytes, {}});
    for (int i = 2; i < site.depth; ++i)  // without note() and malloc() themselves
      named.stack.push_back(name_of(site.frames[static_cast<std::size_t>(i)]));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return out;
}

}  // namespace braid::bench

using braid::bench::note;

extern "C" {

void* malloc(std::size_t size) noexcept {
  note(size);
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  note(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) noexcept {
  note(size);
  return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  note(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }

int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  *out = memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
}
