#include "app/runs/library/imported_log.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Folders that programs make within a run for one split of the data.
constexpr std::array<std::string_view, 7> kDataParts{
    "train", "training", "validation", "val", "valid", "test", "eval"};

bool isDataPart(const std::string& name) {
  return std::find(kDataParts.begin(), kDataParts.end(), name) != kDataParts.end();
}

/// The file that a folder of this program's runs has beside its run.json.
constexpr std::string_view kRecordName = "run.json";
constexpr std::string_view kMetricsName = "metrics.jsonl";

constexpr int kDeepest = 16;
constexpr int kMostEntries = 200'000;

/// Calls visit(path) for every regular file below `folder`; links to folders are not followed.
template <class Visit>
void visitFiles(const fs::path& folder, const std::function<bool()>& isCancelled, Visit visit) {
  std::error_code error;
  fs::recursive_directory_iterator entry(
      folder, fs::directory_options::skip_permission_denied, error);
  int count = 0;
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (isCancelled()) return;
    if (++count > kMostEntries) {
      throw Error(folder.string(),
                  "holds more than " + std::to_string(kMostEntries) + " files and folders",
                  "Choose the folder of the logs itself.");
    }
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) visit(entry->path());
  }
}

/// The last two parts of the path, because many programs name the last one only by the date.
std::string shownName(const fs::path& run) {
  const fs::path above = run.parent_path().filename();
  return above.empty() ? run.filename().string() : (above / run.filename()).string();
}

/// Whether one of `folders` is `place` or one of its parents up to `root`.
bool isWithin(const std::set<fs::path>& folders, fs::path place, const fs::path& root) {
  while (!folders.contains(place)) {
    if (place == root) return false;
    place = place.parent_path();
  }
  return true;
}

/// The runs of other programs that the event files in `holders` belong to.
std::set<fs::path> logsOf(const std::set<fs::path>& holders, const fs::path& root) {
  std::set<fs::path> logs;
  for (fs::path log : holders) {
    while (log != root && isDataPart(log.filename().string())) log = log.parent_path();
    for (fs::path place = log; place != root;) {
      place = place.parent_path();
      if (holders.contains(place)) log = place;
    }
    logs.insert(log);
  }
  return logs;
}

/// Reads one log. One that can't be read has no curves, and the reason as its remarks.
ImportedLog readImportedLog(const fs::path& path, const std::function<bool()>& isCancelled) {
  ImportedLog log{path, shownName(path), {}, {}};
  try {
    EventFolder folder = readEventFolder(path, isCancelled);
    log.curves = std::move(folder.curves);
    for (const EventRemark& remark : folder.remarks) {
      if (!log.remarks.empty()) log.remarks += '\n';
      log.remarks += remark.file.filename().string() + ": " + remark.text;
    }
  } catch (const Error& error) {
    log.remarks = error.what();
  }
  return log;
}

}  // namespace

LogFolders findLogFolders(const fs::path& folder, const std::function<bool()>& isCancelled) {
  LogFolders found;
  found.root = fs::absolute(folder).lexically_normal();
  if (!found.root.has_filename()) found.root = found.root.parent_path();
  std::set<fs::path> holders, runs;
  visitFiles(found.root, isCancelled, [&](const fs::path& file) {
    const fs::path place = file.parent_path();
    std::error_code ignored;
    if (isEventFile(file)) holders.insert(place);
    if (file.filename() == kRecordName && fs::exists(place / kMetricsName, ignored)) {
      runs.insert(place);
    }
  });
  std::erase_if(holders, [&](const fs::path& place) { return isWithin(runs, place, found.root); });
  const std::set<fs::path> logs = logsOf(holders, found.root);
  std::copy_if(logs.begin(), logs.end(), std::back_inserter(found.logs), [&](const fs::path& log) {
    return log == found.root || !isWithin(logs, log.parent_path(), found.root);
  });
  found.runs.assign(runs.begin(), runs.end());
  return found;
}

LogFollower::Stamps LogFollower::stampsOf(const fs::path& log) const {
  Stamps stamps;
  try {
    visitFiles(log, isCancelled_, [&](const fs::path& file) {
      if (isEventFile(file)) stamps.emplace(file, stampOf(file));
    });
  } catch (const Error&) {
    // Too many files to follow: reading the log says so.
  }
  return stamps;
}

ImportedLog LogFollower::read(const fs::path& log) {
  // Taken before reading: a write in the meantime changes the stamps and causes another read.
  known_[log] = stampsOf(log);
  return readImportedLog(log, isCancelled_);
}

std::vector<ImportedLog> LogFollower::read(const LogFolders& found) {
  // readEventFolder() throws where there is nothing to read, and names what it looked for.
  if (found.logs.empty() && found.runs.empty() && !isCancelled_()) readEventFolder(found.root);
  std::vector<ImportedLog> logs;
  for (const fs::path& log : found.logs) {
    if (isCancelled_()) break;
    logs.push_back(read(log));
  }
  return logs;
}

std::vector<ImportedLog> LogFollower::poll() {
  std::vector<ImportedLog> news;
  for (const auto& [log, stamps] : known_) {
    if (isCancelled_()) break;
    if (stampsOf(log) != stamps) news.push_back(read(log));
  }
  return news;
}

}  // namespace lambda
