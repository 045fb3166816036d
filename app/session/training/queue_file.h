#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/values/run/queued_run.h"
#include "widgets/work/lane.h"
#include "widgets/work/work.h"

namespace lambda {

/// The file of a queue of runs. It belongs to one studio at a time: to the first that opens it,
/// until that one ends, however it does. Then it is opened by one that waits. Lives on the GUI
/// thread; the file is locked, read and written on a thread of its own.
class QueueFile : public QObject {
  Q_OBJECT

 public:
  /// Opens the file as soon as it belongs to no other studio.
  explicit QueueFile(std::filesystem::path file, QObject* parent = nullptr);

  /// Writes what is not written yet.
  ~QueueFile() override;

  /// Whether opened() has been emitted.
  bool isOpen() const { return isOpen_; }

  /// Replaces the content. To be called once the file is open.
  void write(std::vector<QueuedRun> runs);

  /// For a file that is not open: stores these runs behind its content, if it belongs to no other
  /// studio. Nothing else may be called after it.
  void appendAtLast(const std::vector<QueuedRun>& runs);

 Q_SIGNALS:
  /// The file belongs to this studio. `problem`: why its content could not be read; it is set aside
  /// then.
  void opened(const std::vector<lambda::QueuedRun>& runs, const QString& problem);
  /// The file belongs to another studio: `owner` is a sentence that says to which.
  void ownedElsewhere(const QString& owner);
  /// The newest content was written, or could not be: `problem` says why.
  void written(const QString& problem);

 private:
  enum class Lock { ours, elsewhere };

  void tryToOpen();
  Lock lock();
  QString ownerText() const;

  std::filesystem::path file_;
  QLockFile lock_;  ///< Only for `lane_`, and once that is drained.
  QTimer retry_;
  bool isOpen_ = false;
  std::vector<QueuedRun> newest_;
  std::uint64_t revision_ = 0;         ///< Of newest_.
  std::uint64_t writtenRevision_ = 0;  ///< Like lock_.
  Lane lane_{0};
  Work opening_{*this};
  Work writing_{*this};
};

}  // namespace lambda
