#pragma once

#include <vector>

#include <QWidget>

#include "engine/values/theory/theory_experiment.h"

class QLabel;
class QTabBar;

namespace lambda {

class ElidedLabel;
class TheoryPlot;

/// The figures of a theory experiment: beside and below each other where all have space, otherwise
/// one, chosen by tabs.
class TheoryFigures : public QWidget {
  Q_OBJECT

 public:
  explicit TheoryFigures(QWidget* parent = nullptr);

  /// `experiment`: stem of the names of exported files. Figures keep their place and their tab.
  void setFigures(const QString& experiment, const std::vector<TheoryFigure>& figures);

  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// A plot below its title and the button of its export.
  struct Panel {
    QWidget* frame;
    ElidedLabel* title;
    TheoryPlot* plot;
  };

  Panel makePanel();
  int columnsWithSpace() const;
  void arrange();

  QTabBar* tabs_;
  QLabel* empty_;
  std::vector<Panel> panels_;  ///< Those of earlier experiments are kept and hidden.
  int count_ = 0;              ///< Of the figures.
};

}  // namespace lambda
