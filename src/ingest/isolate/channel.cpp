#include "isolate/channel.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "isolate/wire.h"

namespace braid::ingest::isolate {

namespace {
constexpr std::size_t kMaxDescriptors = 8;

void take_descriptors(msghdr& header, std::vector<Descriptor>& to) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      to.emplace_back(fd);
    }
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Ends> socket_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(ErrorCode::kResource,
                fmt::format("no descriptors are left for a process that decodes ({}); raise ulimit -n",
                            std::strerror(errno)),
                true);
  return Ends{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool send(int socket, std::string_view bytes, std::span<const int> descriptors, bool wait) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  if (!descriptors.empty() && descriptors.size() <= kMaxDescriptors) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  for (;;) {
    const ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
    if (sent < 0 && errno == EINTR) continue;
    return sent == static_cast<ssize_t>(bytes.size());
  }
}

Got receive(int socket, Received& message) {
  message.descriptors.clear();
  message.buffer.resize(kMaxMessage);
  iovec part{message.buffer.data(), message.buffer.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = 0;
  do got = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Got::kNothing;
  if (got > 0) take_descriptors(header, message.descriptors);
  message.bytes = {message.buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
  return got <= 0 || (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ? Got::kEnd : Got::kMessage;
}

}  // namespace braid::ingest::isolate
