#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;

namespace lambda {

class Preferences;

/// The preferences that say what the studio asks before it acts, and when the desktop reports the
/// end of a training.
class QuestionsSection : public QWidget {
  Q_OBJECT

 public:
  explicit QuestionsSection(Preferences& preferences, QWidget* parent = nullptr);

 private:
  void showSettings();
  void store();

  Preferences& preferences_;
  QCheckBox* testScore_;
  QCheckBox* stopping_;
  QComboBox* notification_;
};

}  // namespace lambda
