#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/values/run/run_record.h"

namespace lambda {

// Changes to a run folder that no process trains in. Each holds the run's lock while it works and
// throws Error where another process holds it, the folder is no run, or the disk fails.

/// Changes what run.json says.
void editRecord(const std::filesystem::path& run, const std::function<void(RunRecord&)>& change);

/// The folder's name for a run called `name`: the date and time that `folder` begins with, if it
/// does, and the name as one part of a path. Throws Error for a name that is empty, too long, or
/// contains line breaks.
std::string folderNameFor(const std::string& folder, const std::string& name);

/// Gives the run another name and its folder the name folderNameFor(), both or neither. Returns the
/// folder's new path. Also throws Error where that path exists.
std::filesystem::path renameRun(const std::filesystem::path& run, const std::string& name);

/// Moves the folder to the system's trash and returns its path there.
std::filesystem::path trashRun(const std::filesystem::path& run);

/// Moves a folder from the trash back to where it was.
void restoreRun(const std::filesystem::path& trashed, const std::filesystem::path& run);

}  // namespace lambda
