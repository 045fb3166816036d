#pragma once

#include <QWidget>

#include "engine/values/config/run_config.h"

class QSpinBox;

namespace lambda {

class FieldForm;
class Preferences;

/// The preferences that say what new configurations record, how many threads they use, and how many
/// the studio itself uses.
class TrainingSection : public QWidget {
  Q_OBJECT

 public:
  explicit TrainingSection(Preferences& preferences, QWidget* parent = nullptr);

 private:
  void makeThreads();
  void showSettings();
  void store();

  Preferences& preferences_;
  RunConfig defaults_;
  FieldForm* form_;
  QSpinBox* files_;
  QSpinBox* inspections_;
};

}  // namespace lambda
