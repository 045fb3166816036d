#include "engine/experiments/run_claim.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "engine/formats/files/file_lock.h"
#include "engine/formats/files/file_system.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Whether the path still names the open file.
bool isAt(const fs::path& path, int descriptor) {
  struct stat open {};

  struct stat named {};

  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

std::optional<RunClaim> RunClaim::take(const fs::path& claims, const std::string& name) {
  const fs::path file = claims / name;
  while (true) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) {
      if (errno == EINTR) continue;
      throw systemError(file, "the run can't be claimed", errno);
    }
    if (!lockFile(descriptor, F_WRLCK)) {
      const int reason = errno;
      ::close(descriptor);
      if (reason == EAGAIN || reason == EACCES) return std::nullopt;
      throw Error(file.string(),
                  "the run can't be claimed: " + std::system_category().message(reason),
                  "The folder of an experiment needs a file system with locks.");
    }
    // The owner before removes the file while it has the lock, maybe after it was opened here.
    if (isAt(file, descriptor)) return RunClaim(file, descriptor);
    ::close(descriptor);
  }
}

RunClaim::RunClaim(RunClaim&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RunClaim& RunClaim::operator=(RunClaim&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RunClaim::~RunClaim() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

bool isClaimed(const fs::path& claims, const std::string& name) {
  const int descriptor = ::open((claims / name).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool isLocked = isFileLocked(descriptor);
  ::close(descriptor);
  return isLocked;
}

void sweepClaim(const fs::path& claims, const std::string& name) {
  std::error_code error;
  if (fs::exists(claims / name, error)) RunClaim::take(claims, name);
}

}  // namespace lambda
