// Which IP addresses belong to the world, and which to this machine or its network: RFC 6890 and the IANA
// special-purpose registries.
#include <arpa/inet.h>

#include <array>
#include <boost/asio/ip/address.hpp>

#include "braid/net/client.h"

namespace braid::net {

namespace {

namespace ip = boost::asio::ip;

struct Block4 {
  std::uint32_t first;
  unsigned bits;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr std::array<Block4, 15> kNotPublic4{{
    {v4(0, 0, 0, 0), 8},        // this network
    {v4(10, 0, 0, 0), 8},       // private
    {v4(100, 64, 0, 0), 10},    // shared with a carrier
    {v4(127, 0, 0, 0), 8},      // loopback
    {v4(169, 254, 0, 0), 16},   // link-local, cloud metadata
    {v4(172, 16, 0, 0), 12},    // private
    {v4(192, 0, 0, 0), 24},     // protocol assignments
    {v4(192, 0, 2, 0), 24},     // documentation
    {v4(192, 88, 99, 0), 24},   // 6to4 relays
    {v4(192, 168, 0, 0), 16},   // private
    {v4(198, 18, 0, 0), 15},    // benchmarks
    {v4(198, 51, 100, 0), 24},  // documentation
    {v4(203, 0, 113, 0), 24},   // documentation
    {v4(224, 0, 0, 0), 4},      // multicast
    {v4(240, 0, 0, 0), 4},      // reserved, broadcast
}};

bool is_public(std::uint32_t address) {
  for (const Block4& block : kNotPublic4)
    if ((address ^ block.first) >> (32 - block.bits) == 0) return false;
  return true;
}

std::uint32_t embedded_v4(const ip::address_v6::bytes_type& bytes, std::size_t at) {
  return v4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool is_public(const ip::address_v6& address) {
  const auto bytes = address.to_bytes();
  if (address.is_v4_mapped()) return is_public(embedded_v4(bytes, 12));
  const unsigned head = static_cast<unsigned>(bytes[0]) << 8 | bytes[1];
  const unsigned next = static_cast<unsigned>(bytes[2]) << 8 | bytes[3];
  if (head == 0x0064 && next == 0xff9b) {  // NAT64: the well-known prefix is as public as what it leads to
    for (std::size_t i = 4; i < 12; ++i)
      if (bytes[i] != 0) return false;
    return is_public(embedded_v4(bytes, 12));
  }
  if (head == 0x2002) return is_public(embedded_v4(bytes, 2));  // 6to4
  if (head == 0x2001 && next < 0x0200) return false;            // protocol assignments, Teredo among them
  if (head == 0x2001 && next == 0x0db8) return false;           // documentation
  if (head == 0x3fff && next < 0x1000) return false;            // documentation
  return head >> 13 == 1;                                       // 2000::/3 is what is given out
}

}  // namespace

bool is_public_address(std::string_view address) {
  boost::system::error_code error;
  const ip::address parsed = ip::make_address(std::string(address), error);
  if (error) return false;
  return parsed.is_v4() ? is_public(parsed.to_v4().to_uint()) : is_public(parsed.to_v6());
}

bool is_private_host(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (equals_ignoring_case(host, "localhost") || host.ends_with(".localhost")) return true;
  const std::string text(host);
  in_addr numbers{};
  if (inet_aton(text.c_str(), &numbers) != 0) return !is_public(ntohl(numbers.s_addr));
  boost::system::error_code error;
  static_cast<void>(ip::make_address(text, error));
  return !error && !is_public_address(text);
}

bool is_loopback_address(std::string_view address) {
  boost::system::error_code error;
  const ip::address parsed = ip::make_address(std::string(address), error);
  if (error) return false;
  if (parsed.is_v6() && parsed.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, parsed.to_v6()).is_loopback();
  return parsed.is_loopback();
}

}  // namespace braid::net
