#pragma once

#include "app/runs/panels/runs_panel.h"

class QCheckBox;
class QTimer;

namespace lambda {

class ChoiceBar;
class ScatterPlot;

/// The accuracy of the listed runs against their cost; by default only of those on the same data as
/// the selected run, since others can't be compared with it.
class ScatterPanel : public RunsPanel {
  Q_OBJECT

 public:
  explicit ScatterPanel(const RunsContext& context);

  void setCurrentRun(const std::filesystem::path& run) override;

  const ScatterPlot& plot() const { return *plot_; }

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refreshSoon();
  void refresh();

  const RunTableModel& runs_;
  const RunSortFilter& sorted_;
  ChoiceBar* cost_;
  ChoiceBar* score_;
  QCheckBox* logarithmic_;
  QCheckBox* sameData_;
  std::filesystem::path current_;
  ScatterPlot* plot_;
  QTimer* refreshTimer_;
};

}  // namespace lambda
