#pragma once

#include <vector>

#include <QFrame>

#include "app/design/problems/problem_groups.h"

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace lambda {

/// All findings about a configuration, one row for those of one kind: severity, text, place, and a
/// button where a fix is known. A click on a row shows its place.
class ProblemsPanel : public QFrame {
  Q_OBJECT

 public:
  explicit ProblemsPanel(QWidget* parent = nullptr);

  void setProblems(const std::vector<Problem>& problems);

  /// As high as the findings need, up to a limit above which they scroll.
  QSize sizeHint() const override;
  /// The height of the heading alone.
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void activated(const lambda::ProblemGroup& group);
  void fixRequested(const std::vector<lambda::Fix>& fixes);
  /// The findings need another height.
  void heightChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showCounts();
  void showProblems();

  std::vector<Problem> problems_;
  QLabel* errorIcon_;
  QLabel* errors_;
  QLabel* warningIcon_;
  QLabel* warnings_;
  QLabel* none_;
  QWidget* header_;
  QScrollArea* area_;
  QWidget* content_;
  QVBoxLayout* list_;
};

}  // namespace lambda
