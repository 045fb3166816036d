#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace lambda {

/// A few choices as buttons side by side, of which one is selected. The left and right keys change
/// it.
class ChoiceBar : public QWidget {
  Q_OBJECT

 public:
  /// `name` is the accessible name of the group.
  ChoiceBar(const QStringList& choices, const QString& name, QWidget* parent = nullptr);

  int current() const;
  /// Emits no signal.
  void setCurrent(int choice);
  void setTextOf(int choice, const QString& text);
  void setToolTipOf(int choice, const QString& text);

 Q_SIGNALS:
  void chosen(int choice);

 private:
  QButtonGroup* buttons_;
};

}  // namespace lambda
