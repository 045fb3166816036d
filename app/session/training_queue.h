#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QObject>
#include <QString>

#include "engine/values/run/metrics.h"
#include "engine/values/run/queued_run.h"

namespace lambda {

class TrainingSession;
class WorkerThread;

/// The runs that are prepared to be trained one after the other. When a training has finished or
/// failed, the next one begins. One that can't start stays with the reason, and the one behind it
/// is tried. When a person has stopped a training, and after the program has started, the queue
/// waits until trainNext(). It is stored whole in a file whenever it changes. Lives on the GUI
/// thread; the file is read and written on a thread of its own.
class TrainingQueue : public QObject {
  Q_OBJECT

 public:
  explicit TrainingQueue(TrainingSession& session, QObject* parent = nullptr);
  ~TrainingQueue() override;

  /// The folder for new runs.
  void setRunsFolder(const std::filesystem::path& folder);

  /// Reads the queue that an earlier program has left in a file, and stores it there from now on.
  void setFile(const std::filesystem::path& file);

  const std::vector<QueuedRun>& runs() const { return runs_; }

  /// Whether the next run does not begin by itself.
  bool isWaiting() const { return isWaiting_; }

  /// Whether a run of the queue is about to start.
  bool isStarting() const { return starting_.has_value(); }

  void add(const RunConfig& config);
  void remove(int index);
  void move(int from, int to);

  /// Ends the waiting: runs that could not start are tried again, and the next one begins as soon
  /// as nothing trains.
  void trainNext();

 Q_SIGNALS:
  void changed();
  /// The file could not be read or written, or was set aside.
  void fileFailed(const QString& reason);

 private:
  struct Store;

  void takeStored(std::vector<QueuedRun> stored, const QString& problem);
  void store();
  void beginNext();
  void noteStarted();
  void noteRefused(const QString& reason);
  void noteEnded(const RunResult& result);

  TrainingSession& session_;
  std::filesystem::path runsFolder_;
  std::vector<QueuedRun> runs_;
  std::optional<std::size_t> starting_;  ///< The run of the queue that is about to start.
  bool isWaiting_ = false;
  bool isRead_ = true;  ///< The file's content is known, so that it may be replaced.
  std::unique_ptr<Store> store_;
};

}  // namespace lambda
