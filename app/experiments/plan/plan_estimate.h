#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <QObject>
#include <QProcess>

#include "engine/values/experiment/experiment.h"

class QTemporaryDir;

namespace lambda {

/// What the runs of an experiment take on this machine.
struct PlanTime {
  std::vector<double> secondsPerRun;  ///< [variants]
  double seconds = 0;                 ///< Of all runs, one after another.
};

/// Measures an experiment's time by a few training steps of each variant, in a process of its own
/// (`lambda experiment run FILE --dry-run`).
class PlanEstimate : public QObject {
  Q_OBJECT

 public:
  /// `program`: the command line program.
  explicit PlanEstimate(std::filesystem::path program, QObject* parent = nullptr);
  ~PlanEstimate() override;

  /// Measures an experiment whose base is in full. A measurement before it is given up.
  void measure(const Experiment& experiment);

  void cancel();

  bool isMeasuring() const { return process_ != nullptr; }

 Q_SIGNALS:
  void measured(const lambda::PlanTime& time);
  void failed(const QString& reason);

 private:
  void onFinished(int status, QProcess::ExitStatus how);

  std::filesystem::path program_;
  std::unique_ptr<QTemporaryDir> folder_;
  QProcess* process_ = nullptr;  ///< Null while nothing is measured.
};

}  // namespace lambda
