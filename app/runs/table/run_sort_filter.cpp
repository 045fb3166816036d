#include "app/runs/table/run_sort_filter.h"

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

bool sortsByNumber(RunTableModel::Column column) {
  return RunTableModel::isNumeric(column) || column == RunTableModel::kStarted;
}

/// All searchable texts of a run as one text.
QString haystackOf(const RunRow& row) {
  const RunRecord& record = row.run.record;
  QString text = row.name() + u'\n' + QString::fromStdString(row.run.name) + u'\n' +
                 QString::fromStdString(record.pattern) + u'\n' +
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
  return row < 0 ? QModelIndex() : mapFromSource(runs_.index(row, RunTableModel::kName));
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
  const auto column = static_cast<RunTableModel::Column>(left.column());
  // Missing values come last in either direction; Qt reverses the order for descending.
  const bool missingIsLess = sortOrder() == Qt::DescendingOrder;
  if (sortsByNumber(column)) {
    const double a = runs_.number(left.row(), column), b = runs_.number(right.row(), column);
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) != std::isnan(b) && std::isnan(a) == missingIsLess;
    return a < b;
  }
  if (column == RunTableModel::kShown) {
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
  const auto column = static_cast<RunTableModel::Column>(index.column());
  if (column != RunTableModel::kBestValidation && column != RunTableModel::kTest) return kNone;
  auto& known = column == RunTableModel::kTest ? testRange_ : validationRange_;
  if (!known) known = rangeOf(column);
  const double value = runs_.number(mapToSource(index).row(), column);
  if (!*known || std::isnan(value)) return kNone;
  if (value == (*known)->second) return kBest;
  return value == (*known)->first ? kWorst : kNone;
}

RunSortFilter::Range RunSortFilter::rangeOf(RunTableModel::Column column) const {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (int row = 0; row < rowCount(); ++row) {
    const double value = runs_.number(mapToSource(index(row, column)).row(), column);
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return low < high ? Range(std::pair(low, high)) : std::nullopt;
}

void RunSortFilter::forgetRanges() {
  validationRange_.reset();
  testRange_.reset();
}

}  // namespace lambda
