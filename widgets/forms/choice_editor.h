#pragma once

#include "widgets/forms/field_editor.h"

class QComboBox;

namespace lambda {

class ChoiceEditor : public FieldEditor {
  Q_OBJECT

 public:
  explicit ChoiceEditor(QWidget* parent);

  void show(const FieldRow& row) override;
  QWidget* field() override;
  int fullWidth() const override;

 private:
  int widthOf(const QString& text) const;

  QComboBox* box_;
  Choice choice_;
};

}  // namespace lambda
