#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include "app/experiments/plan/plan_rows.h"
#include "engine/values/experiment/experiment_state.h"
#include "widgets/work/work.h"

namespace lambda {

class ExperimentFolder;

/// One experiment: what its folder says, and the worker process that trains its runs (`lambda
/// experiment run`). A shipped experiment, or that of a file, has no folder until it is run.
///
/// Lives on the GUI thread, which never waits for the disk.
class ExperimentSession : public QObject {
  Q_OBJECT

 public:
  /// `program`: the command line program.
  explicit ExperimentSession(std::filesystem::path program, QObject* parent = nullptr);
  /// Asks a worker to save its runs and to end.
  ~ExperimentSession() override;

  /// Reads an existing experiment and follows it.
  void open(const std::filesystem::path& folder);

  /// Shows the plan of an experiment that has no folder, in one of its sizes; empty for the first.
  /// `load` reads its description on another thread, and may throw Error.
  void showPlan(const std::function<Experiment()>& load, const std::string& size);

  /// Nothing before it was read.
  const std::optional<ExperimentState>& state() const { return state_; }

  /// What a run of each variant costs; empty once a run of the experiment has begun.
  const std::vector<PlanRow>& planRows() const { return planRows_; }

  /// Empty for an experiment without a folder.
  const std::filesystem::path& folder() const { return folder_; }

  bool isWorking() const { return worker_.state() != QProcess::NotRunning; }

  /// Starts a worker, which trains what is not done. `options`: further options of the command.
  void work(const QStringList& options = {});

  /// Creates the folder of the shown experiment in `experiments` and starts a worker in it. Where
  /// its description has changed since it was read, shows the new plan instead.
  void create(const std::filesystem::path& experiments);

  /// The same for an experiment whose base is in full.
  void create(const std::filesystem::path& experiments, const Experiment& experiment);

  /// Asks the worker to save the runs that it trains and to end. Starting another continues them.
  void pause();

 Q_SIGNALS:
  void changed();
  /// A folder was created.
  void created();
  /// The plan is another one than that which should have been run.
  void descriptionChanged();
  /// The worker has ended; what it did is being read.
  void workEnded();
  void failed(const QString& reason);

 private:
  struct Reading {
    std::optional<ExperimentState> state;
    std::filesystem::path folder;  ///< Where one was created.
    QString problem;
    std::vector<PlanRow> planRows = {};
  };

  static Reading planOfDescription(const std::function<Experiment()>& load);
  static Reading readingOf(const ExperimentFolder& folder, const ExperimentState* before);
  void reset();
  void read();
  void take(Reading reading);
  void onFinished(int status, QProcess::ExitStatus how);

  std::filesystem::path program_;
  std::filesystem::path folder_;
  std::function<Experiment()> load_;  ///< Reads the shown experiment while it has no folder.
  std::optional<ExperimentState> state_;
  std::vector<PlanRow> planRows_;
  bool isPausing_ = false;
  bool isReading_ = false;
  QProcess worker_;
  QTimer timer_;
  Work tasks_{*this};
};

}  // namespace lambda
