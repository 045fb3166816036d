#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/values/curve.h"

namespace lambda {

/// The curves of one run that another program logged for TensorBoard.
struct ImportedLog {
  std::filesystem::path path;  ///< The folder of this run's event files.
  std::string name;            ///< As lists show it: the last two parts of the path.
  std::vector<Curve> curves;
  std::string damage;  ///< What of its files could not be read; empty where they are whole.

  bool operator==(const ImportedLog&) const = default;
};

/// What there is to list below a folder, or in itself, ascending.
struct LogFolders {
  std::filesystem::path root;               ///< Absolute and normal.
  std::vector<std::filesystem::path> logs;  ///< A foreign run each.
  std::vector<std::filesystem::path> runs;  ///< Of this program, whose event files are no logs.
};

/// Folders with event files within a folder with event files belong to it, as do those that are
/// called like a part of the data ("train", "validation"). Folders that can't be read are left out.
/// `isCancelled` is asked between files; the result then has what was found so far. Throws Error
/// where there is more than anybody's logs: a whole disk.
LogFolders findLogFolders(const std::filesystem::path& folder,
                          const std::function<bool()>& isCancelled);

/// Reads the logs. Throws Error where there are neither logs nor runs.
std::vector<ImportedLog> readImportedLogs(const LogFolders& found,
                                          const std::function<bool()>& isCancelled);

}  // namespace lambda
