#include "app/runs/table/column_layout.h"

#include <algorithm>
#include <utility>

#include <QAbstractItemDelegate>
#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSettings>
#include <QStyleOptionViewItem>
#include <QTableView>

#include "app/runs/table/run_columns.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// In a longer table, the first rows decide how wide the columns are.
constexpr int kMeasuredRows = 200;
constexpr int kFitMs = 50;
/// Narrower columns can't be found.
constexpr int kNarrowest = 40;

/// The layout that this program writes; others are not read.
constexpr int kVersion = 1;
const QString kGroup = u"table"_s;
const QString kVersionKey = u"version"_s;
const QString kColumnsKey = u"columns"_s;
const QString kSortKey = u"sort"_s;
const QString kDescendingKey = u"descending"_s;
const QString kLayoutScaleKey = u"scale"_s;

int columnCount() {
  return static_cast<int>(runColumns().size());
}

const ColumnSpec& specAt(int column) {
  return runColumns()[static_cast<std::size_t>(column)];
}

/// -1 where there is no such column.
int columnNamed(const QString& key) {
  const auto& columns = runColumns();
  const auto found = std::find_if(
      columns.begin(), columns.end(), [&](const ColumnSpec& spec) { return spec.key == key; });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

}  // namespace

ColumnLayout::ColumnLayout(QTableView& table)
    : QObject(&table), table_(table), menu_(new QMenu(u"Columns"_s, &table)), scale_(textScale()) {
  QHeaderView& header = *table.horizontalHeader();
  header.setSectionsMovable(true);
  header.setFirstSectionMovable(false);
  header.setHighlightSections(false);
  header.setStretchLastSection(true);
  header.setSortIndicatorShown(true);
  header.setContextMenuPolicy(Qt::CustomContextMenu);
  fitTimer_.setSingleShot(true);
  fitTimer_.setInterval(kFitMs);
  reset();
  connect(&fitTimer_, &QTimer::timeout, this, &ColumnLayout::fit);
  connect(menu_, &QMenu::aboutToShow, this, &ColumnLayout::fill);
  connect(&header, &QWidget::customContextMenuRequested, this, [this, &header](const QPoint& at) {
    menu_->popup(header.mapToGlobal(at));
  });
  connect(&header, &QHeaderView::sectionResized, this, &ColumnLayout::onResized);
  table.viewport()->installEventFilter(this);
  const QAbstractItemModel& model = *table.model();
  connect(&model, &QAbstractItemModel::rowsInserted, this, &ColumnLayout::fitSoon);
  connect(&model, &QAbstractItemModel::rowsRemoved, this, &ColumnLayout::fitSoon);
  connect(&model, &QAbstractItemModel::dataChanged, this, &ColumnLayout::fitSoon);
}

void ColumnLayout::reset() {
  QHeaderView& header = *table_.horizontalHeader();
  chosen_.clear();
  for (int column = 0; column < columnCount(); ++column) {
    header.moveSection(header.visualIndex(column), column);
    table_.setColumnHidden(column, !specAt(column).isShownAtFirst);
  }
  header.setSectionResizeMode(columnOf(RunColumn::shown), QHeaderView::Fixed);
  table_.sortByColumn(columnOf(RunColumn::started), Qt::DescendingOrder);
  fit();
}

void ColumnLayout::fill() {
  menu_->clear();
  for (int column = 0; column < columnCount(); ++column) {
    const ColumnSpec& spec = specAt(column);
    if (spec.id == RunColumn::shown || spec.id == RunColumn::name) continue;
    QAction* action = menu_->addAction(spec.title);
    action->setToolTip(spec.meaning);
    action->setCheckable(true);
    action->setChecked(!table_.isColumnHidden(column));
    connect(action, &QAction::toggled, this, [this, column](bool on) {
      table_.setColumnHidden(column, !on);
      fit();
    });
  }
}

void ColumnLayout::fitSoon() {
  if (!fitTimer_.isActive()) fitTimer_.start();
}

void ColumnLayout::fit() {
  const QScopedValueRollback fitting(isFitting_, true);
  table_.horizontalHeader()->setMinimumSectionSize(qRound(kNarrowest * 0.7));
  for (int column = 0; column < columnCount(); ++column) {
    if (table_.isColumnHidden(column) || chosen_.contains(column)) continue;
    table_.setColumnWidth(column, widthOf(column));
  }
  giveWay();
}

