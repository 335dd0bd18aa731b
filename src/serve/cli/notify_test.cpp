#include "cli/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace braid::serve {
namespace {

std::string heard_at(const std::string& name) {
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  notify_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
  std::array<char, 64> bytes{};
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  ::close(socket);
  return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

TEST(Notify, TheManagerHearsThatTheServerIsReady) {
  const std::string path = testing::TempDir() + "braid_notify_" + std::to_string(::getpid());
  EXPECT_EQ(heard_at(path), "READY=1");
  ::unlink(path.c_str());
  EXPECT_EQ(heard_at("@braid_notify_" + std::to_string(::getpid())), "READY=1");
}

TEST(Notify, WithoutAManagerNothingHappens) {
  ::unsetenv("NOTIFY_SOCKET");
  notify_manager("READY=1");
  ::setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
  notify_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace braid::serve
