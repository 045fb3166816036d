#include "engine/runs/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <unistd.h>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_lock.h"
#include "engine/formats/inspection/epoch_files.h"
#include "engine/runs/remote/mirrored_from.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMaxCheckpointBytes = 1ULL << 40;
constexpr std::size_t kLongestName = 80;  // Bytes.

std::string localTime() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d_%H-%M-%S", &parts);
  return text;
}

Error cannotCreate(const fs::path& place, const std::string& reason) {
  return Error(place.string(),
               "a run folder can't be created here: " + reason,
               "choose a folder that you may write to with --out");
}

int openFolder(const RunFolder& folder) {
  return ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

}  // namespace

std::string RunFolder::nameFor(const std::string& run) {
  std::string safe = fileNamePart(run, kLongestName);
  safe.erase(0, std::min(safe.find_first_not_of('.'), safe.size()));
  return safe.empty() ? "run" : safe;
}

RunFolder RunFolder::create(const fs::path& runsFolder, const std::string& name) {
  const std::string base = localTime() + "_" + nameFor(name);
  std::error_code error;
  fs::create_directories(runsFolder, error);
  for (int attempt = 1; !error && attempt < 1000; ++attempt) {
    RunFolder folder(fs::absolute(runsFolder) /
                     (attempt == 1 ? base : base + "-" + std::to_string(attempt)));
    if (folder.makeFolders(error)) return folder;
  }
  throw cannotCreate(runsFolder, error.message());
}

RunFolder RunFolder::createNamed(const fs::path& runsFolder, const std::string& name) {
  if (name != nameFor(name)) {
    throw Error(name,
                "this can't be the name of a run folder",
                "use letters, digits, '-', '_' and '.', at most 80 bytes of them");
  }
  std::error_code error;
  fs::create_directories(runsFolder, error);
  RunFolder folder(fs::absolute(runsFolder) / name);
  if (!error && folder.makeFolders(error)) return folder;
  if (!error || error == std::errc::file_exists) {
    throw Error(folder.path().string(),
                "there is already something with this name",
                "Give the new run another name, or continue the run there with lambda resume.");
  }
  throw cannotCreate(folder.path(), error.message());
}

std::string RunFolder::freeName(const fs::path& runsFolder, const std::string& name) {
  constexpr std::size_t kLongest = kLongestName - 4;  // For the number.
  const std::string base = fileNamePart(localTime() + "_" + nameFor(name), kLongest);
  std::string free = base;
  std::error_code ignored;
  for (int i = 2; fs::exists(runsFolder / free, ignored); ++i) {
    free = base + "-" + std::to_string(i);
  }
  return free;
}

bool RunFolder::makeFolders(std::error_code& error) const {
  if (!fs::create_directory(path_, error)) return false;
  fs::create_directory(checkpoints(), error);
  if (!error) fs::create_directory(inspection(), error);
  return !error;
}

RunFolder RunFolder::open(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw Error(
        path.string(), "there is no such run folder", "give the folder that holds run.json");
  }
  // A trailing slash would leave the folder without a name.
  fs::path clean = fs::absolute(path).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();
  RunFolder folder(clean);
  if (!fs::exists(folder.record(), error)) {
    throw Error(path.string(),
                "this is not a run folder: it has no run.json",
                "give the folder that holds run.json");
  }
  // Files in them are removed, too, which opens none.
  for (const fs::path& each : {folder.checkpoints(), folder.inspection()}) {
    if (fs::is_symlink(each, error)) {
      throw Error(each.string(),
                  "is a link, which is not followed in the folder of a run",
                  "put the folder itself in the place of the link");
    }
  }
  return folder;
}

fs::path RunFolder::epochCheckpoint(int epoch) const {
  return checkpoints() / epochFileName(epoch);
}

std::vector<fs::path> RunFolder::epochCheckpoints() const {
  return epochFilesOf(checkpoints());
}

