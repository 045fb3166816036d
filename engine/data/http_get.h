#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lambda {

/// A GET request with its limits.
struct HttpGet {
  std::string url;
  std::uint64_t offset = 0;  ///< First byte requested; above 0 a Range header is sent.
  bool allowHttp = false;    ///< Also allow http, which bypasses any proxy; otherwise only https.
  int stallSeconds = 60;     ///< Give up after this long without a byte.
};

/// The head of a response, known before the first byte of its body.
struct HttpHead {
  int status = 0;
  std::optional<std::uint64_t> contentLength;
  std::optional<std::uint64_t> rangeStart;   ///< From Content-Range of a 206.
  std::optional<std::uint64_t> totalLength;  ///< From Content-Range of a 206 or 416.
};

/// The result of a request.
struct HttpResult {
  HttpHead head;
  std::string redirect;      ///< Absolute address of a 3xx response, which was not followed.
  bool interrupted = false;  ///< `keepGoing` or `onBody` returned false.
  std::string failure;       ///< Why the response is missing or incomplete; empty = complete.
};

/// Called with the head and each piece of the body; returning false ends the transfer.
using HttpBody = std::function<bool(const HttpHead& head, std::string_view piece)>;

/// Sends the request and waits for the end of its response. Redirects are reported, not followed.
/// `keepGoing` is called several times per second and may be empty. Callbacks run on the calling
/// thread; an exception from one ends the transfer and is rethrown.
HttpResult httpGet(const HttpGet& request,
                   const HttpBody& onBody,
                   const std::function<bool()>& keepGoing);

/// Scheme and host of an address in lower case; empty if it can't be parsed.
struct UrlParts {
  std::string scheme;
  std::string host;
};

UrlParts urlParts(const std::string& url);

}  // namespace lambda
