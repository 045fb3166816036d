#pragma once

#include <filesystem>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/runs/panels/fork_dialog.h"
#include "engine/values/config/run_config.h"

namespace lambda {

class RunLibrary;
class TrainingSession;

/// Opens the dialog of a fork and keeps it until the fork has begun.
class ForkStarter : public QObject {
  Q_OBJECT

 public:
  /// All outlive this; the dialog belongs to the window of `place`.
  ForkStarter(RunLibrary& library, TrainingSession& training, QWidget& place);
  ~ForkStarter() override;

  /// `checkpoint`: the one to start from; empty = the most advanced.
  void open(const std::filesystem::path& run, const std::filesystem::path& checkpoint);

 Q_SIGNALS:
  void forkRequested(const std::filesystem::path& checkpoint, const lambda::RunConfig& config);
  /// The run has gone while its dialog was open.
  void runLost(const QString& reason);

 private:
  RunLibrary& library_;
  QWidget& place_;
  QPointer<ForkDialog> dialog_;
  std::filesystem::path checkpoint_;
};

}  // namespace lambda
