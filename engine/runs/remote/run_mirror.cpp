#include "engine/runs/remote/run_mirror.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <span>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_stamp.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/files/file_tail.h"
#include "engine/formats/files/hex_text.h"
#include "engine/formats/json/remote_json.h"
#include "engine/runs/remote/mirrored_from.h"
#include "engine/runs/remote/run_streamer.h"
#include "engine/runs/run_search.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr char kRecordFile[] = "run.json";
constexpr char kPartEnding[] = ".part";

bool isGrowing(const std::string& file) {
  return std::ranges::find(kGrowingFiles, file) != std::end(kGrowingFiles);
}

/// The last bytes of a file, by which the other side sees that it is the same.
std::string lastBytesOf(const fs::path& file, std::uint64_t size) {
  std::string bytes(std::min<std::uint64_t>(size, FileTail::kRememberedBytes), '\0');
  FileReader(file).readExactlyAt(size - bytes.size(), std::as_writable_bytes(std::span(bytes)));
  return hexText({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

void createFolders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(folder.string(), "cannot create the folder: " + error.message());
}

/// A file that is written at an offset.
class WrittenFile {
 public:
  explicit WrittenFile(const fs::path& path)
      : path_(path),
        file_(FileSystem::real().open(
            path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644)) {
    if (file_ < 0) throw systemError(path, "cannot open", errno);
  }

  ~WrittenFile() { ::close(file_); }

  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  /// Replaces everything from `offset` on, which is not beyond the end.
  void replaceFrom(std::uint64_t offset, std::string_view content) {
    struct stat status {};

    if (::fstat(file_, &status) != 0) throw systemError(path_, "cannot read", errno);
    if (!S_ISREG(status.st_mode)) throw Error(path_.string(), "this is not a regular file");
    if (offset > static_cast<std::uint64_t>(status.st_size)) {
      throw Error(path_.string(), "a part of it is missing; the next connection sends it again");
    }
    if (::ftruncate(file_, static_cast<off_t>(offset)) != 0 ||
        ::lseek(file_, static_cast<off_t>(offset), SEEK_SET) < 0) {
      throw systemError(path_, "cannot write", errno);
    }
    writeAll(FileSystem::real(), file_, content.data(), content.size(), path_);
  }

  void setModified(std::int64_t nanoseconds) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec time{nanoseconds / kSecond, static_cast<long>(nanoseconds % kSecond)};
    const timespec times[] = {time, time};
    if (::futimens(file_, times) != 0) throw systemError(path_, "cannot write", errno);
  }

 private:
  fs::path path_;
  int file_;
};

}  // namespace

RunMirror::RunMirror(fs::path folder, const std::string& place, Listener listener)
    : folder_(std::move(folder)), listener_(std::move(listener)) {
  createFolders(folder_);
  std::error_code error;
  if (!isThere(folder_ / kMirrorMark)) {
    if (!fs::is_empty(folder_, error)) {
      throw Error(folder_.string(), "it holds other files", "choose an empty folder");
    }
    writeFileDurably(folder_ / kMirrorMark, place);
  } else if (mirroredFrom(folder_) != place) {
    throw Error(folder_.string(), "it is the copy of another place: " + mirroredFrom(folder_));
  }
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw systemError(folder_, "cannot open", errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);
    throw Error(place, "another window follows it already", "close that one first");
  }
}

RunMirror::~RunMirror() {
  ::close(lock_);
}

fs::path RunMirror::pathOf(const std::string& run) const {
  return folder_ / run;
}

std::vector<RemoteFile> RunMirror::filesOf(const std::string& run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? std::vector<RemoteFile>() : found->second.files;
}

bool RunMirror::isHere(const std::string& run, const RemoteFile& file) const {
  const FileStamp here = stampOf(pathOf(run) / file.name);
  return here.bytes == file.bytes && here.modified == file.modified;
}

void RunMirror::unmark() {
  std::error_code ignored;
  fs::remove(folder_ / kMirrorMark, ignored);
}

std::string RunMirror::greeting() {
  line_.clear();
  content_.clear();
  expected_.reset();
  std::string lines;
  std::vector<fs::path> paths;
  findRuns(
      folder_, [] { return false; }, paths);
  for (const fs::path& path : paths) {
    const std::string run = path.lexically_relative(folder_).string();
    // The record comes again, but is told too: the run may be gone.
    std::vector<const char*> files{kRecordFile};
    files.insert(files.end(), std::begin(kGrowingFiles), std::end(kGrowingFiles));
    for (const char* file : files) {
      const std::uint64_t size = stampOf(path / file).bytes;
      if (size == 0) continue;
      lines += toJson(RemoteWish{.kind = WishKind::have,
                                 .run = run,
                                 .file = file,
                                 .bytes = size,
                                 .lastBytes = lastBytesOf(path / file, size)}) +
               "\n";
    }
  }
  return lines + toJson(RemoteWish{.kind = WishKind::begin}) + "\n";
}

