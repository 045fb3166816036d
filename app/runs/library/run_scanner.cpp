#include "app/runs/library/run_scanner.h"

#include <algorithm>
#include <deque>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "engine/formats/json/run_json.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::string_view kRecordFileName = "run.json";
constexpr std::string_view kEvaluationsName = "evaluations.jsonl";

/// Folders between the library and a run in it, as programs that try many settings make them.
constexpr int kDeepestRun = 4;
/// Entries of folders within the library that are looked at in one scan.
constexpr int kMostSearched = 20'000;

bool isRun(const fs::path& folder) {
  return stampOf(folder / kRecordFileName) != FileStamp{};
}

/// Whether runs are searched for in a folder that is no run itself.
bool isSearched(const fs::directory_entry& entry) {
  std::error_code ignored;
  return !entry.is_symlink(ignored) && !entry.path().filename().string().starts_with('.');
}

/// Adds the runs below `folder` to `runs`, the nearest first. False where there was too much to
/// look at.
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

RunSummary readSummary(const fs::path& run) {
  RunSummary summary;
  summary.path = run;
  summary.name = run.filename().string();
  try {
    std::vector<Problem> ignored;
    summary.record = readRunRecord(run / kRecordFileName, ignored);
    summary.record.testEvaluations = testEvaluationsOf(RunFolder::open(run), summary.record);
  } catch (const Error& error) {
    summary.problem = error.what();
  }
  return summary;
}

/// A lock on a run that has ended belongs to an edit.
bool isLive(const RunSummary& summary) {
  const RunStatus status = summary.record.status;
  if (!summary.problem.empty()) return false;
  if (status != RunStatus::running && status != RunStatus::paused) return false;
  try {
    return RunLock::isHeld(RunFolder::open(summary.path));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

FileStamp stampOf(const fs::path& file) {
  struct stat status {};

  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return {status.st_ino,
          static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

RunScanner::Result RunScanner::scan(const fs::path& folder,
                                    const std::vector<fs::path>& added,
                                    const std::function<bool()>& isCancelled) {
  Result result;
  std::vector<fs::path> candidates = added;
  result.isWhole = findRuns(folder, isCancelled, candidates);
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());

  for (const fs::path& run : candidates) {
    if (isCancelled()) return result;
    look(run, result);
  }
  std::erase_if(known_, [&](const auto& entry) {
    return !std::binary_search(result.paths.begin(), result.paths.end(), entry.first);
  });
  return result;
}

void RunScanner::look(const fs::path& run, Result& result) {
  const FileStamp stamp = stampOf(run / kRecordFileName);
  if (stamp == FileStamp{}) return;
  result.paths.push_back(run);
  const FileStamp evaluations = stampOf(run / kEvaluationsName);
  const auto [entry, isNew] = known_.try_emplace(run);
  Known& known = entry->second;
  const bool wasLive = known.summary.isLive;
  const bool isStale = isNew || known.stamp != stamp || known.evaluations != evaluations;
  if (isStale) known = {stamp, evaluations, readSummary(run)};
  known.summary.isLive = isLive(known.summary);
  if (isStale || known.summary.isLive != wasLive) result.news.push_back(known.summary);
}

}  // namespace lambda
