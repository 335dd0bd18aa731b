#include "braid/net/key_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "braid/base/log.h"
#include "key_file.h"

namespace braid::net {

namespace {

// What tells one state of a file from another without reading it.
struct Stamp {
  std::int64_t changed_ns = -1;
  std::int64_t size = -1;
  std::uint64_t inode = 0;

  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec, info.st_size, info.st_ino};
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Never blocks: a FIFO of that name would hold up whoever asks, and with it everybody.
Result<std::string> read_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  const std::unique_ptr<std::FILE, CloseFile> file(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"));
  if (!file)
    return fail(ErrorCode::kNotFound,
                fmt::format("the keys file '{}' can't be read; name one that can", path));
  struct stat info {};
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
    return fail(ErrorCode::kBadInput, fmt::format("the keys file '{}' is no regular file", path));
  std::string bytes(kMaxKeyFile + 1, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (std::ferror(file.get()) != 0)
    return fail(ErrorCode::kResource, fmt::format("the keys file '{}' can't be read to its end", path));
  return bytes;
}

Result<std::vector<KeyEntry>> load(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  auto keys = parse_keys(*bytes);
  if (!keys) keys.error().message = fmt::format("keys file '{}': {}", path, keys.error().message);
  // What somebody is just writing, or a disk that is full, must not lock everybody out.
  if (keys && keys->empty())
    return fail(ErrorCode::kBadInput, fmt::format("keys file '{}' holds no key: add a line for one", path));
  return keys;
}

}  // namespace

struct KeyStore::Impl {
  std::string path;
  Clock& clock;
  mutable std::mutex mutex;  // guards the rest
  std::vector<KeyEntry> keys;
  Stamp stamp;      // of what was read
  Stamp last_seen;  // at the last look
  SteadyTime looked;
  std::uint64_t generation = 0;

  void look_again() {
    const SteadyTime now = clock.now();
    if (now - looked < std::chrono::seconds(1)) return;
    looked = now;
    const Stamp current = stamp_of(path);
    if (current == stamp) return;
    // A file that is being written is read when it is done.
    if (current != std::exchange(last_seen, current)) return;
    stamp = current;
    auto loaded = load(path);
    if (!loaded) return log(LogLevel::kError, "{}; the keys read before stay valid", loaded.error().message);
    keys = std::move(*loaded);
    ++generation;
    log(LogLevel::kInfo, "read {} keys from '{}'", keys.size(), path);
  }
};

KeyStore::KeyStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KeyStore::~KeyStore() = default;

Result<std::shared_ptr<KeyStore>> KeyStore::open(std::string path, Clock& clock) {
  const Stamp stamp = stamp_of(path);
  auto keys = load(path);
  if (!keys) return tl::unexpected(keys.error());
  std::unique_ptr<Impl> impl(
      new Impl{std::move(path), clock, {}, std::move(*keys), stamp, stamp, clock.now()});
  return std::shared_ptr<KeyStore>(new KeyStore(std::move(impl)));
}

std::optional<Caller> KeyStore::find(std::string_view key) {
  if (key.empty()) return std::nullopt;
  const KeyHash hash = sha256(key);
  const std::scoped_lock lock(impl_->mutex);
  impl_->look_again();
  const KeyEntry* found = nullptr;
  for (const KeyEntry& entry : impl_->keys)
    if (CRYPTO_memcmp(entry.hash.data(), hash.data(), hash.size()) == 0)
      found = &entry;  // on to the end: equal time
  if (found == nullptr) return std::nullopt;
  return Caller{found->name, hex_of(found->hash)};
}

bool KeyStore::has_name(std::string_view name) {
  const std::scoped_lock lock(impl_->mutex);
  impl_->look_again();
  return std::any_of(impl_->keys.begin(), impl_->keys.end(),
                     [&](const KeyEntry& entry) { return entry.name == name; });
}

bool KeyStore::has_line(std::string_view line) {
  const std::scoped_lock lock(impl_->mutex);
  impl_->look_again();
  return std::any_of(impl_->keys.begin(), impl_->keys.end(),
                     [&](const KeyEntry& entry) { return hex_of(entry.hash) == line; });
}

std::uint64_t KeyStore::generation() {
  const std::scoped_lock lock(impl_->mutex);
  impl_->look_again();
  return impl_->generation;
}

std::size_t KeyStore::size() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->keys.size();
}

Authorise KeyStore::rule(std::shared_ptr<KeyStore> store) {
  return [store = std::move(store)](const Request& request) { return store->find(request.token); };
}

Result<std::string> make_key() {
  std::array<unsigned char, 32> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return fail(ErrorCode::kResource, "the system gives no random bytes; a key can't be made");
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string key = "braid-";
  unsigned bits = 0;
  int held = 0;
  for (const unsigned char byte : random) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 6; held -= 6) key += kDigits[bits >> (held - 6) & 63];
  }
  return key += kDigits[bits << (6 - held) & 63];
}

std::string key_line(std::string_view key, std::string_view name) {
  std::string line = hex_of(sha256(key));
  if (!name.empty()) line += ' ' + std::string(name);
  return line;
}

}  // namespace braid::net
