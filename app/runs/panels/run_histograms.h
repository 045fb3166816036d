#pragma once

#include "app/runs/panels/runs_panel.h"

namespace lambda {

class HistogramsPanel;

/// The histograms of the selected run.
class RunHistograms : public RunsPanel {
  Q_OBJECT

 public:
  explicit RunHistograms(const RunsContext& context);

  void setCurrentRun(const std::filesystem::path& run) override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 private:
  const RunTableModel& runs_;
  std::filesystem::path run_;
  HistogramsPanel* panel_;
};

}  // namespace lambda
