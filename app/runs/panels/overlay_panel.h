#pragma once

#include <filesystem>
#include <vector>

#include <QTimer>

#include "app/runs/compare/imported_quantities.h"
#include "app/runs/panels/runs_panel.h"

class QLabel;
class QScrollArea;
class QStackedWidget;

namespace lambda {

class ChoiceBar;
class CurvePlot;
class CurveToolbar;
class RunLegend;
struct CurvePanel;
struct CurveSeries;
struct LegendEntry;
struct OverlayRun;

/// The curves of some runs over each other, with a legend of their differences. A click on a line
/// or its name dims the others, a second one restores them.
class OverlayPanel : public RunsPanel {
  Q_OBJECT

 public:
  explicit OverlayPanel(const RunsContext& context);

  void setRuns(const std::vector<std::filesystem::path>& runs) override;
  void setCurrentRun(const std::filesystem::path& run) override;

  void setQuantity(RunQuantity quantity);
  RunQuantity quantity() const;

  const RunLegend& legend() const { return *legend_; }

  QList<QAction*> panelActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct View {
    CurvePlot* plot = nullptr;
    CurveToolbar* toolbar = nullptr;
  };

  View makeView(const CurvePanel& panel);
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
  View score_;
  View loss_;
  RunLegend* legend_;
  QScrollArea* legendPlace_;
  QLabel* rest_;  ///< Number of runs that are checked but not drawn.
  ScoreKind compared_ = ScoreKind::accuracy;
  QTimer refreshTimer_;
  bool isStale_ = true;
};

}  // namespace lambda