std::vector<fs::path> RunFolder::checkpointsNewestFirst() const {
  std::vector<fs::path> paths = epochCheckpoints();
  std::reverse(paths.begin(), paths.end());
  std::error_code error;
  if (fs::exists(lastCheckpoint(), error)) paths.insert(paths.begin(), lastCheckpoint());
  if (fs::exists(bestCheckpoint(), error)) paths.push_back(bestCheckpoint());
  return paths;
}

fs::path RunFolder::representativeCheckpoint() const {
  std::error_code error;
  for (const fs::path& path : {bestCheckpoint(), lastCheckpoint()}) {
    if (fs::exists(path, error)) return path;
  }
  throw Error(
      path_.string(), "the run has no checkpoint yet", "train it until its first epoch is done");
}

fs::path checkpointAt(const fs::path& run) {
  std::error_code error;
  if (fs::is_regular_file(run, error)) return run;
  return RunFolder::open(run).representativeCheckpoint();
}

void requireNoCopy(const RunFolder& run) {
  const std::string place = mirroredFrom(run.path());
  if (place.empty()) return;
  throw Error(run.path().string(),
              "this is a copy of a run on " + place,
              "change, control or continue the run there");
}

RunLock::RunLock(const RunFolder& folder) : RunLock((requireNoCopy(folder), folder), OfCopy()) {}

RunLock::RunLock(const RunFolder& folder, OfCopy /*ofCopy*/) {
  descriptor_ = openFolder(folder);
  if (descriptor_ < 0) return;
  int status = 0;
  do {
    status = flock(descriptor_, LOCK_EX | LOCK_NB);
  } while (status != 0 && errno == EINTR);
  // On a file system without locks the run is not locked; only the lock of another process is an
  // error.
  if (status != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw Error(folder.path().string(),
                "another process is training this run",
                "wait until it is done, or stop it first");
  }
  lockFile(descriptor_, F_RDLCK);
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool RunLock::isHeld(const RunFolder& folder) {
  const int descriptor = openFolder(folder);
  if (descriptor < 0) return false;
  const bool isLocked = isFileLocked(descriptor);
  ::close(descriptor);
  return isLocked;
}

void publishAs(const fs::path& existing, const fs::path& name) {
  // rename() between two links to the same file does nothing and leaves both.
  std::error_code error;
  if (!fs::is_symlink(name, error) && fs::equivalent(existing, name, error)) return;
  const fs::path beside = name.string() + ".link";
  fs::remove(beside, error);
  fs::create_hard_link(existing, beside, error);
  if (!error) fs::rename(beside, name, error);
  if (!error) return;
  fs::remove(beside, error);
  writeFileDurably(name, readFile(existing, kMaxCheckpointBytes));
}

std::uintmax_t freeBytesAt(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return error ? std::numeric_limits<std::uintmax_t>::max() : space.available;
}

void prune(const RunFolder& folder, const CheckpointConfig& policy, int arriving) {
  if (policy.keepEpochs <= 0) return;
  const std::vector<fs::path> checkpoints = folder.epochCheckpoints();
  const auto keep = static_cast<std::size_t>(std::max(0, policy.keepEpochs - arriving));
  for (std::size_t i = 0; i + keep < checkpoints.size(); ++i) {
    std::error_code error;
    fs::remove(checkpoints[i], error);
  }
}

void publishEpochEnd(const RunFolder& folder,
                     const CheckpointConfig& policy,
                     const TrainingProgress& at) {
  if (at.epoch == 0 || at.batch > 0) return;
  const fs::path last = folder.lastCheckpoint();
  if (policy.keepBest && at.bestEpoch == at.epoch) publishAs(last, folder.bestCheckpoint());
  if (policy.everyEpochs > 0 && at.epoch % policy.everyEpochs == 0) {
    publishAs(last, folder.epochCheckpoint(at.epoch));
    prune(folder, policy);
  }
}

}  // namespace lambda
