#include "app/runs/table/run_sort_filter.h"

#include <algorithm>
#include <cmath>

#include "app/runs/table/run_columns.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const ColumnSpec& specAt(const QModelIndex& index) {
  return runColumns()[static_cast<std::size_t>(index.column())];
}

/// All searchable texts of a run as one text.
QString haystackOf(const RunRow& row) {
  const RunRecord& record = row.run.record;
  QString text = row.name() + u'\n' + QString::fromStdString(row.run.name) + u'\n' +
                 QString::fromStdString(record.pattern) + u'\n' + dataSetName(row) + u'\n' +
                 QString::fromStdString(record.notes);
  for (const std::string& tag : record.tags) text += u'\n' + QString::fromStdString(tag);
  return text;
}

bool hasAllWords(const RunRow& row, const QString& search) {
  const QString haystack = haystackOf(row);
  const QStringList words = search.split(u' ', Qt::SkipEmptyParts);
  return std::all_of(words.begin(), words.end(), [&](const QString& word) {
    return haystack.contains(word, Qt::CaseInsensitive);
  });
}

template <class Texts>
QStringList sorted(const Texts& texts) {
  QStringList list(texts.begin(), texts.end());
  list.removeAll(QString());
  return list;
}

}  // namespace

RunSortFilter::RunSortFilter(RunTableModel& runs, QObject* parent)
    : QSortFilterProxyModel(parent), runs_(runs), collator_(shownLocale()) {
  collator_.setNumericMode(true);
  collator_.setCaseSensitivity(Qt::CaseInsensitive);
  for (const auto change : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
    connect(this, change, this, &RunSortFilter::forgetRanges);
  }
  connect(this, &QAbstractItemModel::dataChanged, this, &RunSortFilter::forgetRanges);
  connect(this, &QAbstractItemModel::modelReset, this, &RunSortFilter::forgetRanges);
  setSourceModel(&runs);
}

void RunSortFilter::setFilter(const RunFilter& filter) {
  if (filter_ == filter) return;
  filter_ = filter;
  invalidateFilter();
}

const RunRow& RunSortFilter::rowAt(const QModelIndex& index) const {
  return runs_.row(mapToSource(index).row());
}

QModelIndex RunSortFilter::indexOf(const std::filesystem::path& path) const {
  const int row = runs_.indexOf(path);
  return row < 0 ? QModelIndex() : mapFromSource(runs_.index(row, columnOf(RunColumn::name)));
}

QVariant RunSortFilter::data(const QModelIndex& index, int role) const {
  if (role == kExtremeRole) return static_cast<int>(extremeOf(index));
  return QSortFilterProxyModel::data(index, role);
}

QStringList RunSortFilter::architectures() const {
  std::set<QString> found;
  for (int row = 0; row < runs_.rowCount(); ++row) {
    found.insert(QString::fromStdString(runs_.row(row).run.record.pattern));
  }
  return sorted(found);
}

QStringList RunSortFilter::tags() const {
  std::set<QString> found;
  for (int row = 0; row < runs_.rowCount(); ++row) {
    for (const std::string& tag : runs_.row(row).run.record.tags) {
      found.insert(QString::fromStdString(tag));
    }
  }
  return sorted(found);
}

bool RunSortFilter::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
  if (filter_.isEmpty()) return true;
  const RunRow& run = runs_.row(row);
  const RunRecord& record = run.run.record;
  if (!filter_.states.empty() && !filter_.states.contains(run.state)) return false;
  if (!filter_.architectures.empty() &&
      !filter_.architectures.contains(QString::fromStdString(record.pattern))) {
    return false;
  }
  const bool hasTag =
      filter_.tags.empty() ||
      std::any_of(record.tags.begin(), record.tags.end(), [&](const std::string& tag) {
        return filter_.tags.contains(QString::fromStdString(tag));
      });
  return hasTag && hasAllWords(run, filter_.search);
}

bool RunSortFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const ColumnSpec& column = specAt(left);
  // Missing values come last in either direction; Qt reverses the order for descending.
  const bool missingIsLess = sortOrder() == Qt::DescendingOrder;
  if (column.number) {
    const double a = column.number(runs_.row(left.row()));
    const double b = column.number(runs_.row(right.row()));
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) != std::isnan(b) && std::isnan(a) == missingIsLess;
    return a < b;
  }
  if (column.look == CellLook::check) {
    const auto isChecked = [](const QModelIndex& index) {
      return index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    };
    return isChecked(left) > isChecked(right);
  }
  const QString a = left.data().toString(), b = right.data().toString();
  if (a.isEmpty() || b.isEmpty()) return a.isEmpty() != b.isEmpty() && a.isEmpty() == missingIsLess;
  return collator_.compare(a, b) < 0;
}

RunSortFilter::Extreme RunSortFilter::extremeOf(const QModelIndex& index) const {
  const ColumnSpec& column = specAt(index);
  if (!column.marksBest) return kNone;
  const RunRow& row = rowAt(index);
  const Ranges& ranges = rangesOf(index.column());
  const auto range = ranges.find(comparableDataOf(row));
  const double value = column.number(row);
  if (range == ranges.end() || range->second.first == range->second.second) return kNone;
  if (value == range->second.second) return kBest;
  return value == range->second.first ? kWorst : kNone;
}

const RunSortFilter::Ranges& RunSortFilter::rangesOf(int column) const {
  const auto [entry, isNew] = ranges_.try_emplace(column);
  Ranges& ranges = entry->second;
  if (!isNew) return ranges;
  for (int i = 0; i < rowCount(); ++i) {
    const RunRow& row = rowAt(index(i, column));
    const std::string data = comparableDataOf(row);
    const double value = runColumns()[static_cast<std::size_t>(column)].number(row);
    if (data.empty() || std::isnan(value)) continue;
    const auto [known, isFirst] = ranges.try_emplace(data, value, value);
    auto& [low, high] = known->second;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return ranges;
}

void RunSortFilter::forgetRanges() {
  ranges_.clear();
}

}  // namespace lambda
