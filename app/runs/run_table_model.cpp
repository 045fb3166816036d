#include "app/runs/run_table_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <QSettings>
#include <QStringList>

#include "app/runs/compare/namesakes.h"
#include "app/runs/run_library.h"
#include "app/runs/table/run_columns.h"
#include "widgets/text/path_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr int kColorCount = std::tuple_size_v<decltype(Colors::series)>;

const QString kColorsKey = u"colors"_s;
const QString kCheckedKey = u"checked"_s;

/// Number of runs whose colours are saved between starts of the program.
constexpr int kRememberedColors = 500;

QVariant alignmentOf(const ColumnSpec& column) {
  return QVariant::fromValue((column.look == CellLook::number ? Qt::AlignRight : Qt::AlignLeft) |
                             Qt::AlignVCenter);
}

std::vector<RunRow> rowsOf(const RunLibrary& library) {
  std::vector<RunRow> rows;
  rows.reserve(library.runs().size() + library.importedLogs().size());
  for (const RunSummary& run : library.runs()) rows.push_back(rowOf(run));
  for (const ImportedLog& log : library.importedLogs()) rows.push_back(rowOf(log));
  return rows;
}

}  // namespace

RunTableModel::RunTableModel(RunLibrary& library, QObject* parent)
    : QAbstractTableModel(parent), library_(library), rows_(rowsOf(library)) {
  compareNamesakes();
  connect(&library, &RunLibrary::changed, this, &RunTableModel::synchronize);
  connect(&library, &RunLibrary::runChanged, this, &RunTableModel::synchronizeRun);
  connect(&library, &RunLibrary::renamed, this, &RunTableModel::rename);
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(runColumns().size());
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const RunRow& row = this->row(index.row());
  const ColumnSpec& column = runColumns()[static_cast<std::size_t>(index.column())];
  if (column.look == CellLook::check) return checkData(row, role);
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
    case Qt::AccessibleTextRole:
      return cellText(column, row);
    case Qt::ToolTipRole:
      if (column.look == CellLook::name && !differences_[index.row()].isEmpty()) {
        return toolTipText(distinctName(index.row()) + u'\n' + column.toolTip(row));
      }
      return toolTipText(column.toolTip ? column.toolTip(row) : cellText(column, row));
    case Qt::TextAlignmentRole:
      return alignmentOf(column);
    case kColorRole:
      return colorIndex(row.run.path);
    case kStateRole:
      return static_cast<int>(row.state);
    case kTagsRole:
      return tagsOf(row);
    case kDifferenceRole:
      return differences_[index.row()];
    default:
      return {};
  }
}

QVariant RunTableModel::checkData(const RunRow& row, int role) const {
  const bool isOn = isChecked(row.run.path);
  switch (role) {
    case Qt::ToolTipRole:
      return isOn ? u"Shown in the plots"_s : u"Show in the plots"_s;
    case Qt::CheckStateRole:
      return isOn ? Qt::Checked : Qt::Unchecked;
    case Qt::AccessibleTextRole:
      return u"Show the curves of %1"_s.arg(row.name());
    case kColorRole:
      return colorIndex(row.run.path);
    default:
      return {};
  }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};

  const ColumnSpec& column = runColumns()[static_cast<std::size_t>(section)];
  switch (role) {
    case Qt::DisplayRole:
      return column.title;
    case Qt::ToolTipRole:
      return column.meaning;
    case Qt::AccessibleTextRole:
      return column.look == CellLook::check ? u"Shown"_s : column.title;
    case Qt::TextAlignmentRole:
      return alignmentOf(column);
    default:
      return {};
  }
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (!index.isValid()) return flags;
  const RunColumn column = runColumns()[static_cast<std::size_t>(index.column())].id;
  if (column == RunColumn::shown) flags |= Qt::ItemIsUserCheckable;
  const bool isText = column == RunColumn::name || column == RunColumn::tags;
  if (isText && canChange(row(index.row()))) flags |= Qt::ItemIsEditable;
  return flags;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid()) return false;
  const fs::path path = row(index.row()).run.path;
  const RunColumn column = runColumns()[static_cast<std::size_t>(index.column())].id;
  if (column == RunColumn::shown && role == Qt::CheckStateRole) {
    setChecked(path, value.toInt() == Qt::Checked);
    return true;
  }
  if (role != Qt::EditRole || value.toString() == data(index, Qt::EditRole).toString())
    return false;
  if (column == RunColumn::name) library_.rename(path, value.toString());
  if (column == RunColumn::tags) library_.setTags(path, tagsFrom(value.toString()));
  // The model changes when the library has written the edit.
  return column == RunColumn::name || column == RunColumn::tags;
}

int RunTableModel::indexOf(const fs::path& path) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const RunRow& row) {
    return row.run.path.native() == path.native();
  });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

QString RunTableModel::distinctName(int index) const {
  const QString& difference = differences_[index];
  return difference.isEmpty() ? row(index).name() : row(index).name() + u": "_s + difference;
}

std::vector<fs::path> RunTableModel::checked() const {
  std::vector<fs::path> paths;
  for (const RunRow& row : rows_) {
    if (isChecked(row.run.path)) paths.push_back(row.run.path);
  }
  return paths;
}

void RunTableModel::setChecked(const fs::path& path, bool on) {
  setChecked(std::vector{path}, on);
}

void RunTableModel::setChecked(const std::vector<fs::path>& paths, bool on) {
  const std::set<fs::path> before = checked_;
  for (const fs::path& path : paths) {
    if (isChecked(path) == on) continue;
    if (on) {
      if (!colors_.contains(path)) colors_[path] = freeColor();
      checked_.insert(path);
    } else {
      checked_.erase(path);
    }
    notifyChange(path);
  }
  if (checked_ != before) Q_EMIT checkedChanged();
}

