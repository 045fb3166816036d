#pragma once

#include "widgets/forms/field_editor.h"

namespace lambda {

class SwitchBox;

class SwitchEditor : public FieldEditor {
  Q_OBJECT

 public:
  explicit SwitchEditor(QWidget* parent);

  void show(const FieldRow& row) override;
  QWidget* field() override;

 private:
  SwitchBox* box_;
};

}  // namespace lambda
