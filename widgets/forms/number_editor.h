#pragma once

#include "widgets/forms/field_editor.h"

class QSlider;

namespace lambda {

class NumberBox;

/// A NumberBox, with a slider beside it where the range is short (shares, powers of two) and there
/// is space for it.
class NumberEditor : public FieldEditor {
  Q_OBJECT

 public:
  explicit NumberEditor(QWidget* parent);

  void show(const FieldRow& row) override;
  QWidget* field() override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();
  FieldValue valueOf(double number) const;

  NumberBox* box_;
  QSlider* slider_;
  bool whole_ = false;
};

}  // namespace lambda
