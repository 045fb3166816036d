#include "app/runs/library/imported_log.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include "engine/formats/tensorboard_events.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// TensorBoard itself goes by this part of a file's name.
constexpr std::string_view kEventFileMark = "tfevents";

/// Folders that programs make for one part of the data within a run.
constexpr std::array<std::string_view, 7> kDataParts{
    "train", "training", "validation", "val", "valid", "test", "eval"};

bool isDataPart(const std::string& name) {
  return std::find(kDataParts.begin(), kDataParts.end(), name) != kDataParts.end();
}

bool isEventFile(const fs::path& file) {
  return file.filename().string().find(kEventFileMark) != std::string::npos;
}

/// Calls visit(path) for every event file below `folder`.
template <class Visit>
void visitEventFiles(const fs::path& folder, Visit visit) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (isEventFile(entry->path())) visit(entry->path());
  }
}

/// The last two parts of its path: programs name the last one alone by the date.
std::string shownName(const fs::path& run) {
  const fs::path above = run.parent_path().filename();
  return above.empty() ? run.filename().string() : (above / run.filename()).string();
}

/// What of the event files below `folder` is damaged, one sentence a file.
std::string damageBelow(const fs::path& folder) {
  std::string damage;
  visitEventFiles(folder, [&](const fs::path& file) {
    std::string found;
    try {
      const EventLog log = readEvents(file);
      if (log.damagedRecords > 0) {
        found = std::to_string(log.damagedRecords) + " damaged records left out";
      }
      if (log.incomplete) found += found.empty() ? "cut off at its end" : ", cut off at its end";
    } catch (const Error& failure) {
      found = failure.reason();
    }
    if (found.empty()) return;
    if (!damage.empty()) damage += '\n';
    damage += file.filename().string() + ": " + found;
  });
  return damage;
}

}  // namespace

std::vector<fs::path> logFoldersBelow(const fs::path& folder) {
  std::set<fs::path> holders;
  visitEventFiles(folder, [&](const fs::path& file) { holders.insert(file.parent_path()); });
  std::set<fs::path> runs;
  for (fs::path run : holders) {
    while (run != folder && isDataPart(run.filename().string())) run = run.parent_path();
    for (fs::path place = run; place != folder;) {
      place = place.parent_path();
      if (holders.contains(place)) run = place;
    }
    runs.insert(run);
  }
  const auto isWithinAnother = [&](const fs::path& run) {
    for (fs::path place = run; place != folder;) {
      place = place.parent_path();
      if (runs.contains(place)) return true;
    }
    return false;
  };
  std::vector<fs::path> list;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(list), std::not_fn(isWithinAnother));
  return list;
}

std::vector<ImportedLog> readImportedLogs(const fs::path& folder) {
  fs::path clean = fs::absolute(folder).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();
  const std::vector<fs::path> runs = logFoldersBelow(clean);
  // Where there is nothing to read this one throws, and says what it looked for.
  if (runs.empty()) readEventFolder(clean);
  std::vector<ImportedLog> logs;
  for (const fs::path& run : runs) {
    ImportedLog log{run, shownName(run), {}, damageBelow(run)};
    try {
      log.curves = readEventFolder(run);
    } catch (const Error& error) {
      log.damage = error.what();
    }
    logs.push_back(std::move(log));
  }
  return logs;
}

}  // namespace lambda
