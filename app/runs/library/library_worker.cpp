#include "app/runs/library/library_worker.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <QElapsedTimer>

#include "app/runs/library/run_edits.h"
#include "app/runs/library/run_files.h"
#include "app/runs/run_command.h"
#include "app/runs/run_row.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "widgets/export/saved_file.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr int kScanMs = 1000;
/// Changes within this time are read together.
constexpr int kScanDelayMs = 50;
constexpr int kMetricsMs = 400;
/// A slow scan, as over a network, is followed by this many times its duration of rest.
constexpr qint64 kRest = 10;

constexpr std::string_view kRecord = "run.json";
constexpr std::string_view kCheckpointsFolder = "checkpoints";
constexpr std::string_view kEventFile = "tfevents";

/// The folder that a path belongs to: that of a run or a log where the path is a file in one; empty
/// for any other file.
fs::path folderFor(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error) || fs::is_directory(path, error)) return path;
  const fs::path parent = path.parent_path();
  const std::string name = path.filename().string();
  if (parent.filename() == kCheckpointsFolder) return parent.parent_path();
  const bool isPart =
      name.find(kEventFile) != std::string::npos || fs::exists(parent / kRecord, error);
  return isPart ? parent : fs::path();
}

struct FolderReport {
  LibraryState state = LibraryState::ready;
  QString text;
};

FolderReport reportOn(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) {
    return {
        LibraryState::missing,
        u"There is no folder %1. Was it moved, or is its disk not mounted?"_s.arg(toText(folder))};
  }
  if (!error && status.type() != fs::file_type::directory) {
    return {LibraryState::failed, u"%1 is not a folder."_s.arg(toText(folder))};
  }
  if (!error) fs::directory_iterator(folder, error);
  if (error) {
    return {LibraryState::failed,
            u"%1 can't be read: %2."_s.arg(toText(folder),
                                           QString::fromLocal8Bit(error.message().c_str()))};
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return {
        LibraryState::readOnly,
        u"%1 can't be written: its runs can be inspected, but no run can be trained in it."_s.arg(
            toText(folder))};
  }
  return {};
}

}  // namespace

LibraryWorker::LibraryWorker(std::function<bool()> isEnding) : isEnding_(std::move(isEnding)) {
  scanTimer_.setSingleShot(true);
  connect(&scanTimer_, &QTimer::timeout, this, &LibraryWorker::scan);
  connect(&metricsTimer_, &QTimer::timeout, this, &LibraryWorker::pollMetrics);
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, [this] {
    if (scanTimer_.remainingTime() > kScanDelayMs) scanTimer_.start(kScanDelayMs);
  });
  metricsTimer_.start(kMetricsMs);
}

template <class Task>
void LibraryWorker::attempt(const fs::path& run, Task task) {
  try {
    task();
  } catch (const std::exception& error) {
    // The hint is a separate line, indented for a terminal.
    const QString reason = QString::fromStdString(error.what()).replace(u"\n  "_s, u"\n"_s);
    Q_EMIT refused(run, reason);
  }
}

void LibraryWorker::watch(const fs::path& folder, bool isStandard) {
  folder_ = folder;
  isStandard_ = isStandard;
  scanner_.forget();
  if (!watcher_.directories().isEmpty()) watcher_.removePaths(watcher_.directories());
  scan();
}

void LibraryWorker::open(const std::vector<fs::path>& paths) {
  std::set<fs::path> folders;
  for (const fs::path& path : paths) {
    const fs::path folder = folderFor(path);
    if (folder.empty()) {
      const QString reason =
          u"Could not open %1: it is neither part of a run nor a TensorBoard log. Open the "
          "folder of a run, or one with event files."_s.arg(toText(path));
      Q_EMIT refused(path, reason);
    } else {
      folders.insert(folder);
    }
  }
  for (const fs::path& folder : folders) {
    std::error_code error;
    Q_EMIT found(folder, fs::exists(folder / kRecord, error), scanner_.isKnown(folder));
  }
}

void LibraryWorker::findCommand(const RunSummary& run) {
  Q_EMIT commandFound(commandFor(run));
}

