#pragma once

#include <QString>
#include <QWidget>

class QLabel;

namespace lambda {

/// A number with its name above it and, behind it, its difference to another number.
class TotalCell : public QWidget {
  Q_OBJECT

 public:
  explicit TotalCell(const QString& name, QWidget* parent = nullptr);

  void setName(const QString& name);

  /// `difference` is a text with its sign, empty = none; `isMore` marks an increase, which is
  /// worse.
  void setValue(const QString& value, const QString& difference = {}, bool isMore = false);

  QString value() const;
  QString difference() const;

 private:
  QLabel* name_;
  QLabel* value_;
  QLabel* difference_;
};

}  // namespace lambda
