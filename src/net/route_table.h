#pragma once
// The routes of a server, as a table that is searched.

#include <map>
#include <string>
#include <vector>

#include "braid/net/router.h"
#include "braid/net/url.h"
#include "exchange_state.h"

namespace braid::net::detail {

struct Route {
  std::string method;
  std::vector<std::string> segments;  ///< "{name}": a parameter
  Handler handler;
  UpgradeHandler upgrade;  ///< set: a WebSocket's, method GET
  std::size_t max_body = 0;
  bool open = false;
  std::string key_subprotocol;
};

/// A static file, ready to send.
struct Page {
  std::string content_type;
  std::string_view bytes;
  std::string zipped;  ///< gzip; empty: it saves nothing
  std::string etag;    ///< without quotes
};

class RouteTable {
 public:
  struct Match {
    const Route* route = nullptr;
    Pairs params;
  };

  void add(Route route, std::string_view path);
  void add(const StaticFile& file);

  /// The most literal route for that method (HEAD: GET's, if it has none of its own). `upgrade`: the request
  /// wants to become a WebSocket, for which only such routes count.
  Match find(std::string_view method, const std::vector<std::string>& segments, bool upgrade) const;
  const Page* page(std::string_view path) const;
  /// "GET, HEAD, POST": what the path knows, empty: nothing.
  std::string allowed(const Target& target) const;
  /// The path is a WebSocket's.
  bool is_web_socket(const std::vector<std::string>& segments) const;

 private:
  std::vector<Route> routes_;
  std::map<std::string, Page, std::less<>> pages_;
};

/// The whole answer to GET or HEAD of a page: 200 or 304.
Answer page_answer(const Page& page, const Request& request);

}  // namespace braid::net::detail
