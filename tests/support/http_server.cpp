#include "tests/support/http_server.h"

#include <algorithm>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace lambda {

namespace {

std::string readHead(int connection) {
  std::string head;
  char piece[1024];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = ::recv(connection, piece, sizeof piece, 0);
    if (count <= 0) break;
    head.append(piece, static_cast<std::size_t>(count));
  }
  return head;
}

std::string headerOf(const std::string& head, const std::string& name) {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t first = at + name.size() + 4;
  return head.substr(first, head.find("\r\n", first) - first);
}

void sendAll(int connection, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count =
        ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

// The head and the body of the reply to a request for the bytes from `start` on.
std::pair<std::string, std::string> replyTo(const ServedFile& file,
                                            std::size_t start,
                                            bool ranged) {
  const std::string total = std::to_string(file.bytes.size());
  if (file.status != 0) {
    const std::string location = file.redirect.empty() ? "" : "Location: " + file.redirect + "\r\n";
    return {"HTTP/1.1 " + std::to_string(file.status) + " As asked\r\n" + location, "a page"};
  }
  if (!ranged) return {"HTTP/1.1 200 OK\r\n", file.bytes};
  if (start >= file.bytes.size()) {
    return {"HTTP/1.1 416 Out of range\r\nContent-Range: bytes */" + total + "\r\n", ""};
  }
  const auto first = static_cast<std::size_t>(static_cast<std::int64_t>(start) + file.rangeError);
  return {"HTTP/1.1 206 Partial\r\nContent-Range: bytes " + std::to_string(first) + "-" +
              std::to_string(file.bytes.size() - 1) + "/" + total + "\r\n",
          file.bytes.substr(first)};
}

}  // namespace

HttpServer::HttpServer(ServedFile file) : file_(std::move(file)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, name, size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, name, &size) != 0) {
    throw std::runtime_error("the test server can't listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

void HttpServer::serve(ServedFile file) {
  const std::lock_guard lock(mutex_);
  file_ = std::move(file);
}

std::vector<std::string> HttpServer::ranges() const {
  const std::lock_guard lock(mutex_);
  return ranges_;
}

void HttpServer::run() {
  while (!stopping_) {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void HttpServer::answer(int connection) {
  const std::string request = readHead(connection);
  const std::string range = headerOf(request, "Range");
  ServedFile file;
  bool ranged = false;
  {
    const std::lock_guard lock(mutex_);
    file = file_;
    ranged = file.ranges && !range.empty();
    ranges_.push_back(ranged ? range : std::string());
  }
  const std::size_t start = ranged ? std::stoul(range.substr(std::string("bytes=").size())) : 0;
  auto [head, body] = replyTo(file, start, ranged);
  if (file.length) head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  sendAll(connection, head + "Connection: close\r\n\r\n" + body.substr(0, file.cutAfter));
}

}  // namespace lambda
