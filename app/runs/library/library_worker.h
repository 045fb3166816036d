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
#include "engine/values/run/run_record.h"

namespace lambda {

class RunLibrary;

/// The part of a RunLibrary that accesses the disk. All functions are called on the library's
/// thread, and all results are posted to the library.
class LibraryWorker : public QObject {
 public:
  /// `library` outlives the thread.
  explicit LibraryWorker(RunLibrary& library) : library_(library) {}

  /// Creates the timers and the watcher, which belong to the calling thread.
  void begin();

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

 private:
  /// Whether the program waits for the end of this thread.
  static bool isEnding();
  template <class Task>
  void answer(Task task);
  template <class Task>
  void attempt(const std::filesystem::path& run, Task task);
  void report(const std::filesystem::path& file, const QString& sentence, const QString& problem);
  void scan();
  void watchPlaces(const std::vector<RunSummary>& news);
  void pollMetrics();
  void publish(MetricsFollower::News news);

  RunLibrary& library_;
  std::filesystem::path folder_;
  bool isStandard_ = false;
  std::vector<std::filesystem::path> added_;  ///< A copy of the library's list.
  RunScanner scanner_;
  MetricsFollower follower_;
  LogFollower logs_{isEnding};
  QFileSystemWatcher* watcher_ = nullptr;
  QTimer* scanTimer_ = nullptr;
  QTimer* metricsTimer_ = nullptr;
};

}  // namespace lambda
