#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "app/session/runs/run_summary.h"
#include "engine/formats/files/file_stamp.h"

namespace lambda {

/// Reads the records of run folders, each again only when its file has changed.
class RunScanner {
 public:
  struct Result {
    std::vector<std::filesystem::path> paths;  ///< All runs that exist, ascending.
    std::vector<RunSummary> news;              ///< The runs that are new or have changed.
    bool isWhole = true;  ///< False where the folder holds too much to be searched completely.
  };

  /// The runs that findRuns() finds below `folder`, and those at `added`. A run.json that can't be
  /// read makes a run with a problem. `isCancelled` is called between folders; the result then
  /// contains what was read so far.
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
