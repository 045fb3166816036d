#include "engine/data/http_get.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <exception>
#include <memory>
#include <mutex>

#include <curl/curl.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

struct FreeCurl {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }

  void operator()(curl_slist* list) const { curl_slist_free_all(list); }

  void operator()(CURLU* url) const { curl_url_cleanup(url); }

  void operator()(char* text) const { curl_free(text); }
};

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<std::uint64_t> numberOf(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses "bytes 100-199/1000" or "bytes */1000" (RFC 9110, section 14.4).
void readContentRange(std::string_view value, HttpHead& head) {
  constexpr std::string_view kUnit = "bytes ";
  const std::size_t slash = value.find('/');
  if (!value.starts_with(kUnit) || slash == std::string_view::npos) return;
  head.totalLength = numberOf(value.substr(slash + 1));
  const std::string_view range = value.substr(kUnit.size(), slash - kUnit.size());
  head.rangeStart = numberOf(range.substr(0, range.find('-')));
}

struct Transfer {
  const HttpBody& onBody;
  const std::function<bool()>& keepGoing;
  HttpHead head;
  bool interrupted = false;
  std::exception_ptr thrown;

  // curl is C: an exception must not pass through it.
  template <class Ask>
  bool continues(Ask&& ask) {
    try {
      if (ask()) return true;
      interrupted = true;
    } catch (...) {
      thrown = std::current_exception();
    }
    return false;
  }
};

void readHeader(std::string_view line, Transfer& transfer) {
  if (line.starts_with("HTTP/")) {
    // An interim response (100) precedes the final one, so only the last head counts.
    transfer.head = {};
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos) {
      transfer.head.status = static_cast<int>(numberOf(line.substr(space + 1, 3)).value_or(0));
    }
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lowered(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "content-length") transfer.head.contentLength = numberOf(value);
  if (name == "content-range") readContentRange(value, transfer.head);
}

std::size_t onHeaderLine(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, size * count);
  if (!trimmed(line).empty()) readHeader(line, transfer);
  return size * count;
}

std::size_t onPiece(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view piece(data, size * count);
  const bool on = transfer.continues([&] { return transfer.onBody(transfer.head, piece); });
  return on ? piece.size() : CURL_WRITEFUNC_ERROR;
}

int onProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (!transfer.keepGoing) return 0;
  return transfer.continues([&] { return transfer.keepGoing(); }) ? 0 : 1;
}

void configure(CURL* handle,
               const HttpGet& request,
               const curl_slist* headers,
               Transfer& transfer) {
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, request.allowHttp ? "http,https" : "https");
  if (request.allowHttp) curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "lambda-studio");
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, 30L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.stallSeconds));
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, onHeaderLine);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, onPiece);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, onProgress);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
}

std::string partOf(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, FreeCurl> owner(text);
  return lowered(text);
}

}  // namespace

HttpResult httpGet(const HttpGet& request,
                   const HttpBody& onBody,
                   const std::function<bool()>& keepGoing) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  const std::unique_ptr<CURL, FreeCurl> handle(curl_easy_init());
  if (!handle) throw Error(request.url, "cannot start a transfer", "Free some memory.");

  curl_slist* list = nullptr;
  if (request.offset > 0) {
    list =
        curl_slist_append(list, ("Range: bytes=" + std::to_string(request.offset) + "-").c_str());
  }
  const std::unique_ptr<curl_slist, FreeCurl> headers(list);
  Transfer transfer{onBody, keepGoing, {}, false, nullptr};
  configure(handle.get(), request, headers.get(), transfer);
  char message[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, message);
  const CURLcode code = curl_easy_perform(handle.get());
  if (transfer.thrown) std::rethrow_exception(transfer.thrown);

  HttpResult result;
  result.head = transfer.head;
  result.interrupted = transfer.interrupted;
  if (code != CURLE_OK) result.failure = *message ? message : curl_easy_strerror(code);
  char* redirect = nullptr;
  curl_easy_getinfo(handle.get(), CURLINFO_REDIRECT_URL, &redirect);
  if (redirect) result.redirect = redirect;
  return result;
}

UrlParts urlParts(const std::string& url) {
  const std::unique_ptr<CURLU, FreeCurl> parsed(curl_url());
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  return {partOf(parsed.get(), CURLUPART_SCHEME), partOf(parsed.get(), CURLUPART_HOST)};
}

}  // namespace lambda
