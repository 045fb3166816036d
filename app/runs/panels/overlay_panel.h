#pragma once

#include <filesystem>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "app/runs/compare/imported_quantities.h"

class QAction;
class QLabel;
class QScrollArea;
class QSettings;
class QStackedWidget;

namespace lambda {

class ChoiceBar;
class CurvePlot;
class CurveToolbar;
class RunLegend;
class RunLibrary;
class RunTableModel;
struct CurveSeries;
struct LegendEntry;
struct OverlayRun;

/// The curves of some runs over each other, with a legend of their differences. A click on a line
/// or its name dims the others, a second one restores them.
class OverlayPanel : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive the panel.
  OverlayPanel(RunLibrary& library, const RunTableModel& runs, QWidget* parent = nullptr);

  /// The runs in the order of the legend.
  void setRuns(std::vector<std::filesystem::path> paths);

  /// The selected run, for the legend.
  void setCurrentRun(const std::filesystem::path& run);

  void setQuantity(RunQuantity quantity);
  RunQuantity quantity() const;

  const RunLegend& legend() const { return *legend_; }

  QList<QAction*> panelActions() const;
  void saveTo(QSettings& settings) const;
  void restoreFrom(QSettings& settings);

 Q_SIGNALS:
  void runClicked(const std::filesystem::path& run);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct View {
    CurvePlot* plot = nullptr;
    CurveToolbar* toolbar = nullptr;
  };

  View makeView(const QString& title, bool percent);
  void link(View& from, View& to);
  LegendEntry entryFor(const OverlayRun& run, const std::vector<CurveSeries>& series) const;
  void updateSizes();
  void refreshSoon();
  void refresh();
  void choose(const std::filesystem::path& run);
  View& view();

  RunLibrary& library_;
  const RunTableModel& runs_;
  std::vector<std::filesystem::path> paths_;
  std::filesystem::path highlighted_;  ///< The others are dimmed; empty = none is.
  ChoiceBar* quantities_;
  QStackedWidget* plots_;
  View accuracy_;
  View loss_;
  RunLegend* legend_;
  QScrollArea* legendPlace_;
  QLabel* rest_;  ///< Number of runs that are checked but not drawn.
  QTimer refreshTimer_;
  bool isStale_ = true;
};

}  // namespace lambda
