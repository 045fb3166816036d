#include "app/runs/library/library_worker.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <QElapsedTimer>
#include <QThread>

#include "app/runs/library/run_edits.h"
#include "app/runs/library/run_files.h"
#include "app/runs/run_command.h"
#include "app/runs/run_library.h"
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

bool LibraryWorker::isEnding() {
  return QThread::currentThread()->isInterruptionRequested();
}

template <class Task>
void LibraryWorker::answer(Task task) {
  QMetaObject::invokeMethod(&library_, std::move(task), Qt::QueuedConnection);
}

template <class Task>
void LibraryWorker::attempt(const fs::path& run, Task task) {
  try {
    task();
  } catch (const std::exception& error) {
    // The hint is a separate line, indented for a terminal.
    const QString reason = QString::fromStdString(error.what()).replace(u"\n  "_s, u"\n"_s);
    answer([&library = library_, run, reason] { Q_EMIT library.refused(run, reason); });
  }
}

void LibraryWorker::begin() {
  watcher_ = new QFileSystemWatcher(this);
  scanTimer_ = new QTimer(this);
  scanTimer_->setSingleShot(true);
  metricsTimer_ = new QTimer(this);
  metricsTimer_->setInterval(kMetricsMs);
  connect(scanTimer_, &QTimer::timeout, this, &LibraryWorker::scan);
  connect(metricsTimer_, &QTimer::timeout, this, &LibraryWorker::pollMetrics);
  connect(watcher_, &QFileSystemWatcher::directoryChanged, this, [this] {
    if (scanTimer_->remainingTime() > kScanDelayMs) scanTimer_->start(kScanDelayMs);
  });
  metricsTimer_->start();
}

void LibraryWorker::watch(const fs::path& folder, bool isStandard) {
  folder_ = folder;
  isStandard_ = isStandard;
  scanner_.forget();
  if (!watcher_->directories().isEmpty()) watcher_->removePaths(watcher_->directories());
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
      answer([&library = library_, path, reason] { Q_EMIT library.refused(path, reason); });
    } else {
      folders.insert(folder);
    }
  }
  for (const fs::path& folder : folders) {
    std::error_code error;
    const bool isRun = fs::exists(folder / kRecord, error);
    const bool isListed = scanner_.isKnown(folder);
    answer([&library = library_, folder, isRun, isListed] {
      Q_EMIT library.opened(folder);
      if (isRun && !isListed) library.addRun(folder);
      if (!isRun) library.importLog(folder);
    });
  }
}

void LibraryWorker::findCommand(const RunSummary& run) {
  answer(
      [&library = library_, command = commandFor(run)] { Q_EMIT library.commandFound(command); });
}

void LibraryWorker::write(const fs::path& path, const QByteArray& content) {
  report(path, u"Saved %1."_s.arg(toText(path)), saveFile(toText(path), content));
}

void LibraryWorker::report(const fs::path& file, const QString& sentence, const QString& problem) {
  const QString reason =
      u"Could not write %1: %2. Choose another file."_s.arg(toText(file), problem);
  answer([&library = library_, file, sentence, isWritten = problem.isEmpty(), reason] {
    if (isWritten) {
      Q_EMIT library.written(file, sentence);
    } else {
      Q_EMIT library.refused(file, reason);
    }
  });
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
      if (isNew) answer([&library = library_, run] { library.removeRun(run); });
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
  RunScanner::Result result = scanner_.scan(folder_, added_, isEnding);
  if (!result.isWhole && report.text.isEmpty()) {
    report.text =
        u"%1 holds too many folders to search all of them for runs. Choose the folder "
        "of the runs itself, or open the missing runs one by one."_s.arg(toText(folder_));
  }
  watchPlaces(result.news);
  for (const ImportedLog& log : logs_.poll()) {
    if (isEnding()) return;
    answer([&library = library_, log] { library.takeLogAgain(log); });
  }
  answer([&library = library_, result = std::move(result), report]() mutable {
    library.take(result.paths, std::move(result.news), report.state, report.text);
  });
  scanTimer_->start(static_cast<int>(std::max<qint64>(kScanMs, kRest * timer.elapsed())));
}

void LibraryWorker::watchPlaces(const std::vector<RunSummary>& news) {
  // A folder that was missing and is back needs a new watch; a watched one is not added twice.
  std::error_code error;
  if (fs::is_directory(folder_, error)) watcher_->addPath(toText(folder_));
  for (const RunSummary& run : news) {
    if (run.isLive) {
      watcher_->addPath(toText(run.path));
    } else if (watcher_->directories().contains(toText(run.path))) {
      watcher_->removePath(toText(run.path));
    }
  }
}

void LibraryWorker::follow(const fs::path& run) {
  publish(follower_.follow(run));
}

void LibraryWorker::pollMetrics() {
  for (MetricsFollower::News& news : follower_.poll()) publish(std::move(news));
}

void LibraryWorker::publish(MetricsFollower::News news) {
  answer([&library = library_, news = std::move(news)] {
    library.takeMetrics(news.run, news.metrics, QString::fromStdString(news.problem));
  });
}

void LibraryWorker::importLog(const fs::path& folder) {
  attempt(folder, [&] {
    const LogFolders found = findLogFolders(folder, isEnding);
    const std::vector<ImportedLog> logs = logs_.read(found);
    answer([&library = library_, logs] { library.takeLogs(logs); });
    if (found.runs.empty()) return;
    scan();
    std::vector<fs::path> runs;
    std::remove_copy_if(found.runs.begin(),
                        found.runs.end(),
                        std::back_inserter(runs),
                        [this](const fs::path& run) { return scanner_.isKnown(run); });
    answer([&library = library_, runs] { library.takeFoundRuns(runs); });
  });
}

void LibraryWorker::readLog(const fs::path& log) {
  ImportedLog read = logs_.read(log);
  if (isEnding()) return;
  answer([&library = library_, read = std::move(read)] { library.takeLogAgain(read); });
}

void LibraryWorker::listFiles(const fs::path& run) {
  answer([&library = library_, run, files = runFilesOf(run)] {
    Q_EMIT library.filesListed(run, files);
  });
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
    answer([&library = library_, run, to] { library.takeRenaming(run, to); });
    scan();
  });
}

void LibraryWorker::trash(const fs::path& run) {
  attempt(run, [&] {
    const fs::path trashed = trashRun(run);
    follower_.forget(run);
    answer([&library = library_, run, trashed] { Q_EMIT library.trashed(run, trashed); });
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
