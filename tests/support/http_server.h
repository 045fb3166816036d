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

/// The file that the test server serves, and the faults of the server.
struct ServedFile {
  std::string bytes;
  bool ranges = true;           ///< Answers Range with 206; false = always sends the whole file.
  bool length = true;           ///< Sends Content-Length.
  int status = 0;               ///< Answers all requests with this status; 0 = serves the file.
  std::string redirect;         ///< The target, if `status` is 302.
  std::int64_t rangeError = 0;  ///< Added to the start of every part sent.
  std::size_t cutAfter = std::numeric_limits<std::size_t>::max();  ///< Hangs up after so many bytes
                                                                   ///< of a body.
};

/// An HTTP/1.1 server with one file, on 127.0.0.1 and a free port; one request per connection.
class HttpServer {
 public:
  explicit HttpServer(ServedFile file);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/file"; }

  /// Serves `file` from the next request on.
  void serve(ServedFile file);

  /// The Range header of every request so far; empty unless the reply was a part of the file.
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
