#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/values/run/curve.h"

namespace lambda {

/// The curves of one run that another program logged for TensorBoard.
struct ImportedLog {
  std::filesystem::path path;  ///< The folder of this run's event files.
  std::string name;            ///< For lists: the last two parts of the path.
  std::vector<Curve> curves;
  std::string damage;  ///< The damage in its files; empty where they are whole.

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

/// Reads one log. One that can't be read has no curves, and the reason as its damage.
ImportedLog readImportedLog(const std::filesystem::path& log,
                            const std::function<bool()>& isCancelled);

/// Reads the logs. Throws Error where there are neither logs nor runs.
std::vector<ImportedLog> readImportedLogs(const LogFolders& found,
                                          const std::function<bool()>& isCancelled);

}  // namespace lambda
