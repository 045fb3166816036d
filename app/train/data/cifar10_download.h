#pragma once

#include <atomic>
#include <memory>

#include <QObject>
#include <QString>

#include "app/session/worker_thread.h"
#include "engine/data/download.h"

namespace lambda {

/// Fetches CIFAR-10 beside the window: one attempt at a time, with progress, to be cancelled at any
/// time. What a cancelled attempt received is kept for the next.
class Cifar10Download : public QObject {
  Q_OBJECT

 public:
  explicit Cifar10Download(QObject* parent = nullptr);
  /// Cancels.
  ~Cifar10Download() override;

  bool isRunning() const { return cancelled_ != nullptr; }

  /// Ignored while one runs.
  void start(const DownloadRequest& request);
  void cancel();

 Q_SIGNALS:
  /// At most ten times a second. During the check of the digest nothing is received any more.
  void progressed(lambda::DownloadPhase phase, qint64 received, qint64 total);
  /// The file is there, whole and right.
  void finished(const QString& file);
  void cancelled();
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  struct End {
    DownloadOutcome outcome = DownloadOutcome::cancelled;
    QString failure;
  };

  End run(const DownloadRequest& request, const std::atomic<bool>& cancelled);
  void end(const End& end, const QString& file);

  std::shared_ptr<std::atomic<bool>> cancelled_;  ///< Of the attempt under way; null = none.
  std::unique_ptr<WorkerThread> thread_;
};

}  // namespace lambda
