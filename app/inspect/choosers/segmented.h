#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace lambda {

/// A few choices side by side, of which one is selected. The left and right arrow keys change it.
class Segmented : public QWidget {
  Q_OBJECT

 public:
  explicit Segmented(const QStringList& choices, QWidget* parent = nullptr);

  int current() const;
  /// Emits no signal.
  void setCurrent(int choice);
  void setChoiceEnabled(int choice, bool enabled);
  void setChoiceToolTip(int choice, const QString& text);

 Q_SIGNALS:
  void chosen(int choice);

 private:
  QButtonGroup* group_;
};

}  // namespace lambda
