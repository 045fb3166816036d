#pragma once

#include <filesystem>
#include <vector>

#include "app/runs/panels/runs_panel.h"
#include "engine/formats/metrics/network_table.h"
#include "widgets/work/work.h"

class QCheckBox;
class QLabel;
class QStackedWidget;

namespace lambda {

class ChoiceBar;
class LibraryNotice;
class ScatterPlot;

/// The networks of a table that `lambda bench networks --csv` wrote, drawn as accuracy, FLOPs or
/// time against parameters.
class NetworksPanel : public RunsPanel {
  Q_OBJECT

 public:
  explicit NetworksPanel(const RunsContext& context);

  /// Reads a table in the background; where that fails the panel says why, and what it showed stays
  /// available.
  void open(const std::filesystem::path& table);

  const ScatterPlot& plot() const { return *plot_; }

  void saveLayout(QSettings& settings) const override;
  /// Reads the table that was shown last once the panel is visible.
  void restoreLayout(QSettings& settings) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void chooseTable();
  void openWanted();
  void show(const std::filesystem::path& path, std::vector<NetworkTableRow> rows);
  void refuse(const QString& reason);
  void refresh();

  ChoiceBar* measure_;
  QCheckBox* logarithmic_;
  QLabel* name_;
  QLabel* problem_;
  QStackedWidget* stack_;
  LibraryNotice* empty_;
  ScatterPlot* plot_;
  std::filesystem::path wanted_;  ///< To be read when the panel is shown; empty = none.
  std::filesystem::path path_;    ///< Of the shown or the remembered table; empty = none.
  std::vector<NetworkTableRow> rows_;
  Work reading_;
};

}  // namespace lambda
