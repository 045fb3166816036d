#include "app/runs/panels/differences/differences_model.h"

#include <algorithm>
#include <utility>

#include "app/runs/table/run_columns.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The results of the runs, above their settings.
std::vector<SettingRow> resultsOf(const std::vector<DifferencesModel::Run>& runs) {
  std::vector<SettingRow> rows;
  for (const RunColumn id : {RunColumn::validation,
                             RunColumn::test,
                             RunColumn::epochs,
                             RunColumn::time,
                             RunColumn::imagesPerSecond,
                             RunColumn::parameters,
                             RunColumn::flops}) {
    const ColumnSpec& column = specOf(id);
    SettingRow row;
    row.group = u"Result"_s;
    row.label = column.title;
    row.meaning = column.meaning;
    for (const DifferencesModel::Run& run : runs) {
      RunSummary summary;
      summary.record = run.record;
      row.values << cellText(column, rowOf(summary));
    }
    row.differs = std::any_of(row.values.begin(), row.values.end(), [&](const QString& value) {
      return value != row.values.front();
    });
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

void DifferencesModel::setRuns(std::vector<Run> runs) {
  if (runs_ == runs) return;
  beginResetModel();
  runs_ = std::move(runs);
  std::vector<const RunRecord*> records;
  for (const Run& run : runs_) records.push_back(&run.record);
  rows_ = resultsOf(runs_);
  for (SettingRow& row : compareRuns(records)) rows_.push_back(std::move(row));
  rebuild();
  endResetModel();
}

void DifferencesModel::setOnlyDifferences(bool only) {
  if (onlyDifferences_ == only) return;
  beginResetModel();
  onlyDifferences_ = only;
  rebuild();
  endResetModel();
}

bool DifferencesModel::hasDifferences() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const SettingRow& row) { return row.differs; });
}

void DifferencesModel::rebuild() {
  lines_.clear();
  if (runs_.empty()) return;
  const bool hidesAlike = onlyDifferences_ && runs_.size() > 1;
  for (const SettingRow& row : rows_) {
    if (hidesAlike && !row.differs) continue;
    if (lines_.empty() || lines_.back().row.group != row.group) {
      Line group;
      group.isGroup = true;
      group.row.group = row.group;
      lines_.push_back(std::move(group));
    }
    lines_.push_back({false, row});
  }
}

int DifferencesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int DifferencesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 1 + static_cast<int>(runs_.size());
}

QVariant DifferencesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Line& line = lines_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case kIsGroupRole:
      return line.isGroup;
    case kDiffersRole:
      return line.row.differs;
    case Qt::DisplayRole:
      if (line.isGroup) return index.column() == 0 ? QVariant(line.row.group) : QVariant();
      if (index.column() == 0) return line.row.label;
      // A dash means that the run has no such setting.
      return line.row.values[index.column() - 1].isEmpty() ? QVariant(u"–"_s)
                                                           : line.row.values[index.column() - 1];
    case Qt::ToolTipRole:
      if (line.isGroup) return {};
      return index.column() == 0 ? line.row.meaning : line.row.values[index.column() - 1];
    default:
      return {};
  }
}

QVariant DifferencesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
  if (section == 0) return role == Qt::DisplayRole ? QVariant(u"Setting"_s) : QVariant();
  const Run& run = runs_[static_cast<std::size_t>(section) - 1];
  if (role == Qt::DisplayRole) return run.name;
  if (role == Qt::ToolTipRole) return lambda::toText(run.path.filename());
  if (role == kColorRole) return run.colorIndex;
  return {};
}

QString DifferencesModel::toText() const {
  QString text;
  for (int column = 0; column < columnCount(); ++column) {
    text += (column > 0 ? u"\t"_s : QString()) +
            headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  }
  for (int row = 0; row < rowCount(); ++row) {
    text += u'\n';
    for (int column = 0; column < columnCount(); ++column) {
      text += (column > 0 ? u"\t"_s : QString()) + index(row, column).data().toString();
    }
  }
  return text + u'\n';
}

}  // namespace lambda
