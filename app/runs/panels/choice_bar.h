#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace lambda {

/// A few choices as buttons side by side, of which one holds. Left and right go between them.
class ChoiceBar : public QWidget {
  Q_OBJECT

 public:
  /// `name` is for people who do not see the buttons together.
  ChoiceBar(const QStringList& choices, const QString& name, QWidget* parent = nullptr);

  int current() const;
  /// Emits nothing.
  void setCurrent(int choice);
  void setToolTipOf(int choice, const QString& text);

 Q_SIGNALS:
  void chosen(int choice);

 private:
  QButtonGroup* buttons_;
};

}  // namespace lambda
