#include "engine/data/download.h"

#include <system_error>

#include "engine/data/http_get.h"
#include "engine/data/part_file.h"
#include "engine/formats/cifar/cifar_layout.h"
#include "engine/formats/files/sha256.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr int kMaxRedirects = 5;
constexpr std::uint64_t kMaxPage = 1 << 20;  // Bytes read of an answer that is not the file.
constexpr const char* kResumeHint = "Run the same command again: it continues where it stopped.";

enum class Fetched {
  whole,
  cancelled,
  stale,  // The server can't continue the bytes already received.
};

std::string bytesText(std::uint64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

// Throws unless `url` may be requested. Returns whether it is plain http.
bool checkAddress(const DownloadRequest& request, const std::string& url) {
  const UrlParts parts = urlParts(url);
  if (request.allowLoopbackHttp && parts.scheme == "http" && parts.host == "127.0.0.1") return true;
  const bool within = parts.host == request.domain || parts.host.ends_with("." + request.domain);
  if (parts.scheme == "https" && within) return false;
  throw Error(
      request.url,
      "the download leads to " + url + ", which is not an https address of " + request.domain,
      "Nothing was downloaded from there. Check the network (it may have a log-in page), "
      "or fetch the file with a browser and give its path.");
}

[[noreturn]] void refuse(const DownloadRequest& request, int status) {
  const std::string reason = "the server answered with status " + std::to_string(status);
  if (status == 404 || status == 410) {
    throw Error(request.url,
                reason + ": the file is not there any more",
                "Find its new address, fetch it with a browser and give its path.");
  }
  if (status >= 500 || status == 429) {
    throw Error(request.url,
                reason + ": it is overloaded or out of order",
                std::string("Wait a while. ") + kResumeHint);
  }
  throw Error(request.url, reason, "Fetch the file with a browser and give its path.");
}

void checkLength(const DownloadRequest& request, std::uint64_t offered) {
  if (offered == request.bytes) return;
  throw Error(
      request.url,
      "the server offers " + bytesText(offered) + " instead of " + bytesText(request.bytes),
      "The file on the server has changed, or a web page has replaced it. Nothing was kept.");
}

void checkSpace(const DownloadRequest& request, std::uint64_t present) {
  std::error_code error;
  const auto space = std::filesystem::space(folderOf(request.destination), error);
  if (error || space.available >= request.bytes - present) return;
  throw Error(request.destination.string(),
              "the download needs " + bytesText(request.bytes - present) + ", but the disk has " +
                  bytesText(space.available) + " free",
              "Free some space, or choose a folder on another disk.");
}

// Writes the body of an answer to the part file. Pages that come with redirects and refusals are
// read to their end and dropped.
class Receiver {
 public:
  Receiver(const DownloadRequest& request, PartFile& part)
      : request_(request), part_(part), offset_(part.size()) {}

  bool take(const HttpHead& head, std::string_view piece) {
    if (!begun_ && !begin(head)) return !stale_ && (discarded_ += piece.size()) < kMaxPage;
    if (piece.size() > request_.bytes - part_.size()) {
      checkLength(request_, part_.size() + piece.size());
    }
    part_.append(piece);
    return true;
  }

  bool stale() const { return stale_; }

 private:
  bool begin(const HttpHead& head) {
    if (head.status == 200) {
      checkLength(request_, head.contentLength.value_or(request_.bytes));
      part_.restart();
    } else if (head.status == 206) {
      stale_ =
          head.rangeStart != offset_ || head.totalLength.value_or(request_.bytes) != request_.bytes;
    }
    begun_ = !stale_ && (head.status == 200 || head.status == 206);
    return begun_;
  }

  const DownloadRequest& request_;
  PartFile& part_;
  std::uint64_t offset_;
  std::uint64_t discarded_ = 0;
  bool begun_ = false;
  bool stale_ = false;
};

HttpResult ask(const DownloadRequest& request,
               PartFile& part,
               const DownloadObserver& observer,
               Receiver& receiver,
               bool& cancelled) {
  HttpGet get;
  get.url = request.url;
  get.offset = part.size();
  get.stallSeconds = request.stallSeconds;
  const auto keepGoing = [&] {
    cancelled = observer && !observer({DownloadPhase::transfer, part.size(), request.bytes});
    return !cancelled;
  };
  const auto onBody = [&](const HttpHead& head, std::string_view piece) {
    return receiver.take(head, piece) && keepGoing();
  };
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    get.allowHttp = checkAddress(request, get.url);
    HttpResult result = httpGet(get, onBody, keepGoing);
    if (cancelled || result.redirect.empty()) return result;
    get.url = result.redirect;
  }
  throw Error(request.url, "the server redirects too often", "Try again later.");
}

