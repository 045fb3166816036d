#pragma once

#include <filesystem>
#include <vector>

#include <QAbstractTableModel>

#include "app/runs/compare/config_difference.h"

namespace lambda {

/// Runs side by side: a column per run, a row per setting, with a line above each group.
class DifferencesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role {
    kIsGroupRole = Qt::UserRole,  ///< bool: the line above a group.
    kDiffersRole,                 ///< bool
    kColorRole,                   ///< int, of a column's header: index into Colors::series.
  };

  struct Run {
    std::filesystem::path path;
    QString name;
    int colorIndex = -1;
    RunRecord record;

    bool operator==(const Run&) const = default;
  };

  using QAbstractTableModel::QAbstractTableModel;

  void setRuns(std::vector<Run> runs);
  void setOnlyDifferences(bool only);

  bool onlyDifferences() const { return onlyDifferences_; }

  /// Whether the runs differ in any setting.
  bool hasDifferences() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// The shown table as lines of cells separated by tabs.
  QString toText() const;

 private:
  struct Line {
    bool isGroup = false;
    SettingRow row;
  };

  void rebuild();

  std::vector<Run> runs_;
  std::vector<SettingRow> rows_;
  std::vector<Line> lines_;
  bool onlyDifferences_ = true;
};

}  // namespace lambda
