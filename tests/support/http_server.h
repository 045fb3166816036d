#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lambda {

/// What the test server holds and how it misbehaves.
struct ServedFile {
  std::string bytes;
  std::string etag;      ///< With its quotes; empty = none is sent.
  bool ranges = true;    ///< Answers Range with 206; false = always the whole file.
  bool length = true;    ///< Sends Content-Length.
  int status = 0;        ///< Answers everything with this status and a short page; 0 = serves.
  std::string redirect;  ///< With `status` 302: where to.
  std::int64_t rangeError = 0;  ///< Added to the start of every part sent.
  std::size_t cutAfter = std::numeric_limits<std::size_t>::max();  ///< Hangs up after so many bytes
                                                                   ///< of a body.
};

/// An HTTP/1.1 server with one file, on 127.0.0.1 and a free port, one request a connection.
class HttpServer {
 public:
  explicit HttpServer(ServedFile file);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/file"; }

  /// What is served from the next request on.
  void serve(ServedFile file);

  /// Of every request so far: the Range header, empty unless it was answered with a part.
  std::vector<std::string> ranges() const;

 private:
  void run();
  void answer(int connection);

  ServedFile file_;
  std::vector<std::string> ranges_;
  mutable std::mutex mutex_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace lambda
