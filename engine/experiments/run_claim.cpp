#include "engine/experiments/run_claim.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostClaimBytes = 4096;
constexpr std::string_view kUnfinishedPrefix = ".claim-";

/// A small file of /proc, or nothing.
std::string readProc(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  char text[4096];
  const ssize_t size = ::read(descriptor, text, sizeof text);
  ::close(descriptor);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

/// The start time in /proc/PID/stat; 0 where there is no such process. A process that has ended and
/// that its parent has not waited for counts as none.
std::int64_t startOf(std::int64_t pid) {
  const std::string stat = readProc("/proc/" + std::to_string(pid) + "/stat");
  // The second field is the program's name in parentheses, which may hold spaces.
  std::size_t at = stat.rfind(')');
  if (at == std::string::npos) return 0;
  if (at + 2 < stat.size() && (stat[at + 2] == 'Z' || stat[at + 2] == 'X')) return 0;
  for (int field = 2; field < 22; ++field) {
    at = stat.find(' ', at);
    if (at == std::string::npos) return 0;
    ++at;
  }
  std::int64_t started = 0;
  std::from_chars(stat.data() + at, stat.data() + stat.size(), started);
  return started;
}

std::string linkText(const char* path) {
  std::error_code error;
  return fs::read_symlink(path, error).string();
}

fs::path fileOf(const fs::path& claims, const std::string& name, int number) {
  return claims / (name + "." + std::to_string(number));
}

/// The numbers of all claims on a run.
std::vector<int> numbersOf(const fs::path& claims, const std::string& name) {
  std::vector<int> numbers;
  std::error_code error;
  for (fs::directory_iterator each(claims, error), end; !error && each != end;
       each.increment(error)) {
    const std::string file = each->path().filename().string();
    if (!file.starts_with(name + ".")) continue;
    const char* digits = file.data() + name.size() + 1;
    int number = 0;
    const auto read = std::from_chars(digits, file.data() + file.size(), number);
    if (read.ec == std::errc() && read.ptr == file.data() + file.size()) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

/// The greatest number of the claims on a run; 0 where there is none.
int lastNumber(const fs::path& claims, const std::string& name) {
  const std::vector<int> numbers = numbersOf(claims, name);
  return numbers.empty() ? 0 : std::ranges::max(numbers);
}

std::optional<ProcessIdentity> readOwner(const fs::path& file) {
  try {
    const auto json = nlohmann::json::parse(readFile(file, kMostClaimBytes));
    return ProcessIdentity{json.at("host"), json.at("boot"), json.at("pid"), json.at("started")};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The part of the names of a process's unfinished files that tells its machine, the start of that
/// and its process namespace.
std::string machineMark(const ProcessIdentity& process) {
  std::string mark = process.boot;
  const auto isNoLetter = [](unsigned char letter) { return std::isalnum(letter) == 0; };
  std::ranges::replace_if(mark, isNoLetter, '_');
  return std::string(kUnfinishedPrefix) + mark + "-";
}

/// An empty new file that its process removes again. Its name tells the process, so that whoever
/// finds it after a kill knows without reading it whether somebody is still at work on it.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const fs::path& claims) {
    static std::atomic<unsigned> counter = 0;
    const ProcessIdentity self = currentProcess();
    path_ = claims / (machineMark(self) + std::to_string(self.pid) + "-" +
                      std::to_string(self.started) + "-" + std::to_string(counter++));
    do {
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    } while (descriptor_ < 0 && errno == EINTR);
  }

  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  ~UnfinishedFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }

  const fs::path& path() const { return path_; }

  /// -1 where it could not be created; errno says why.
  int descriptor() const { return descriptor_; }

 private:
  fs::path path_;
  int descriptor_ = -1;
};

/// Seconds since a file was changed, by the clock of its file system: that of another machine may
/// differ from ours.
std::chrono::seconds ageOf(const fs::path& file) {
  struct stat status {};

  struct stat now {};

  const UnfinishedFile probe(file.parent_path());
  if (::fstat(probe.descriptor(), &now) != 0 || ::stat(file.c_str(), &status) != 0) {
    return std::chrono::seconds(0);
  }
  return std::chrono::seconds(now.st_mtime - status.st_mtime);
}

bool isAlive(const ProcessIdentity& owner, const fs::path& file, std::chrono::seconds lease) {
  const ProcessIdentity self = currentProcess();
  if (owner.host == self.host && owner.boot == self.boot) {
    return owner.started != 0 && startOf(owner.pid) == owner.started;
  }
  return ageOf(file) <= lease;
}

/// Whether the process that an unfinished file names may still be at work on it.
bool hasWriter(const fs::path& file, std::chrono::seconds lease) {
  const std::string name = file.filename().string();
  const std::string ours = machineMark(currentProcess());
  if (!name.starts_with(ours)) return ageOf(file) <= lease;
  std::int64_t pid = 0;
  std::int64_t started = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + ours.size(), end, pid);
  if (read.ec == std::errc() && read.ptr != end) std::from_chars(read.ptr + 1, end, started);
  // A process that could not read its own start time has 0.
  return started != 0 ? startOf(pid) == started : ageOf(file) <= lease;
}

/// Creates the file exclusively with its whole content; false where it exists.
bool createWhole(const fs::path& file, const std::string& content) {
  const UnfinishedFile whole(file.parent_path());
  if (whole.descriptor() < 0) throw systemError(file, "the run can't be claimed", errno);
  writeAll(FileSystem::real(), whole.descriptor(), content.data(), content.size(), file);
  syncFile(FileSystem::real(), whole.descriptor(), file);
  if (::link(whole.path().c_str(), file.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  const bool lacksLinks = errno == EPERM || errno == ENOTSUP || errno == ENOSYS || errno == EMLINK;
  if (!lacksLinks) throw systemError(file, "the run can't be claimed", errno);
  throw Error(file.string(),
              std::string("the run can't be claimed: ") + std::strerror(errno),
              "The folder of an experiment needs a file system with hard links.");
}

}  // namespace

ProcessIdentity currentProcess() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  std::string boot = readProc("/proc/sys/kernel/random/boot_id");
  while (!boot.empty() && boot.back() == '\n') boot.pop_back();
  return {host, boot + " " + linkText("/proc/self/ns/pid"), ::getpid(), startOf(::getpid())};
}

std::optional<RunClaim> RunClaim::take(const fs::path& claims,
                                       const std::string& name,
                                       const ProcessIdentity& owner,
                                       std::chrono::seconds lease) {
  const int last = lastNumber(claims, name);
  if (last > 0) {
    const fs::path file = fileOf(claims, name, last);
    const std::optional<ProcessIdentity> existing = readOwner(file);
    // Unreadable: released a moment ago, or damaged; its age then decides.
    if (existing ? isAlive(*existing, file, lease) : ageOf(file) <= lease) return std::nullopt;
  }
  const nlohmann::json content{
      {"host", owner.host}, {"boot", owner.boot}, {"pid", owner.pid}, {"started", owner.started}};
  if (!createWhole(fileOf(claims, name, last + 1), content.dump() + "\n")) return std::nullopt;
  RunClaim claim(claims, name, last + 1);
  // An owner that released its claim after the listing left its numbers free, so that another
  // worker may have begun to count anew. Of two that see each other, none stays.
  for (const int number : numbersOf(claims, name)) {
    if (number == last + 1) continue;
    const fs::path file = fileOf(claims, name, number);
    const std::optional<ProcessIdentity> other = readOwner(file);
    if (other && isAlive(*other, file, lease)) {
      fs::remove(std::exchange(claim.file_, {}));
      return std::nullopt;
    }
  }
  return claim;
}

RunClaim::RunClaim(fs::path claims, std::string name, int number)
    : claims_(std::move(claims)),
      name_(std::move(name)),
      number_(number),
      file_(fileOf(claims_, name_, number)) {}

RunClaim::RunClaim(RunClaim&& other) noexcept
    : claims_(std::move(other.claims_)),
      name_(std::move(other.name_)),
      number_(other.number_),
      file_(std::exchange(other.file_, {})) {}

RunClaim& RunClaim::operator=(RunClaim&& other) noexcept {
  std::swap(claims_, other.claims_);
  std::swap(name_, other.name_);
  std::swap(number_, other.number_);
  std::swap(file_, other.file_);
  return *this;
}

RunClaim::~RunClaim() {
  if (file_.empty()) return;
  std::error_code error;
  // Older claims on the run go first: while this one exists, nobody takes them for valid.
  for (int number = 1; number < number_; ++number) {
    fs::remove(fileOf(claims_, name_, number), error);
  }
  fs::remove(file_, error);
}

bool RunClaim::renew() {
  ::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
  return lastNumber(claims_, name_) == number_;
}

void sweepClaims(const fs::path& claims, const std::string& name) {
  // A claim removes the older ones when it is released.
  if (lastNumber(claims, name) > 0) RunClaim::take(claims, name);
}

void sweepUnfinishedClaims(const fs::path& claims, std::chrono::seconds lease) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator each(claims, error), end; !error && each != end;
       each.increment(error)) {
    files.push_back(each->path());
  }
  for (const fs::path& file : files) {
    const bool isUnfinished = file.filename().string().starts_with(kUnfinishedPrefix);
    if (isUnfinished && !hasWriter(file, lease)) fs::remove(file, error);
  }
}

std::optional<ProcessIdentity> livingOwnerOf(const fs::path& claims,
                                             const std::string& name,
                                             std::chrono::seconds lease) {
  const int last = lastNumber(claims, name);
  if (last == 0) return std::nullopt;
  const fs::path file = fileOf(claims, name, last);
  const std::optional<ProcessIdentity> owner = readOwner(file);
  return owner && isAlive(*owner, file, lease) ? owner : std::nullopt;
}

}  // namespace lambda
