#include "app/runs/library/run_files.h"

#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::string_view kEpochStart = "epoch-";

std::optional<int> epochsDoneIn(const fs::path& checkpoint) {
  const std::string stem = checkpoint.stem().string();
  if (stem.starts_with(kEpochStart)) {
    int epoch = 0;
    const char* end = stem.data() + stem.size();
    const auto parsed = std::from_chars(stem.data() + kEpochStart.size(), end, epoch);
    if (parsed.ec == std::errc() && parsed.ptr == end) return epoch;
  }
  try {
    return readCheckpointHeader(checkpoint).progress.epoch;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::uint64_t totalBytesOf(const fs::path& folder) {
  // The best checkpoint is another name of an epoch's file.
  std::set<std::pair<dev_t, ino_t>> counted;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat status {};

    if (::lstat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (!counted.emplace(status.st_dev, status.st_ino).second) continue;
    total += static_cast<std::uint64_t>(status.st_size);
  }
  return total;
}

}  // namespace

RunFiles runFilesOf(const fs::path& run) {
  RunFiles files;
  try {
    for (const fs::path& path : RunFolder::open(run).checkpointsNewestFirst()) {
      std::error_code error;
      const std::uintmax_t bytes = fs::file_size(path, error);
      if (!error) files.checkpoints.push_back({path, bytes, epochsDoneIn(path)});
    }
  } catch (const Error&) {
    return files;
  }
  files.totalBytes = totalBytesOf(run);
  return files;
}

}  // namespace lambda
