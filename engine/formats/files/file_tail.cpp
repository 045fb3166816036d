#include "engine/formats/files/file_tail.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "engine/formats/files/file_system.h"

namespace lambda {

namespace {

constexpr std::size_t kChunkBytes = 1 << 18;

/// A file opened for reading, closed at the end of the scope; -1 where there is none.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path)
      // Without O_NONBLOCK, opening a pipe waits for a writer that may never come.
      : file_(FileSystem::real().open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)) {
    if (file_ < 0 && errno != ENOENT) throw systemError(path, "cannot open", errno);
  }

  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }

  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int get() const { return file_; }

 private:
  int file_;
};

/// Reads bytes.size() bytes, or fewer only at the end of the file.
std::size_t readAt(int file,
                   std::uint64_t offset,
                   std::vector<char>& bytes,
                   const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw systemError(path, "cannot read", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace

void FileTail::restart(const std::function<void()>& restarted) {
  if (offset_ > 0) restarted();
  offset_ = 0;
  lastBytes_.clear();
}

bool FileTail::continuesAt(int file, std::uint64_t size) const {
  if (size < offset_) return false;
  std::vector<char> bytes(lastBytes_.size());
  const std::size_t count = readAt(file, offset_ - lastBytes_.size(), bytes, file_);
  return std::string_view(bytes.data(), count) == lastBytes_;
}

void FileTail::poll(const std::function<void()>& restarted,
                    const std::function<void(std::string_view)>& text,
                    std::uint64_t most) {
  const OpenFile file(file_);

  struct stat status {};

  if (file.get() < 0) {
    restart(restarted);
    return;
  }
  if (::fstat(file.get(), &status) != 0) throw systemError(file_, "cannot read", errno);
  if (!S_ISREG(status.st_mode)) throw Error(file_.string(), "this is not a regular file");
  const bool isSame = (inode_ == status.st_ino || inode_ == 0) &&
                      continuesAt(file.get(), static_cast<std::uint64_t>(status.st_size));
  if (!isSame) restart(restarted);
  inode_ = status.st_ino;

  while (most > 0) {
    std::vector<char> bytes(std::min<std::uint64_t>(kChunkBytes, most));
    const std::size_t count = readAt(file.get(), offset_, bytes, file_);
    const std::string_view part(bytes.data(), count);
    text(part);
    offset_ += count;
    most -= count;
    lastBytes_ += part.substr(count - std::min(count, kRememberedBytes));
    if (lastBytes_.size() > kRememberedBytes) {
      lastBytes_.erase(0, lastBytes_.size() - kRememberedBytes);
    }
    if (count < bytes.size()) return;
  }
}

}  // namespace lambda