void RunMirror::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (expected_) {
      const std::size_t part =
          std::min<std::size_t>(bytes.size(), expected_->bytes - content_.size());
      content_ += bytes.substr(0, part);
      bytes.remove_prefix(part);
      if (content_.size() < expected_->bytes) return;
      const RemoteNews news = *std::exchange(expected_, std::nullopt);
      takePart(news, std::exchange(content_, {}));
      continue;
    }
    const std::size_t end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > kLongestMessage) throw Error("the other machine", "sends no lines");
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    take(remoteNewsFromJson(std::exchange(line_, {}), "the other machine"));
  }
}

void RunMirror::take(const RemoteNews& news) {
  const bool namesRun = news.kind == NewsKind::run || news.kind == NewsKind::part ||
                        news.kind == NewsKind::gone || !news.run.empty();
  if (namesRun && !isRemoteRunName(news.run)) {
    throw Error(terminalText(news.run), "this is no name of a run");
  }
  switch (news.kind) {
    case NewsKind::hello:
      if (news.version != kRemoteVersion) {
        throw Error(news.host,
                    "its lambda speaks version " + std::to_string(news.version) +
                        " of the messages, and this program version " +
                        std::to_string(kRemoteVersion),
                    "install the same version on both machines");
      }
      listener_.connected(news);
      break;
    case NewsKind::run: {
      Run& run = runs_[news.run];
      run.files.clear();
      std::ranges::copy_if(news.files, std::back_inserter(run.files), [](const RemoteFile& file) {
        return isRemoteFileName(file.name);
      });
      lockTrained(news.run, run, news.trains);
      listener_.changed(news.run);
      break;
    }
    case NewsKind::part:
      if (news.bytes > (news.file == kRecordFile ? kLargestRecord : kLargestPart)) {
        throw Error(terminalText(news.file), "a part of it is too large");
      }
      if (news.bytes == 0) {
        takePart(news, {});
      } else {
        expected_ = news;
      }
      break;
    case NewsKind::gone: {
      runs_.erase(news.run);
      // Weights that somebody wanted to see are kept.
      std::error_code ignored;
      if (!isThere(pathOf(news.run) / "checkpoints")) fs::remove_all(pathOf(news.run), ignored);
      break;
    }
    case NewsKind::answer:
      listener_.answered(news.id, news.run, terminalText(news.refusal, LineBreaks::kept));
      break;
    case NewsKind::alive:
      break;
  }
}

void RunMirror::lockTrained(const std::string& name, Run& run, bool trains) {
  if (!trains) {
    run.lock.reset();
  } else if (!run.lock && isRun(pathOf(name))) {
    try {
      run.lock.emplace(RunFolder::open(pathOf(name)), RunLock::OfCopy());
    } catch (const Error&) {
      // Something reads or writes the copy at this moment; the next message tries again.
    }
  }
}

void RunMirror::takePart(const RemoteNews& news, std::string_view content) {
  if (news.file == kRecordFile && news.from == 0) {
    createFolders(pathOf(news.run));
    writeFileDurably(pathOf(news.run) / kRecordFile, content);
  } else if (isGrowing(news.file)) {
    append(news, content);
  } else if (isRemoteFileName(news.file)) {
    takeFetched(news, content);
  } else {
    throw Error(terminalText(news.file), "this is no file of a run");
  }
}

void RunMirror::append(const RemoteNews& news, std::string_view content) {
  createFolders(pathOf(news.run));
  WrittenFile(pathOf(news.run) / news.file).replaceFrom(news.from, content);
}

void RunMirror::takeFetched(const RemoteNews& news, std::string_view content) {
  const fs::path file = pathOf(news.run) / news.file;
  const fs::path part = file.string() + kPartEnding;
  createFolders(file.parent_path());
  WrittenFile written(part);
  written.replaceFrom(news.from, content);
  if (!news.whole) return;
  written.setModified(news.whole->modified);
  if (FileSystem::real().rename(part.c_str(), file.c_str()) != 0) {
    throw systemError(file, "cannot write", errno);
  }
}

}  // namespace lambda