Fetched fetch(const DownloadRequest& request, PartFile& part, const DownloadObserver& observer) {
  if (part.size() > request.bytes) part.restart();
  if (part.size() == request.bytes) return Fetched::whole;
  checkSpace(request, part.size());

  Receiver receiver(request, part);
  bool cancelled = false;
  const HttpResult result = ask(request, part, observer, receiver, cancelled);
  if (cancelled) return Fetched::cancelled;
  const int status = result.head.status;
  if (receiver.stale() || status == 416) return Fetched::stale;
  if (status != 0 && status != 200 && status != 206) refuse(request, status);
  if (part.size() == request.bytes) return Fetched::whole;
  const std::string why =
      result.failure.empty() ? "the server ended the transfer early" : result.failure;
  throw Error(request.url,
              "the connection broke after " + std::to_string(part.size()) + " of " +
                  bytesText(request.bytes) + ": " + why,
              std::string("Check the network. ") + kResumeHint);
}

bool isPresent(const DownloadRequest& request) {
  std::error_code ignored;
  if (!std::filesystem::exists(request.destination, ignored)) return false;
  const std::string digest = sha256OfFile(request.destination);
  if (digest == request.sha256) return true;
  throw Error(request.destination.string(),
              "there is a file of this name with other content: its SHA-256 is " + digest +
                  ", expected " + request.sha256,
              "Move it away or choose another folder, then try again.");
}

[[noreturn]] void refuseBytes(const DownloadRequest& request,
                              PartFile& part,
                              const std::string& digest) {
  part.discard();
  throw Error(request.destination.string(),
              "the downloaded bytes are not the expected file: their SHA-256 is " + digest +
                  ", expected " + request.sha256 + "; they were deleted",
              "Try again. If it happens twice, the file on the server has changed: fetch it from "
              "elsewhere and give its path.");
}

}  // namespace

DownloadRequest cifar10Download(const std::filesystem::path& folder) {
  DownloadRequest request;
  request.url = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz";
  request.domain = "cs.toronto.edu";
  request.sha256 = kCifar10ArchiveSha256;
  request.bytes = 170'052'171;
  request.destination = folder / "cifar-10-binary.tar.gz";
  return request;
}

DownloadOutcome download(const DownloadRequest& request,
                         const DownloadObserver& observer,
                         FileSystem& system) {
  if (isPresent(request)) return DownloadOutcome::alreadyPresent;
  const std::filesystem::path folder = folderOf(request.destination);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw systemError(folder, "cannot make the folder", error.value());

  PartFile part(request.destination.string() + ".part", system);
  // Bytes of an earlier attempt may belong to another version of the file: the digest decides.
  for (bool isFresh = part.size() == 0;; isFresh = true) {
    if (isFresh) part.restart();
    const Fetched fetched = fetch(request, part, observer);
    if (fetched == Fetched::cancelled) return DownloadOutcome::cancelled;
    if (fetched == Fetched::whole) {
      if (observer) observer({DownloadPhase::check, request.bytes, request.bytes});
      const std::string digest = sha256OfFile(part.path());
      if (digest == request.sha256) break;
      if (isFresh) refuseBytes(request, part, digest);
    } else if (isFresh) {
      refuse(request, 416);
    }
  }
  part.publish(request.destination);
  return DownloadOutcome::downloaded;
}

}  // namespace lambda
