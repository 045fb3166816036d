#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include "app/runs/library/imported_log.h"
#include "app/runs/library/metrics_follower.h"
#include "app/runs/library/run_scanner.h"
#include "app/runs/run_library.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// The part of a RunLibrary that accesses the disk. It lives on the library's thread. `isEnding`:
/// whether the program waits for the end of that thread.
class LibraryWorker : public QObject {
  Q_OBJECT

 public:
  explicit LibraryWorker(std::function<bool()> isEnding);

  void watch(const std::filesystem::path& folder, bool isStandard);
  void open(const std::vector<std::filesystem::path>& paths);
  void findCommand(const RunSummary& run);
  void write(const std::filesystem::path& file, const QByteArray& content);
  /// The runs from elsewhere that are listed too.
  void setAdded(std::vector<std::filesystem::path> added);
  /// Refuses a folder that is no run; `isNew`: it is then taken off the list.
  void check(const std::filesystem::path& run, bool isNew);
  void refresh();

  void follow(const std::filesystem::path& run);

  void forgetMetrics(const std::filesystem::path& run) { follower_.forget(run); }

  void importLog(const std::filesystem::path& folder);
  /// Reads a log that was imported before.
  void readLog(const std::filesystem::path& log);

  void forgetLog(const std::filesystem::path& log) { logs_.forget(log); }

  void listFiles(const std::filesystem::path& run);

  void edit(const std::filesystem::path& run, const std::function<void(RunRecord&)>& change);
  void rename(const std::filesystem::path& run, const std::string& name);
  void trash(const std::filesystem::path& run);
  void restore(const std::filesystem::path& trashed, const std::filesystem::path& run);

 Q_SIGNALS:
  /// All runs, ascending, and the summaries of those that are new or have changed.
  void scanned(const std::vector<std::filesystem::path>& paths,
               const std::vector<lambda::RunSummary>& news,
               lambda::LibraryState state,
               const QString& stateText);
  /// What open() found in a folder: a run, which may be listed already, or something else.
  void found(const std::filesystem::path& folder, bool isRun, bool isListed);
  /// A folder that check() was to add is no run.
  void noRun(const std::filesystem::path& folder);
  void metricsRead(const lambda::MetricsFollower::News& news);
  void logsImported(const std::vector<lambda::ImportedLog>& logs);
  void logRead(const lambda::ImportedLog& log);
  /// Runs of this program that importLog() met.
  void runsMet(const std::vector<std::filesystem::path>& runs);
  // As in RunLibrary.
  void filesListed(const std::filesystem::path& path, const lambda::RunFiles& files);
  void commandFound(const QString& command);
  void written(const std::filesystem::path& file, const QString& sentence);
  void renamed(const std::filesystem::path& from, const std::filesystem::path& to);
  void trashed(const std::filesystem::path& path, const std::filesystem::path& trashed);
  void refused(const std::filesystem::path& path, const QString& reason);

 private:
  template <class Task>
  void attempt(const std::filesystem::path& run, Task task);
  void scan();
  void watchPlaces(const std::vector<RunSummary>& news);
  void pollMetrics();

  std::function<bool()> isEnding_;
  std::filesystem::path folder_;
  bool isStandard_ = false;
  std::vector<std::filesystem::path> added_;  ///< A copy of the library's list.
  RunScanner scanner_;
  MetricsFollower follower_;
  LogFollower logs_{isEnding_};
  QFileSystemWatcher watcher_;
  QTimer scanTimer_;
  QTimer metricsTimer_;
};

}  // namespace lambda