void ColumnLayout::giveWay() {
  // The last column takes what is left, so that the width of the header tells nothing.
  int excess = -table_.viewport()->width();
  for (int column = 0; column < columnCount(); ++column) {
    if (table_.isColumnHidden(column)) continue;
    excess += chosen_.contains(column) ? table_.columnWidth(column) : widthOf(column);
  }
  for (int column = 0; column < columnCount() && excess > 0; ++column) {
    const int narrowest = qRound(specAt(column).narrowest * textScale());
    const int width = table_.columnWidth(column);
    if (narrowest == 0 || chosen_.contains(column) || width <= narrowest) continue;
    table_.setColumnWidth(column, std::max(narrowest, width - excess));
    excess -= width - table_.columnWidth(column);
  }
}

bool ColumnLayout::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fitSoon();
  return QObject::eventFilter(watched, event);
}

int ColumnLayout::widthOf(int column) const {
  const ColumnSpec& spec = specAt(column);
  const int widest = qRound(spec.widest * textScale());
  if (spec.look == CellLook::check) return widest;
  QStyleOptionViewItem option;
  option.widget = &table_;
  option.font = table_.font();
  const QAbstractItemModel& model = *table_.model();
  int width = table_.horizontalHeader()->sectionSizeHint(column);
  for (int row = 0; row < std::min(model.rowCount(), kMeasuredRows) && width < widest; ++row) {
    width =
        std::max(width, table_.itemDelegate()->sizeHint(option, model.index(row, column)).width());
  }
  return std::min(width, widest);
}

void ColumnLayout::onResized(int column, int from, int to) {
  const QHeaderView& header = *table_.horizontalHeader();
  int last = header.count() - 1;
  while (last > 0 && header.isSectionHidden(header.logicalIndex(last))) --last;
  const bool isStretched = header.visualIndex(column) == last;
  if (!isFitting_ && from > 0 && to > 0 && !isStretched) chosen_[column] = to;
}

void ColumnLayout::updateScale() {
  const double growth = textScale() / std::exchange(scale_, textScale());
  if (growth != 1) {
    const QScopedValueRollback fitting(isFitting_, true);
    for (auto& [column, width] : chosen_) {
      width = qRound(width * growth);
      table_.setColumnWidth(column, width);
    }
  }
  fit();
}

void ColumnLayout::saveLayout(QSettings& settings) const {
  const QHeaderView& header = *table_.horizontalHeader();
  QStringList columns;
  for (int place = 0; place < header.count(); ++place) {
    const int column = header.logicalIndex(place);
    const auto chosen = chosen_.find(column);
    columns << u"%1|%2|%3"_s.arg(specAt(column).key)
                   .arg(chosen == chosen_.end() ? 0 : chosen->second)
                   .arg(header.isSectionHidden(column) ? 0 : 1);
  }
  settings.beginGroup(kGroup);
  settings.setValue(kVersionKey, kVersion);
  settings.setValue(kColumnsKey, columns);
  settings.setValue(kSortKey, specAt(header.sortIndicatorSection()).key);
  settings.setValue(kDescendingKey, header.sortIndicatorOrder() == Qt::DescendingOrder);
  settings.setValue(kLayoutScaleKey, scale_);
  settings.endGroup();
}

void ColumnLayout::restoreLayout(QSettings& settings) {
  reset();
  settings.beginGroup(kGroup);
  if (settings.value(kVersionKey).toInt() == kVersion) {
    const QScopedValueRollback fitting(isFitting_, true);
    QHeaderView& header = *table_.horizontalHeader();
    int place = 0;
    for (const QString& entry : settings.value(kColumnsKey).toStringList()) {
      const int column = columnNamed(entry.section(u'|', 0, 0));
      if (column < 0) continue;
      header.moveSection(header.visualIndex(column), place++);
      table_.setColumnHidden(column, entry.section(u'|', 2, 2) == u'0');
      const int width = entry.section(u'|', 1, 1).toInt();
      if (width < kNarrowest) continue;
      table_.setColumnWidth(column, width);
      chosen_[column] = width;
    }
    const int sorted = columnNamed(settings.value(kSortKey).toString());
    if (sorted >= 0) {
      table_.sortByColumn(
          sorted,
          settings.value(kDescendingKey).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    // The saved widths belong to the text size at that time.
    scale_ = std::max(1.0, settings.value(kLayoutScaleKey, 1.0).toDouble());
  }
  settings.endGroup();
  updateScale();
}

}  // namespace lambda
