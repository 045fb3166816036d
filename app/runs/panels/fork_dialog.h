#pragma once

#include <filesystem>
#include <vector>

#include <QDialog>

#include "app/runs/library/run_files.h"
#include "app/session/run_summary.h"
#include "engine/values/config/run_config.h"

class QComboBox;
class QPushButton;

namespace lambda {

class FieldForm;

/// A new run from a checkpoint of another, with changed settings: the choice of a checkpoint, and
/// all settings except the network. Not modal.
class ForkDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ForkDialog(const RunSummary& run, QWidget* parent = nullptr);

  /// The checkpoints to choose from; `chosen` may be empty.
  void setCheckpoints(const RunFiles& files, const std::filesystem::path& chosen);

  const std::filesystem::path& run() const { return run_; }

  const RunConfig& config() const { return config_; }

 Q_SIGNALS:
  void forkRequested(const std::filesystem::path& checkpoint, const lambda::RunConfig& config);

 private:
  void refresh();
  void updateButton();

  std::filesystem::path run_;
  RunConfig config_;
  QComboBox* checkpoints_;
  FieldForm* form_;
  QPushButton* fork_;
};

}  // namespace lambda
