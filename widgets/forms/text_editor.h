#pragma once

#include "widgets/forms/field_editor.h"

class QLineEdit;
class QToolButton;

namespace lambda {

class TextEditor : public FieldEditor {
  Q_OBJECT

 public:
  explicit TextEditor(QWidget* parent);

  void show(const FieldRow& row) override;
  QWidget* field() override;

 private:
  QLineEdit* line_;
};

/// A number of 64 bits, with a button that draws another one.
class SeedEditor : public FieldEditor {
  Q_OBJECT

 public:
  explicit SeedEditor(QWidget* parent);

  void show(const FieldRow& row) override;
  QWidget* field() override;

 private:
  void showIcon();

  QLineEdit* line_;
  QToolButton* dice_;
  std::int64_t shown_ = 0;
};

}  // namespace lambda
