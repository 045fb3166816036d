#pragma once

#include <QWidget>

#include "engine/values/theory/theory_experiment.h"

class QPushButton;

namespace lambda {

class FieldForm;

/// The parameters of a theory experiment as a form, with a button for the defaults. Numbers out of
/// range are moved into it, and a sentence below their field says so.
class TheoryForm : public QWidget {
  Q_OBJECT

 public:
  explicit TheoryForm(QWidget* parent = nullptr);

  /// Shows all parameters; those that `settings` does not name with their defaults.
  void setExperiment(const TheoryDescription& description, const TheorySettings& settings);

  /// The value of every parameter.
  const TheorySettings& settings() const { return settings_; }

  /// Ends typing, so that settings() has what the fields show.
  void finishTyping();

 Q_SIGNALS:
  void edited();

 private:
  void showFields();
  TheorySettings defaults() const;
  void change(const TheorySettings& settings);

  TheoryDescription description_;
  TheorySettings settings_;
  FieldForm* form_;
  QPushButton* defaults_;
};

}  // namespace lambda
