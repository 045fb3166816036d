#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/runs/library/run_scanner.h"
#include "engine/values/run/curve.h"

namespace lambda {

/// The curves of one run that another program logged for TensorBoard.
struct ImportedLog {
  std::filesystem::path path;  ///< The folder of this run's event files.
  std::string name;            ///< For lists: the last two parts of the path.
  std::vector<Curve> curves;
  std::string remarks;  ///< Damage and repeated steps, a line for each file; mostly empty.

  bool operator==(const ImportedLog&) const = default;
};

/// The runs to list in and below a folder, ascending.
struct LogFolders {
  std::filesystem::path root;               ///< Absolute and normal.
  std::vector<std::filesystem::path> logs;  ///< One run of another program each.
  std::vector<std::filesystem::path>
      runs;  ///< Runs of this program, whose event files are no logs.
};

/// A folder with event files includes the folders with event files within it. Folders named like a
/// split of the data ("train", "validation") belong to their parent. Folders that can't be read are
/// left out. `isCancelled` is called between files; the result then contains what was found so far.
/// Throws Error where there are too many entries for a folder of logs, such as on a whole disk.
LogFolders findLogFolders(const std::filesystem::path& folder,
                          const std::function<bool()>& isCancelled);

/// Reads logs, and again when their files have changed. Not thread-safe.
class LogFollower {
 public:
  explicit LogFollower(std::function<bool()> isCancelled) : isCancelled_(std::move(isCancelled)) {}

  /// Reads a log, which poll() then follows. One that can't be read has no curves, and the reason
  /// as its remarks.
  ImportedLog read(const std::filesystem::path& log);

  /// Reads the logs that were found. Throws Error where there are neither logs nor runs.
  std::vector<ImportedLog> read(const LogFolders& found);

  void forget(const std::filesystem::path& log) { known_.erase(log); }

  /// The logs of which event files were written, added or removed since they were read.
  std::vector<ImportedLog> poll();

 private:
  using Stamps = std::map<std::filesystem::path, FileStamp>;

  Stamps stampsOf(const std::filesystem::path& log) const;

  std::function<bool()> isCancelled_;
  std::map<std::filesystem::path, Stamps> known_;
};

}  // namespace lambda
