#pragma once

#include <QString>
#include <QTimer>
#include <QWidget>

#include "widgets/forms/field_rows.h"

namespace lambda {

/// Edits the value of one row. Which widgets it is made of follows from the row's type.
class FieldEditor : public QWidget {
  Q_OBJECT

 public:
  ~FieldEditor() override;

  /// An editor for such a row; it shows nothing yet.
  static FieldEditor* make(const FieldRow& row, QWidget* parent);

  /// Whether the same editor can show both rows.
  static bool isSameKind(const FieldRow& a, const FieldRow& b);

  /// Takes over the row's value, range and texts, without a signal. What is being typed stays where
  /// it means the same value.
  virtual void show(const FieldRow& row) = 0;

  /// What gets the focus and the mark of a problem.
  virtual QWidget* field() = 0;

 Q_SIGNALS:
  void edited(const lambda::FieldValue& value, const QString& gesture);
  void finished(const QString& gesture);

 protected:
  explicit FieldEditor(QWidget* parent);

  /// One change of a gesture that goes on until endGesture().
  void editInGesture(const FieldValue& value);
  /// One change of its own.
  void editOnce(const FieldValue& value);
  void endGesture();

 private:
  QString gesture_;
  QTimer idle_;  ///< Ends a gesture that nothing else ends, such as turning the wheel.
};

}  // namespace lambda
