#include "app/command_line/run_location.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/command_line/command.h"
#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/tensors/safetensors.h"
#include "engine/runs/run_export.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// The names of the entries of runs/.
std::vector<std::string> runNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(kRunsFolder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The name of the run in runs/ that was started last; empty where there is none.
std::string latestOf(const std::vector<std::string>& names) {
  std::string latest, start;
  for (const std::string& name : names) {
    const fs::path file = fs::path(kRunsFolder) / name / "run.json";
    std::vector<Problem> warnings;
    try {
      // ISO 8601 in UTC: the order of the texts is that of the times.
      const std::string started = readRunRecord(file, warnings).environment.started;
      if (latest.empty() || started >= start) latest = name, start = started;
    } catch (const Error&) {
      continue;  // Not a run, or one that can't be read.
    }
  }
  return latest;
}

}  // namespace

fs::path findRun(const std::string& given, const std::string& advice) {
  std::error_code error;
  if (fs::exists(given, error)) return fs::path(given);
  const fs::path byName = fs::path(kRunsFolder) / given;
  if (!given.empty() && fs::exists(byName, error)) return byName;
  const std::vector<std::string> names = runNames();
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string nearest = nearestName(fs::path(given).filename().string(), views);
  std::string hint = advice;
  if (!nearest.empty()) {
    hint = "Did you mean " + std::string(kRunsFolder) + "/" + nearest + "?";
  } else if (const std::string latest = latestOf(names); !latest.empty()) {
    hint += " The latest here is " + std::string(kRunsFolder) + "/" + latest + ".";
  }
  throw Error(given, "there is no such run", hint);
}

fs::path checkpointOf(const fs::path& found, CheckpointChoice choice) {
  std::error_code error;
  if (!fs::is_directory(found, error)) return found;
  const RunFolder folder = RunFolder::open(found);
  const bool wantsLast = choice == CheckpointChoice::last;
  if (wantsLast && fs::exists(folder.lastCheckpoint(), error)) return folder.lastCheckpoint();
  return folder.representativeCheckpoint();
}

void requireNoFileOfRun(const fs::path& out) {
  if (!isFileOfRun(out)) return;
  throw UsageError(
      out.string(), "this is a file of a run, which is never replaced", "Give another --out.");
}

std::string unverifiedNote(const fs::path& weights) {
  return "lambda: " + terminalText(weights.string()) +
         " has no digest, because it was exported: damage to its values can't be detected.\n";
}

}  // namespace lambda
