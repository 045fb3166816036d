#pragma once

#include <QElapsedTimer>
#include <QWidget>

#include "engine/data/download.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lambda {

class Cifar10Download;

/// A download with its controls: a button to start it, then progress with the time left and a
/// button to cancel, then the error, if any.
class DownloadRow : public QWidget {
  Q_OBJECT

 public:
  explicit DownloadRow(QWidget* parent = nullptr);

  bool isRunning() const;

  void start(const DownloadRequest& request);

  /// Whether the download should be offered.
  void setOffered(bool offered, bool enabled);

 Q_SIGNALS:
  void startRequested();
  /// The whole file is there and its digest is right.
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
  qint64 resumedAt_ = -1;  ///< Bytes received by earlier attempts; -1 = not known yet.
};

}  // namespace lambda
