#include "app/runs/library/run_scanner.h"

#include <algorithm>
#include <string_view>

#include "engine/formats/json/run_json.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_search.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::string_view kRecordFileName = "run.json";
constexpr std::string_view kEvaluationsName = "evaluations.jsonl";

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
