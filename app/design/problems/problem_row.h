#pragma once

#include <QFrame>

#include "app/design/problems/problem_groups.h"

namespace lambda {

/// The problems of one kind in the list of problems: a button that does not look like one.
class ProblemRow : public QFrame {
  Q_OBJECT

 public:
  ProblemRow(const ProblemGroup& group, QWidget* parent);

 Q_SIGNALS:
  void activated();
  void fixRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
};

}  // namespace lambda
