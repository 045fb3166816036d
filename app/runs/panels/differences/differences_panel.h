#pragma once

#include <vector>

#include "app/runs/panels/runs_panel.h"

class QCheckBox;
class QLabel;
class QTableView;

namespace lambda {

class DifferencesModel;

/// Two or more runs side by side: settings, environment and results, all of them or only those that
/// differ. For one run, all of them.
class DifferencesPanel : public RunsPanel {
  Q_OBJECT

 public:
  explicit DifferencesPanel(const RunsContext& context);

  /// Imported logs are left out: their settings are not known.
  void setRuns(const std::vector<std::filesystem::path>& runs) override;

  DifferencesModel& model() const { return *model_; }

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  void updateLooks();

  const RunTableModel& runs_;
  std::vector<std::filesystem::path> paths_;
  DifferencesModel* model_;
  QTableView* view_;
  QCheckBox* onlyDifferences_;
  QLabel* note_;
};

}  // namespace lambda
