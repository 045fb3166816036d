#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace lambda {

/// A few choices side by side of which one holds. Left and right arrow keys go between them.
class Segmented : public QWidget {
  Q_OBJECT

 public:
  explicit Segmented(const QStringList& choices, QWidget* parent = nullptr);

  int current() const;
  /// Emits nothing.
  void setCurrent(int choice);
  void setChoiceEnabled(int choice, bool enabled);
  void setChoiceToolTip(int choice, const QString& text);

 Q_SIGNALS:
  void chosen(int choice);

 private:
  QButtonGroup* group_;
};

}  // namespace lambda