void RunTableModel::uncheckAll() {
  const std::set<fs::path> before = std::exchange(checked_, {});
  for (const fs::path& path : before) notifyChange(path);
  if (!before.empty()) Q_EMIT checkedChanged();
}

int RunTableModel::colorIndex(const fs::path& path) const {
  const auto found = colors_.find(path);
  return found == colors_.end() ? -1 : found->second;
}

void RunTableModel::setColorIndex(const fs::path& path, int color) {
  if (colorIndex(path) == color) return;
  colors_[path] = color;
  notifyChange(path);
  if (isChecked(path)) Q_EMIT checkedChanged();
}

int RunTableModel::freeColor() const {
  // A colour unlike those on the screen, then unlike those that other runs have.
  std::array<int, kColorCount> shown{}, known{};
  for (const auto& [path, color] : colors_) {
    ++known[static_cast<std::size_t>(color)];
    if (isChecked(path)) ++shown[static_cast<std::size_t>(color)];
  }
  int best = 0;
  for (int color = 1; color < kColorCount; ++color) {
    const auto weight = [&](int i) {
      return std::pair(shown[static_cast<std::size_t>(i)], known[static_cast<std::size_t>(i)]);
    };
    if (weight(color) < weight(best)) best = color;
  }
  return best;
}

void RunTableModel::notifyChange(const fs::path& path) {
  const int row = indexOf(path);
  if (row >= 0) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void RunTableModel::synchronize() {
  std::vector<RunRow> next = rowsOf(library_);
  std::set<fs::path> paths;
  for (const RunRow& row : next) paths.insert(row.run.path);
  bool lostChecked = false;
  for (int last = rowCount() - 1; last >= 0;) {
    if (paths.contains(row(last).run.path)) {
      --last;
      continue;
    }
    int first = last;
    while (first > 0 && !paths.contains(row(first - 1).run.path)) --first;
    beginRemoveRows({}, first, last);
    for (int i = first; i <= last; ++i)
      lostChecked = checked_.erase(row(i).run.path) > 0 || lostChecked;
    rows_.erase(rows_.begin() + first, rows_.begin() + last + 1);
    differences_.remove(first, last - first + 1);
    endRemoveRows();
    last = first - 1;
  }
  // The remaining rows have the order of `next`: libraries list runs by their paths.
  for (int i = 0; i < static_cast<int>(next.size()); ++i) {
    auto& fresh = next[static_cast<std::size_t>(i)];
    if (i < rowCount() && row(i).run.path == fresh.run.path) {
      if (row(i) == fresh) continue;
      rows_[static_cast<std::size_t>(i)] = std::move(fresh);
      Q_EMIT dataChanged(index(i, 0), index(i, columnCount() - 1));
      continue;
    }
    int last = i;
    const auto end = static_cast<int>(next.size()) - 1;
    while (last < end && (i >= rowCount() ||
                          next[static_cast<std::size_t>(last) + 1].run.path != row(i).run.path)) {
      ++last;
    }
    beginInsertRows({}, i, last);
    rows_.insert(rows_.begin() + i,
                 std::make_move_iterator(next.begin() + i),
                 std::make_move_iterator(next.begin() + last + 1));
    differences_.insert(i, last - i + 1, QString());
    endInsertRows();
    i = last;
  }
  compareNamesakes();
  if (lostChecked) Q_EMIT checkedChanged();
}

void RunTableModel::synchronizeRun(const fs::path& path) {
  const int at = indexOf(path);
  const RunSummary* run = library_.find(path);
  if (at < 0 || !run) return;
  RunRow& known = rows_[static_cast<std::size_t>(at)];
  const RunConfig before = known.run.record.config;
  known = rowOf(*run);
  Q_EMIT dataChanged(index(at, 0), index(at, columnCount() - 1));
  if (run->record.config != before) compareNamesakes();
}

void RunTableModel::compareNamesakes() {
  const QStringList before = std::exchange(differences_, differencesOfNamesakes(rows_));
  const int name = columnOf(RunColumn::name);
  for (int i = 0; i < before.size(); ++i) {
    if (before[i] != differences_[i]) Q_EMIT dataChanged(index(i, name), index(i, name));
  }
}

void RunTableModel::rename(const fs::path& from, const fs::path& to) {
  if (const auto color = colors_.extract(from)) colors_[to] = color.mapped();
  if (checked_.erase(from) > 0) checked_.insert(to);
}

void RunTableModel::saveLayout(QSettings& settings) const {
  QStringList colors, checked;
  for (const auto& [path, color] : colors_) {
    if (colors.size() < kRememberedColors) colors << QString::number(color) + u':' + toText(path);
  }
  for (const fs::path& path : checked_) checked << toText(path);
  settings.setValue(kColorsKey, colors);
  settings.setValue(kCheckedKey, checked);
}

void RunTableModel::restoreLayout(QSettings& settings) {
  for (const QString& entry : settings.value(kColorsKey).toStringList()) {
    const int color = entry.section(u':', 0, 0).toInt();
    if (color >= 0 && color < kColorCount) colors_[toPath(entry.section(u':', 1))] = color;
  }
  std::vector<fs::path> checked;
  for (const QString& path : settings.value(kCheckedKey).toStringList()) {
    checked.push_back(toPath(path));
  }
  setChecked(checked, true);
}

}  // namespace lambda
