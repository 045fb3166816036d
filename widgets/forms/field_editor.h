#pragma once

#include <QString>
#include <QTimer>
#include <QWidget>

#include "widgets/forms/field_rows.h"

namespace lambda {

/// Edits the value of one row. The row's type decides which widgets it consists of.
class FieldEditor : public QWidget {
  Q_OBJECT

 public:
  ~FieldEditor() override;

  /// An editor for such a row; it has no value yet.
  static FieldEditor* make(const FieldRow& row, QWidget* parent);

  /// Whether the same editor can show both rows.
  static bool isSameKind(const FieldRow& a, const FieldRow& b);

  /// Shows the row's value, range and texts, without a signal. Text that is being typed stays where
  /// it means the same value.
  virtual void show(const FieldRow& row) = 0;

  /// The width that shows the value in full; 0 where any width does.
  virtual int fullWidth() const { return 0; }

  /// The widget that gets the focus and the mark of a problem.
  virtual QWidget* field() = 0;

 Q_SIGNALS:
  void edited(const lambda::FieldValue& value, const QString& gesture);
  void finished(const QString& gesture);
  /// The editor has changed what was typed; `text` says how.
  void noted(const QString& text);
  /// The choices should be offered, which are not the editor's own list.
  void pickRequested();

 protected:
  explicit FieldEditor(QWidget* parent);

  /// One change of a gesture that lasts until endGesture().
  void editInGesture(const FieldValue& value);
  /// A change that is a gesture by itself.
  void editOnce(const FieldValue& value);
  void endGesture();

 private:
  QString gesture_;
  QTimer idle_;  ///< Ends a gesture that no other event ends, such as turning the wheel.
};

}  // namespace lambda
