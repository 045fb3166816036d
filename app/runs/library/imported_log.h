#pragma once

#include <filesystem>
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

/// The folders below `folder`, or itself, that are a run each, ascending. Folders with event files
/// within a folder with event files belong to it, as do those that are called like a part of the
/// data ("train", "validation").
std::vector<std::filesystem::path> logFoldersBelow(const std::filesystem::path& folder);

/// Reads a log folder, or one that holds several. Throws Error where there is no event file that
/// can be read.
std::vector<ImportedLog> readImportedLogs(const std::filesystem::path& folder);

}  // namespace lambda
