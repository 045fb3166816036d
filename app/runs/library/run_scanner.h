#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "app/session/runs/run_summary.h"

namespace lambda {

/// Tells whether a file has changed since it was read.
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< Nanoseconds since 1970.

  bool operator==(const FileStamp&) const = default;
};

/// All 0 where there is no such regular file.
FileStamp stampOf(const std::filesystem::path& file);

/// Reads the records of run folders, each again only when its file has changed.
class RunScanner {
 public:
  struct Result {
    std::vector<std::filesystem::path> paths;  ///< All runs that exist, ascending.
    std::vector<RunSummary> news;              ///< The runs that are new or have changed.
    bool isWhole = true;  ///< False where the folder holds too much to be searched completely.
  };

  /// The runs below `folder`, some folders deep, and those at `added`. Links to runs count, links
  /// to other folders and hidden folders are not searched, and neither is what lies in a run.
  /// Folders that can't be read and broken links are left out. A run.json that can't be read makes
  /// a run with a problem. `isCancelled` is called between folders; the result then contains what
  /// was read so far.
  Result scan(const std::filesystem::path& folder,
              const std::vector<std::filesystem::path>& added,
              const std::function<bool()>& isCancelled);

  /// Whether the last scan has found the run.
  bool isKnown(const std::filesystem::path& run) const { return known_.contains(run); }

  /// Makes the next scan read and report everything again.
  void forget() { known_.clear(); }

 private:
  struct Known {
    FileStamp stamp;
    FileStamp evaluations;
    RunSummary summary;
  };

  void look(const std::filesystem::path& run, Result& result);

  std::map<std::filesystem::path, Known> known_;
};

}  // namespace lambda