void LibraryWorker::write(const fs::path& path, const QByteArray& content) {
  const QString problem = saveFile(toText(path), content);
  if (problem.isEmpty()) {
    Q_EMIT written(path, u"Saved %1."_s.arg(toText(path)));
  } else {
    Q_EMIT refused(path,
                   u"Could not write %1: %2. Choose another file."_s.arg(toText(path), problem));
  }
}

void LibraryWorker::setAdded(std::vector<fs::path> added) {
  added_ = std::move(added);
  scan();
}

void LibraryWorker::check(const fs::path& run, bool isNew) {
  attempt(run, [&] {
    try {
      RunFolder::open(run);
    } catch (const Error&) {
      if (isNew) Q_EMIT noRun(run);
      throw;
    }
  });
}

void LibraryWorker::refresh() {
  scanner_.forget();
  scan();
  pollMetrics();
}

void LibraryWorker::scan() {
  if (folder_.empty()) return;
  std::error_code ignored;
  if (isStandard_) fs::create_directories(folder_, ignored);
  QElapsedTimer timer;
  timer.start();
  FolderReport report = reportOn(folder_);
  RunScanner::Result result = scanner_.scan(folder_, added_, isEnding_);
  if (!result.isWhole && report.text.isEmpty()) {
    report.text =
        u"%1 holds too many folders to search all of them for runs. Choose the folder "
        "of the runs itself, or open the missing runs one by one."_s.arg(toText(folder_));
  }
  watchPlaces(result.news);
  for (const ImportedLog& log : logs_.poll()) {
    if (isEnding_()) return;
    Q_EMIT logRead(log);
  }
  Q_EMIT scanned(result.paths, result.news, report.state, report.text);
  scanTimer_.start(static_cast<int>(std::max<qint64>(kScanMs, kRest * timer.elapsed())));
}

void LibraryWorker::watchPlaces(const std::vector<RunSummary>& news) {
  // A folder that was missing and is back needs a new watch; a watched one is not added twice.
  std::error_code error;
  if (fs::is_directory(folder_, error)) watcher_.addPath(toText(folder_));
  for (const RunSummary& run : news) {
    if (run.isLive) {
      watcher_.addPath(toText(run.path));
    } else if (watcher_.directories().contains(toText(run.path))) {
      watcher_.removePath(toText(run.path));
    }
  }
}

void LibraryWorker::follow(const fs::path& run) {
  Q_EMIT metricsRead(follower_.follow(run));
}

void LibraryWorker::pollMetrics() {
  for (const MetricsFollower::News& news : follower_.poll()) Q_EMIT metricsRead(news);
}

void LibraryWorker::importLog(const fs::path& folder) {
  attempt(folder, [&] {
    const LogFolders found = findLogFolders(folder, isEnding_);
    Q_EMIT logsImported(logs_.read(found));
    if (found.runs.empty()) return;
    scan();
    std::vector<fs::path> runs;
    std::remove_copy_if(found.runs.begin(),
                        found.runs.end(),
                        std::back_inserter(runs),
                        [this](const fs::path& run) { return scanner_.isKnown(run); });
    Q_EMIT runsMet(runs);
  });
}

void LibraryWorker::readLog(const fs::path& log) {
  const ImportedLog read = logs_.read(log);
  if (!isEnding_()) Q_EMIT logRead(read);
}

void LibraryWorker::listFiles(const fs::path& run) {
  Q_EMIT filesListed(run, runFilesOf(run));
}

void LibraryWorker::edit(const fs::path& run, const std::function<void(RunRecord&)>& change) {
  attempt(run, [&] {
    editRecord(run, change);
    scan();
  });
}

void LibraryWorker::rename(const fs::path& run, const std::string& name) {
  attempt(run, [&] {
    const fs::path to = renameRun(run, name);
    follower_.forget(run);
    std::replace(added_.begin(), added_.end(), run, to);
    Q_EMIT renamed(run, to);
    scan();
  });
}

void LibraryWorker::trash(const fs::path& run) {
  attempt(run, [&] {
    const fs::path place = trashRun(run);
    follower_.forget(run);
    Q_EMIT trashed(run, place);
    scan();
  });
}

void LibraryWorker::restore(const fs::path& trashed, const fs::path& run) {
  attempt(run, [&] {
    restoreRun(trashed, run);
    scan();
  });
}

}  // namespace lambda
