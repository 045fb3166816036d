#pragma once

#include <atomic>
#include <memory>

#include <QObject>
#include <QString>

#include "engine/data/download.h"
#include "widgets/work/lane.h"
#include "widgets/work/work.h"

namespace lambda {

/// Downloads CIFAR-10 without blocking the window: one attempt at a time, with progress; it can be
/// cancelled at any time. The data received by a cancelled attempt is kept for the next one.
class Cifar10Download : public QObject {
  Q_OBJECT

 public:
  explicit Cifar10Download(QObject* parent = nullptr);
  /// Cancels the download.
  ~Cifar10Download() override;

  bool isRunning() const { return cancelled_ != nullptr; }

  /// Starts an attempt; ignored while one is running.
  void start(const DownloadRequest& request);
  void cancel();

 Q_SIGNALS:
  /// Emitted at most ten times a second. Nothing is received during the check of the digest.
  void progressed(lambda::DownloadPhase phase, qint64 received, qint64 total);
  /// The whole file is there and its digest is right.
  void finished(const QString& file);
  void cancelled();
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;  ///< Flag of the attempt under way; null = none.
  Lane lane_;
  Work download_{*this};
};

}  // namespace lambda
