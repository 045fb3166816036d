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

class QueueFile;
class TrainingSession;

/// The runs that are prepared to be trained one after the other. When a training has finished or
/// failed, the next one begins. One that can't start stays with the reason, and the one behind it
/// is tried. When a person has stopped a training, and after the program has started, the queue
/// waits until trainNext(), or until the stopped training is resumed. It is stored whole in a file
/// whenever it changes, which belongs to one studio at a time. Before a run begins, the file names
/// its folder: when the program is killed, the next one sees there whether the run has begun, and a
/// run is neither lost nor trained twice.
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

  /// The studio that the file belongs to, in a sentence, where that is another one; nothing can be
  /// queued here then. Empty otherwise.
  const QString& owner() const { return owner_; }

  /// Why the file could not be read or written: until it is written, or dismissed. Empty = none.
  QString fileProblem() const;
  void dismissFileProblem();

  /// Adds a run behind the others. Returns why that is impossible; empty if it was added.
  QString add(const RunConfig& config);
  void remove(int index);
  void move(int from, int to);

  /// Ends the waiting: runs that could not start are tried again, and the next one begins as soon
  /// as nothing trains.
  void trainNext();

 Q_SIGNALS:
  void changed();

 private:
  void take(QueuedRun run);
  void takeStored(const std::vector<QueuedRun>& stored, const QString& problem);
  void store();
  void beginNext();
  void beginMarked();
  void endWaiting();
  void noteStarted();
  void noteRefused(const QString& reason);
  void noteEnded(const RunResult& result);

  TrainingSession& session_;
  std::filesystem::path runsFolder_;
  std::vector<QueuedRun> runs_;
  std::optional<std::size_t> starting_;  ///< The run of the queue that is about to start.
  bool isMarking_ = false;               ///< The file does not say yet that it is.
  bool isWaiting_ = false;
  std::filesystem::path stopped_;  ///< The run for whose stop it waits; empty for another reason.
  std::uint64_t lastId_ = 0;
  QString owner_;
  QString readProblem_;
  QString writeProblem_;
  std::unique_ptr<QueueFile> file_;
};

}  // namespace lambda
