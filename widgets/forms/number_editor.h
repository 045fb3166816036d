#pragma once

#include "widgets/forms/field_editor.h"

class QSlider;

namespace lambda {

class NumberBox;

/// A NumberBox, with a slider beside it where the range is short: shares, and powers of two.
class NumberEditor : public FieldEditor {
  Q_OBJECT

 public:
  explicit NumberEditor(QWidget* parent);

  void show(const FieldRow& row) override;
  QWidget* field() override;

 private:
  FieldValue valueOf(double number) const;

  NumberBox* box_;
  QSlider* slider_;
  bool whole_ = false;
};

}  // namespace lambda
