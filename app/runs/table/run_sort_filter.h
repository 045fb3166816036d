#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include <QCollator>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>

#include "app/runs/run_row.h"
#include "app/runs/run_table_model.h"

namespace lambda {

/// The runs to list. An empty criterion matches all runs.
struct RunFilter {
  QString
      search;  ///< All its words occur in the name, folder, tags, notes, architecture or data set.
  std::set<RunState> states;
  std::set<QString> architectures;
  std::set<QString> tags;  ///< The run has one of them.

  bool operator==(const RunFilter&) const = default;

  bool isEmpty() const { return *this == RunFilter{}; }
};

/// Sorts and filters the table of runs: numbers as numbers, names in their natural order, missing
/// values last in either direction. Knows the best and the worst of the listed runs on each data
/// set.
class RunSortFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  enum Extreme { kNone, kWorst, kBest };

  static constexpr int kExtremeRole = Qt::UserRole + 100;  ///< int: Extreme

  explicit RunSortFilter(RunTableModel& runs, QObject* parent = nullptr);

  void setFilter(const RunFilter& filter);

  const RunFilter& filter() const { return filter_; }

  const RunRow& rowAt(const QModelIndex& index) const;

  /// The row of a run; invalid where it is not listed.
  QModelIndex indexOf(const std::filesystem::path& path) const;

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

  /// All architectures and tags of the library, sorted, for the menus.
  QStringList architectures() const;
  QStringList tags() const;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  /// Smallest and greatest value of a column on each data set.
  using Ranges = std::map<std::string, std::pair<double, double>>;

  Extreme extremeOf(const QModelIndex& index) const;
  const Ranges& rangesOf(int column) const;
  void forgetRanges();

  RunTableModel& runs_;
  RunFilter filter_;
  QCollator collator_;
  mutable std::map<int, Ranges> ranges_;  ///< By column, as far as they were needed.
};

}  // namespace lambda
