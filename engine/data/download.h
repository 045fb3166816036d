#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// A file to fetch once and keep: where it is, what it must be, where it goes.
struct DownloadRequest {
  std::string url;
  std::string domain;       ///< Redirects stay on this host and the hosts below it.
  std::string sha256;       ///< 64 lower-case hexadecimal digits.
  std::uint64_t bytes = 0;  ///< The file's size.
  std::filesystem::path destination;
  bool allowLoopbackHttp = false;  ///< Also plain http to 127.0.0.1, for a server of one's own.
  int stallSeconds = 60;           ///< Give up after so long without a byte.
};

/// The binary version of CIFAR-10, 170 052 171 bytes from www.cs.toronto.edu, as
/// folder/cifar-10-binary.tar.gz.
DownloadRequest cifar10Download(const std::filesystem::path& folder);

enum class DownloadPhase { transfer, check };

struct DownloadProgress {
  DownloadPhase phase = DownloadPhase::transfer;
  std::uint64_t receivedBytes = 0;  ///< Earlier attempts included.
  std::uint64_t totalBytes = 0;
};

/// Called on the downloading thread, at times many times a second; false cancels.
using DownloadObserver = std::function<bool(const DownloadProgress&)>;

enum class DownloadOutcome {
  downloaded,
  alreadyPresent,  ///< The destination holds the right bytes; nothing was fetched.
  cancelled,       ///< What was received stays for the next attempt.
};

/// Fetches the file to `destination`.part, checks its digest and renames it: the destination is
/// whole and right, or not there. Its folder is made. What a cut or cancelled attempt received is
/// kept, with the server's validator in `destination`.part.validator, and continued by the next.
/// Throws Error with what to do: no network, an answer that is no file, a redirect elsewhere, a
/// full disk, another attempt under way, wrong bytes (which are deleted), a destination that holds
/// something else (which is left alone).
DownloadOutcome download(const DownloadRequest& request,
                         const DownloadObserver& observer = {},
                         FileSystem& system = FileSystem::real());

}  // namespace lambda
