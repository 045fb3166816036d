#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lambda {

/// One GET request: the address, and what bounds it.
struct HttpGet {
  std::string url;
  std::uint64_t offset = 0;  ///< First byte wanted; above 0 a Range header is sent.
  std::string validator;     ///< ETag or date of the bytes already here, sent as If-Range.
  bool allowHttp = false;    ///< Also http, and past any proxy. Otherwise https alone.
  int stallSeconds = 60;     ///< Give up after so long without a byte.
};

/// The head of an answer, known before its first body byte.
struct HttpHead {
  int status = 0;
  std::string validator;  ///< A strong ETag, else Last-Modified; may be empty.
  std::optional<std::uint64_t> contentLength;
  std::optional<std::uint64_t> rangeStart;   ///< Content-Range of a 206.
  std::optional<std::uint64_t> totalLength;  ///< Content-Range of a 206 or 416.
};

/// How a request ended.
struct HttpResult {
  HttpHead head;
  std::string redirect;      ///< Absolute address of a 3xx answer; it was not followed.
  bool interrupted = false;  ///< `keepGoing` or `onBody` returned false.
  std::string failure;       ///< Why the answer is missing or incomplete; empty = it is whole.
};

/// Called with the head and each piece of the body; false ends the transfer.
using HttpBody = std::function<bool(const HttpHead& head, std::string_view piece)>;

/// Sends the request and waits for the end of its answer. Redirects are reported, not followed.
/// `keepGoing` is asked several times a second and may be empty. Callbacks run on this thread; an
/// exception from one ends the transfer and leaves by here.
HttpResult httpGet(const HttpGet& request,
                   const HttpBody& onBody,
                   const std::function<bool()>& keepGoing);

/// Scheme and host of an address, lower case; empty where it can't be parsed.
struct UrlParts {
  std::string scheme;
  std::string host;
};

UrlParts urlParts(const std::string& url);

}  // namespace lambda
