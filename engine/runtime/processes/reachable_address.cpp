#include "engine/runtime/processes/reachable_address.h"

#include <array>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

class Socket {
 public:
  Socket(int family, int type) : file_(socket(family, type | SOCK_CLOEXEC, 0)) {}

  ~Socket() {
    if (file_ >= 0) close(file_);
  }

  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int file() const { return file_; }

  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

/// The address as text; empty if it has none.
std::string textOf(const sockaddr* address, socklen_t bytes) {
  std::array<char, NI_MAXHOST> text{};
  const int failure =
      getnameinfo(address, bytes, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failure == 0 ? text.data() : "";
}

}  // namespace

std::string addressTowards(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (failure != 0) {
    throw Error(host, std::string("the name of this host is not known: ") + gai_strerror(failure));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const Socket socket(each->ai_family, SOCK_DGRAM);
    // This sends nothing: it only chooses the way.
    if (connect(socket.file(), each->ai_addr, each->ai_addrlen) != 0) continue;
    sockaddr_storage own{};
    socklen_t bytes = sizeof own;
    if (getsockname(socket.file(), reinterpret_cast<sockaddr*>(&own), &bytes) != 0) continue;
    std::string text = textOf(reinterpret_cast<const sockaddr*>(&own), bytes);
    if (!text.empty()) return text;
  }
  throw Error(host, "no network leads to this host");
}

std::string interfaceOf(const std::string& address) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> interfaces(all, freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t bytes = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (textOf(each->ifa_addr, bytes) == address) return each->ifa_name;
  }
  return {};
}

ListeningSocket listenOnThisHost() {
  Socket socket(AF_INET, SOCK_STREAM);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.file(), any, bytes) != 0 || getsockname(socket.file(), any, &bytes) != 0 ||
      listen(socket.file(), SOMAXCONN) != 0) {
    throw Error("127.0.0.1", "no port is free on this host");
  }
  return {socket.release(), ntohs(address.sin_port)};
}

}  // namespace lambda
