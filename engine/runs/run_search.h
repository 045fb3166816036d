#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace lambda {

/// Folders between a folder of runs and a run in it, as programs that try many settings make them.
inline constexpr int kDeepestRun = 6;

/// Whether a folder is that of a run: it has a run.json.
bool isRun(const std::filesystem::path& folder);

/// Adds the runs below `folder` to `runs`, the nearest first, some folders deep. Links to runs
/// count, links to other folders and hidden folders are not searched, and neither is what lies in a
/// run. Folders that can't be read and broken links are left out. `isCancelled` is called between
/// folders. False where there was too much to look at.
bool findRuns(const std::filesystem::path& folder,
              const std::function<bool()>& isCancelled,
              std::vector<std::filesystem::path>& runs);

}  // namespace lambda
