#pragma once

#include <vector>

#include <QFrame>

#include "engine/values/config/problem.h"

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace lambda {

/// All findings about a configuration: severity, text, place, and a button where a fix is known. A
/// click on a finding shows its place.
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
  void activated(const lambda::Problem& problem);
  void fixRequested(const lambda::Fix& fix);
  /// The findings need another height.
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

/// The place of a problem as text: "Stage 2, block 3", "Recipe".
QString placeOf(const Problem& problem);

}  // namespace lambda
