#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/values/curve.h"

namespace lambda {

/// The curves of one run that another program logged for TensorBoard.
struct ImportedLog {
  std::filesystem::path path;  ///< The folder of this run's event files.
  std::string name;            ///< As lists show it: the last parts of the path.
  std::vector<Curve> curves;
  std::string problem;  ///< Why nothing could be read; then there are no curves.

  bool operator==(const ImportedLog&) const = default;
};

/// Takes the curves of a folder, named as readEventFolder() names them, apart into one log a run.
/// What a curve's name begins with is a run where it is a folder on the disk; folders that are
/// called like a part of the data ("train", "validation") belong to the curve's name.
std::vector<ImportedLog> splitIntoLogs(const std::filesystem::path& folder,
                                       const std::vector<Curve>& curves);

/// Reads what a person points to: a log folder, one that holds several, or one event file's.
/// A folder that can't be read comes back as one log with its problem.
std::vector<ImportedLog> readImportedLogs(const std::filesystem::path& folder);

}  // namespace lambda
