#include "engine/runs/run_search.h"

#include <deque>
#include <system_error>
#include <utility>

#include "engine/formats/files/file_stamp.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Entries of folders within the library that are looked at in one scan.
constexpr int kMostSearched = 20'000;

/// Whether runs are searched for in a folder that is no run itself.
bool isSearched(const fs::directory_entry& entry) {
  std::error_code ignored;
  return !entry.is_symlink(ignored) && !entry.path().filename().string().starts_with('.');
}

}  // namespace

bool isRun(const fs::path& folder) {
  return stampOf(folder / "run.json") != FileStamp{};
}

bool findRuns(const fs::path& folder,
              const std::function<bool()>& isCancelled,
              std::vector<fs::path>& runs) {
  std::deque<std::pair<fs::path, int>> places{{folder, 0}};
  for (int entries = 0; !places.empty() && !isCancelled(); places.pop_front()) {
    const auto [place, depth] = places.front();
    std::error_code error;
    fs::directory_iterator entry(place, fs::directory_options::skip_permission_denied, error);
    for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
      if (depth > 0 && ++entries > kMostSearched) return false;
      std::error_code ignored;
      if (!entry->is_directory(ignored)) continue;
      if (isRun(entry->path())) {
        runs.push_back(entry->path());
      } else if (depth < kDeepestRun && isSearched(*entry)) {
        places.emplace_back(entry->path(), depth + 1);
      }
    }
  }
  return true;
}

}  // namespace lambda
