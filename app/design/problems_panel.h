#pragma once

#include <vector>

#include <QFrame>

#include "engine/values/problem.h"

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace lambda {

/// All findings about a configuration at once: how bad, what, where, and a button where the remedy
/// is known. A click on a finding leads to its place.
class ProblemsPanel : public QFrame {
  Q_OBJECT

 public:
  explicit ProblemsPanel(QWidget* parent = nullptr);

  void setProblems(const std::vector<Problem>& problems);

  /// As high as the findings need, up to a limit from which they scroll.
  QSize sizeHint() const override;
  /// The heading alone.
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void activated(const lambda::Problem& problem);
  void fixRequested(const lambda::Fix& fix);
  /// The findings need another height now.
  void heightChanged();

 protected:
  void changeEvent(QEvent* event) override;
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

/// Where a problem lies, in words: "Stage 2, block 3", "Recipe".
QString placeOf(const Problem& problem);

}  // namespace lambda
