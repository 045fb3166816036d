#pragma once

#include <QString>
#include <QWidget>

class QLabel;

namespace lambda {

/// A number with its name above it and, behind it, how it differs from another one.
class TotalCell : public QWidget {
  Q_OBJECT

 public:
  explicit TotalCell(const QString& name, QWidget* parent = nullptr);

  void setName(const QString& name);

  /// `difference` in words with its sign, empty = none; more is worse, less is better.
  void setValue(const QString& value, const QString& difference = {}, bool isMore = false);

  QString value() const;
  QString difference() const;

 private:
  QLabel* name_;
  QLabel* value_;
  QLabel* difference_;
};

}  // namespace lambda
