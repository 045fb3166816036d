#pragma once

#include <QElapsedTimer>
#include <QWidget>

#include "engine/data/download.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lambda {

class Cifar10Download;

/// A download to be started, seen and cancelled: a button, then progress with the time left, then
/// what went wrong, if anything did.
class DownloadRow : public QWidget {
  Q_OBJECT

 public:
  explicit DownloadRow(QWidget* parent = nullptr);

  bool isRunning() const;

  void start(const DownloadRequest& request);

  /// Whether there is reason to offer the download.
  void setOffered(bool offered, bool enabled);

 Q_SIGNALS:
  void startRequested();
  /// The file is there, whole and right.
  void finished(const QString& file);

 private:
  void showProgress(DownloadPhase phase, qint64 received, qint64 total);
  void end(const QString& text, const QString& role);
  void showButtons();

  Cifar10Download* download_;
  bool isOffered_ = false;
  QPushButton* start_;
  QWidget* running_;
  QProgressBar* progress_;
  QLabel* progressText_;
  QPushButton* cancel_;
  QLabel* result_;
  QElapsedTimer since_;
  qint64 resumedAt_ = -1;  ///< What earlier attempts had received; -1 = not known yet.
};

}  // namespace lambda
