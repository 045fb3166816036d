#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// A file to download: its address, its expected content, and its destination.
struct DownloadRequest {
  std::string url;
  std::string domain;       ///< Redirects must stay on this host or its subdomains.
  std::string sha256;       ///< 64 lower-case hexadecimal digits.
  std::uint64_t bytes = 0;  ///< The file's size.
  std::filesystem::path destination;
  bool allowLoopbackHttp = false;  ///< Also allow plain http to 127.0.0.1, for a local server.
  int stallSeconds = 60;           ///< Give up after this long without a byte.
};

/// The binary version of CIFAR-10, 170 052 171 bytes from www.cs.toronto.edu, as
/// folder/cifar-10-binary.tar.gz.
DownloadRequest cifar10Download(const std::filesystem::path& folder);

enum class DownloadPhase { transfer, check };

struct DownloadProgress {
  DownloadPhase phase = DownloadPhase::transfer;
  std::uint64_t receivedBytes = 0;  ///< Including earlier attempts.
  std::uint64_t totalBytes = 0;
};

/// Called on the downloading thread, possibly many times per second; returning false cancels.
using DownloadObserver = std::function<bool(const DownloadProgress&)>;

enum class DownloadOutcome {
  downloaded,
  alreadyPresent,  ///< The destination already holds the file; nothing was downloaded.
  cancelled,       ///< The received bytes are kept for the next attempt.
};

/// Downloads the file to `destination`.part, checks its digest and renames it, so that the
/// destination is either complete and correct or missing. Its folder is created. The bytes of an
/// interrupted or cancelled attempt are kept, and the next attempt continues them; if the whole
/// then has another digest, it starts once more from the first byte. Throws Error with a hint for
/// no network, an answer that is not the file, a redirect elsewhere, a full disk, another attempt
/// under way, wrong bytes (which are deleted), and a destination with other content (which is
/// kept).
DownloadOutcome download(const DownloadRequest& request,
                         const DownloadObserver& observer = {},
                         FileSystem& system = FileSystem::real());

}  // namespace lambda
