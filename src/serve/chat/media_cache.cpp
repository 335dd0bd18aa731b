#include "chat/media_cache.h"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace braid::serve {

namespace {

std::size_t bytes_of(const Prompt& prompt) {
  std::size_t bytes = sizeof(Prompt);
  for (const Piece& piece : prompt.pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
      bytes += tokens->size() * sizeof(Token);
      continue;
    }
    const Matrix& rows = *std::get<EmbeddingRun>(piece).rows;
    bytes += rows.values.size() * sizeof(float);
  }
  return bytes;
}

}  // namespace

MediaKey media_key(std::string_view bytes, std::string_view wanted) {
  MediaKey key{};
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool done = hash && EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) == 1 &&
                    EVP_DigestUpdate(hash.get(), wanted.data(), wanted.size()) == 1 &&
                    EVP_DigestUpdate(hash.get(), "\0", 1) == 1 &&
                    EVP_DigestUpdate(hash.get(), bytes.data(), bytes.size()) == 1 &&
                    EVP_DigestFinal_ex(hash.get(), key.data(), nullptr) == 1;
  if (!done) throw std::logic_error("OpenSSL has no SHA-256");
  return key;
}

std::optional<Prompt> MediaCache::find(const MediaKey& key) {
  std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->prompt;
}

void MediaCache::keep(const MediaKey& key, const Prompt& prompt) {
  const std::size_t bytes = bytes_of(prompt);
  std::lock_guard lock(mutex_);
  if (bytes > max_bytes_ || by_key_.count(key) > 0) return;
  entries_.push_front({key, prompt, bytes});
  by_key_[key] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > max_bytes_) {
    bytes_ -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace braid::serve
