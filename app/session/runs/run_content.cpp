#include "app/session/runs/run_content.h"

#include <algorithm>
#include <utility>

#include "engine/formats/json/run_json.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

std::vector<fs::path> checkpointsOf(const fs::path& run) {
  std::vector<fs::path> found;
  try {
    const RunFolder folder = RunFolder::open(run);
    std::error_code error;
    for (const fs::path& path : {folder.bestCheckpoint(), folder.lastCheckpoint()}) {
      if (fs::exists(path, error)) found.push_back(path);
    }
    const std::vector<fs::path> epochs = folder.epochCheckpoints();
    found.insert(found.end(), epochs.rbegin(), epochs.rend());
  } catch (const Error&) {
    // A run without a readable folder has no checkpoints to offer.
  }
  return found;
}

RunContent readRunContent(const fs::path& run) {
  RunContent content;
  content.run.path = run;
  content.run.name = run.filename().string();
  try {
    std::vector<Problem> warnings;
    const RunFolder folder = RunFolder::open(run);
    content.run.record = readRunRecord(folder.record(), warnings);
    content.run.record.testEvaluations = testEvaluationsOf(folder, content.run.record);
    content.checkpoints = checkpointsOf(run);
  } catch (const std::exception& error) {
    content.run.problem = error.what();
  }
  return content;
}

std::pair<fs::path, fs::path> firstAndLastOf(const std::vector<fs::path>& checkpoints) {
  if (checkpoints.empty()) return {};
  const auto isLast = [](const fs::path& path) { return path.stem() == "last"; };
  const auto last = std::ranges::find_if(checkpoints, isLast);
  // The oldest epoch is the last entry; without files of epochs, the best weights.
  const fs::path& first = isLast(checkpoints.back()) ? checkpoints.front() : checkpoints.back();
  return {first, last == checkpoints.end() ? checkpoints.front() : *last};
}

fs::path lastCheckpointOf(const fs::path& run) {
  return run / "checkpoints/last.safetensors";
}

bool isCheckpointFile(const fs::path& path) {
  return path.extension() == ".safetensors";
}

fs::path runFolderOf(const fs::path& path) {
  return isCheckpointFile(path) ? path.parent_path().parent_path() : path;
}

}  // namespace lambda
