#pragma once

#include <string>
#include <vector>

#include <QDialog>

#include "app/variants/mixer_variants.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace lambda {

/// Chooses the runs that repeat one with other mixers: which blocks, and one or several kinds.
/// Seed, data, split, data order and recipe stay. Not modal; a request closes it.
class DuplicateDialog : public QDialog {
  Q_OBJECT

 public:
  /// `config`: the run to repeat; its parentRun is that of the new runs. `name`: what it is called.
  DuplicateDialog(const RunConfig& config, const QString& name, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// The run should be opened in Train.
  void openRequested(const lambda::RunConfig& config);
  void queueRequested(const std::vector<lambda::RunConfig>& configs);

 private:
  /// A kind of mixer, with the run that has it.
  struct Kind {
    QCheckBox* box = nullptr;
    QLabel* note = nullptr;
    RunConfig config;
  };

  QWidget* makeKinds();
  void updateKinds();
  void updateIcons();
  void updateButtons();
  std::vector<RunConfig> chosen() const;

  RunConfig config_;
  std::string name_;
  std::vector<ReplaceableMixers> replaceable_;
  std::vector<Kind> kinds_;
  QComboBox* blocks_;
  QPushButton* open_;
  QPushButton* queue_;
};

}  // namespace lambda
