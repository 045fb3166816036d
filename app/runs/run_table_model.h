#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include <QAbstractTableModel>
#include <QStringList>

#include "app/runs/run_row.h"

class QSettings;

namespace lambda {

class RunLibrary;

/// All runs of a library and all imported logs, one per row, with the values by which people
/// compare them, in the columns of runColumns(). Rows are added and removed one by one as the
/// library changes; checks and colours stay with their runs. Names and tags can be edited: the
/// library writes them and answers.
class RunTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role {
    kColorRole = Qt::UserRole,  ///< int: index into Colors::series, -1 = none yet.
    kStateRole,                 ///< int: RunState
    kTagsRole,                  ///< QStringList
    kDifferenceRole,            ///< QString: what differs from the other runs of its name.
  };

  /// `library` outlives the model.
  explicit RunTableModel(RunLibrary& library, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  const RunRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }

  /// -1 where there is no such run.
  int indexOf(const std::filesystem::path& path) const;

  /// Its name, and what differs from the other runs of that name.
  QString distinctName(int row) const;

  /// The checked runs, in the model's order.
  std::vector<std::filesystem::path> checked() const;

  bool isChecked(const std::filesystem::path& path) const { return checked_.contains(path); }

  void setChecked(const std::filesystem::path& path, bool on);
  void setChecked(const std::vector<std::filesystem::path>& paths, bool on);
  void uncheckAll();

  /// Index into Colors::series; a run gets its colour when it is first checked and keeps it.
  int colorIndex(const std::filesystem::path& path) const;
  void setColorIndex(const std::filesystem::path& path, int color);

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 Q_SIGNALS:
  /// Another set of runs is checked, or a checked one has another colour.
  void checkedChanged();

 private:
  void synchronize();
  void synchronizeRun(const std::filesystem::path& path);
  void rename(const std::filesystem::path& from, const std::filesystem::path& to);
  int freeColor() const;
  QVariant checkData(const RunRow& row, int role) const;
  void compareNamesakes();
  void notifyChange(const std::filesystem::path& path);

  RunLibrary& library_;
  std::vector<RunRow> rows_;
  QStringList differences_;  ///< From the other runs of a row's name; one per row.
  std::set<std::filesystem::path> checked_;
  std::map<std::filesystem::path, int> colors_;
};

}  // namespace lambda
