#pragma once

#include <QWidget>

#include "engine/values/experiment/experiment.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QStackedWidget;

namespace lambda {

/// A field that an experiment varies, with its values: a list, or a range and the number of values
/// in it. Shows the given axis and requests changes of it.
class AxisRow : public QWidget {
  Q_OBJECT

 public:
  explicit AxisRow(QWidget* parent = nullptr);

  /// Text that a person is typing stays, where it means the same values.
  void setAxis(const Axis& axis);

 Q_SIGNALS:
  void edited(const lambda::Axis& axis);
  void removeRequested();

 private:
  void build();
  void requestScale(int index);
  void requestRange();

  Axis axis_;
  QLabel* name_;
  QLabel* path_;
  QComboBox* scale_;
  QStackedWidget* stack_;
  QLineEdit* values_;
  QLineEdit* from_;
  QLineEdit* to_;
  QSpinBox* count_;
  QSpinBox* seed_;
  QWidget* seedPart_;
};

}  // namespace lambda
