#pragma once

#include <QWidget>

#include "engine/values/config/run_config.h"

class QSpinBox;

namespace lambda {

class FieldForm;
class Preferences;

/// What new configurations record and how many threads they use, and the threads of the studio
/// itself.
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
