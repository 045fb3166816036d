#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <QDialog>

#include "app/runs/library/run_files.h"
#include "app/session/runs/run_summary.h"
#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"
#include "widgets/forms/field_rows.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace lambda {

class FieldForm;

/// A new run from a checkpoint of another, with changed settings: the choice of a checkpoint, and
/// all settings except the network. Not modal. It stays open with all that was edited until its
/// owner closes it, since a fork may be refused after forkRequested().
class ForkDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ForkDialog(const RunSummary& run, QWidget* parent = nullptr);

  /// The checkpoints to choose from; `preferred` may be empty. A choice that was made stays.
  void setCheckpoints(const RunFiles& files, const std::filesystem::path& preferred);

  const std::filesystem::path& run() const { return run_; }

  const RunConfig& config() const { return config_; }

  /// The run's folder has another name: all that was chosen and edited stays.
  void followRun(const std::filesystem::path& run);

  /// `name` is the name of the run that is forked.
  void setName(const QString& name);

  /// Whether the fork was requested and has neither begun nor been refused.
  bool isStarting() const { return isStarting_; }

  /// Shows why the fork could not begin, and lets its settings be edited again.
  void showRefusal(const QString& reason);

 Q_SIGNALS:
  void forkRequested(const std::filesystem::path& checkpoint, const lambda::RunConfig& config);

 private:
  void edit(const std::string& path, const FieldValue& value);
  void fix(const Fix& fix);
  void start();
  void followCheckpoint();
  void refresh();
  void updateState();
  std::vector<Problem> problems() const;
  QString textOfHidden(const std::vector<Problem>& problems) const;

  std::filesystem::path run_;
  RunConfig config_;
  int runEpochs_;   ///< The number of epochs of the run that is forked.
  int epochsDone_;  ///< Those of the chosen checkpoint.
  bool areEpochsEdited_ = false;
  bool isStarting_ = false;
  QString refusal_;
  QComboBox* checkpoints_;
  FieldForm* form_;
  QLabel* problem_;
  QPushButton* fork_;
};

}  // namespace lambda
