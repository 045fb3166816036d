#pragma once

#include <filesystem>

#include <QWidget>

class QCheckBox;
class QSettings;
class QTimer;

namespace lambda {

class ChoiceBar;
class RunSortFilter;
class RunTableModel;
class ScatterPlot;

/// The accuracy of the listed runs against their cost; by default only of those on the same data as
/// the selected run, since others can't be compared with it.
class ScatterPanel : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive the panel.
  ScatterPanel(const RunTableModel& runs, const RunSortFilter& sorted, QWidget* parent = nullptr);

  void setCurrentRun(const std::filesystem::path& run);

  const ScatterPlot& plot() const { return *plot_; }

  void saveTo(QSettings& settings) const;
  void restoreFrom(QSettings& settings);

 Q_SIGNALS:
  void runClicked(const std::filesystem::path& run);

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
