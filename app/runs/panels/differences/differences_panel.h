#pragma once

#include <filesystem>
#include <vector>

#include <QWidget>

class QCheckBox;
class QLabel;
class QSettings;
class QTableView;

namespace lambda {

class DifferencesModel;
class RunTableModel;

/// Two or more runs side by side: settings, environment and results, all of them or only those that
/// differ. For one run, all of them.
class DifferencesPanel : public QWidget {
  Q_OBJECT

 public:
  /// `runs` outlives the panel.
  explicit DifferencesPanel(const RunTableModel& runs, QWidget* parent = nullptr);

  /// The runs in the order of the columns. Imported logs are left out: their settings are not
  /// known.
  void setRuns(std::vector<std::filesystem::path> paths);

  DifferencesModel& model() const { return *model_; }

  void saveTo(QSettings& settings) const;
  void restoreFrom(QSettings& settings);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

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
