// Static files: compressed once, revalidated on each use.
#include <fmt/format.h>
#include <zlib.h>

#include "key_file.h"
#include "message.h"
#include "route_table.h"

namespace braid::net::detail {

namespace {

constexpr std::size_t kMinToZip = 256;

bool is_worth_zipping(std::string_view type) {
  return type.starts_with("text/") || type.find("javascript") != std::string_view::npos ||
         type.find("json") != std::string_view::npos || type.find("svg") != std::string_view::npos ||
         type.find("wasm") != std::string_view::npos;
}

// RFC 1952; empty if it fails or saves less than a tenth.
std::string gzip(std::string_view bytes) {
  z_stream zip{};
  constexpr int kGzipWindow = 15 + 16;
  if (deflateInit2(&zip, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string zipped(deflateBound(&zip, bytes.size()), '\0');
  zip.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib's C interface; it only reads
  zip.avail_in = static_cast<uInt>(bytes.size());
  zip.next_out = reinterpret_cast<Bytef*>(zipped.data());
  zip.avail_out = static_cast<uInt>(zipped.size());
  const int result = deflate(&zip, Z_FINISH);
  zipped.resize(zip.total_out);
  deflateEnd(&zip);
  if (result != Z_STREAM_END || zipped.size() > bytes.size() / 10 * 9) return {};
  return zipped;
}

std::string etag_of(std::string_view bytes) {
  const KeyHash hash = sha256(bytes);
  std::string tag;
  for (std::size_t i = 0; i < 12; ++i) tag += fmt::format("{:02x}", hash[i]);
  return tag;
}

// RFC 9110, 13.1.2: compared weakly, as what both codings have in common.
bool is_fresh(std::string_view if_none_match, const std::string& etag) {
  for (std::string_view tag : list_items(if_none_match)) {
    if (tag == "*") return true;
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == '"' + etag + '"' || tag == '"' + etag + "-gz\"") return true;
  }
  return false;
}

}  // namespace

void RouteTable::add(const StaticFile& file) {
  Page page{std::string(file.content_type), file.bytes, {}, std::string(file.etag)};
  if (page.etag.empty()) page.etag = etag_of(file.bytes);
  if (file.bytes.size() >= kMinToZip && is_worth_zipping(file.content_type)) page.zipped = gzip(file.bytes);
  pages_.insert_or_assign(std::string(file.path), std::move(page));
}

Answer page_answer(const Page& page, const Request& request) {
  const bool zip = !page.zipped.empty() && accepts_coding(request.headers.joined("Accept-Encoding"), "gzip");
  Answer answer;
  answer.headers.add("ETag", '"' + page.etag + (zip ? "-gz\"" : "\""));
  answer.headers.add("Cache-Control", "no-cache");
  if (!page.zipped.empty()) answer.headers.add("Vary", "Accept-Encoding");
  if (is_fresh(request.headers.joined("If-None-Match"), page.etag)) {
    answer.status = 304;
    return answer;
  }
  answer.content_type = page.content_type;
  if (zip) answer.headers.add("Content-Encoding", "gzip");
  answer.body = zip ? page.zipped : std::string(page.bytes);
  return answer;
}

}  // namespace braid::net::detail
