#include "app/runs/table/run_table_view.h"

#include <algorithm>

#include <QHeaderView>
#include <QKeyEvent>

#include "app/runs/run_table_model.h"
#include "app/runs/table/column_layout.h"
#include "app/runs/table/run_columns.h"
#include "app/runs/table/run_sort_filter.h"
#include "app/runs/table/run_table_delegate.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kRowHeight = 28;

}  // namespace

RunTableView::RunTableView(RunTableModel& runs, RunSortFilter& sorted, QWidget* parent)
    : QTableView(parent), runs_(runs), sorted_(sorted) {
  setModel(&sorted);
  setItemDelegate(new RunTableDelegate(this));
  setAccessibleName(u"Runs"_s);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setWordWrap(false);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(EditKeyPressed);
  setTabKeyNavigation(false);
  setHorizontalScrollMode(ScrollPerPixel);
  setContextMenuPolicy(Qt::CustomContextMenu);
  verticalHeader()->hide();
  setSortingEnabled(true);
  columns_ = new ColumnLayout(*this);
  setRowHeights();
  connect(selectionModel(),
          &QItemSelectionModel::selectionChanged,
          this,
          &RunTableView::selectionMoved);
  connect(
      selectionModel(), &QItemSelectionModel::currentChanged, this, &RunTableView::selectionMoved);
  connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
    if (index.column() != columnOf(RunColumn::shown)) Q_EMIT opened(sorted_.rowAt(index).run.path);
  });
  // Another value of a column may be the best one after a change.
  connect(&sorted, &QAbstractItemModel::dataChanged, viewport(), [this] { viewport()->update(); });
  onChange(*this, {QEvent::FontChange, QEvent::StyleChange}, [this] {
    setRowHeights();
    columns_->updateScale();
  });
}

std::vector<std::filesystem::path> RunTableView::selectedRuns() const {
  QModelIndexList rows = selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end(), [](const QModelIndex& a, const QModelIndex& b) {
    return a.row() < b.row();
  });
  std::vector<std::filesystem::path> runs;
  for (const QModelIndex& row : rows) runs.push_back(sorted_.rowAt(row).run.path);
  return runs;
}

std::filesystem::path RunTableView::currentRun() const {
  const QModelIndex current = currentIndex();
  if (current.isValid() && selectionModel()->isRowSelected(current.row())) {
    return sorted_.rowAt(current).run.path;
  }
  const std::vector<std::filesystem::path> selected = selectedRuns();
  return selected.empty() ? std::filesystem::path() : selected.front();
}

std::vector<const RunRow*> RunTableView::rowsOf(
    const std::vector<std::filesystem::path>& runs) const {
  std::vector<const RunRow*> rows;
  for (const std::filesystem::path& path : runs) {
    const int index = runs_.indexOf(path);
    if (index >= 0) rows.push_back(&runs_.row(index));
  }
  return rows;
}

const RunRow* RunTableView::currentRow() const {
  const int index = runs_.indexOf(currentRun());
  return index < 0 ? nullptr : &runs_.row(index);
}

bool RunTableView::selectRun(const std::filesystem::path& run) {
  const QModelIndex index = sorted_.indexOf(run);
  if (!index.isValid()) return false;
  selectionModel()->setCurrentIndex(
      index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  scrollTo(index);
  return true;
}

void RunTableView::editName() {
  const QModelIndex name = sorted_.indexOf(currentRun());
  if (!name.isValid()) return;
  setFocus();
  edit(name);
}

QString RunTableView::toText() const {
  std::vector<int> columns;
  for (int visual = 0; visual < sorted_.columnCount(); ++visual) {
    const int column = horizontalHeader()->logicalIndex(visual);
    if (column != columnOf(RunColumn::shown) && !isColumnHidden(column)) columns.push_back(column);
  }
  const auto line = [&](auto cellOf) {
    QStringList cells;
    for (const int column : columns) cells << cellOf(column).toString();
    return cells.join(u'\t') + u'\n';
  };
  QString text =
      line([&](int column) { return sorted_.headerData(column, Qt::Horizontal, Qt::DisplayRole); });
  const bool all = selectionModel()->selectedRows().isEmpty();
  for (int row = 0; row < sorted_.rowCount(); ++row) {
    if (!all && !selectionModel()->isRowSelected(row)) continue;
    text += line([&](int column) { return sorted_.index(row, column).data(); });
  }
  return text;
}

QMenu* RunTableView::columnsMenu() const {
  return columns_->menu();
}

void RunTableView::saveLayout(QSettings& settings) const {
  columns_->saveLayout(settings);
}

void RunTableView::restoreLayout(QSettings& settings) {
  columns_->restoreLayout(settings);
}

void RunTableView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Space:
      toggleSelected();
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (state() == EditingState || currentRun().empty()) break;
      Q_EMIT opened(currentRun());
      return;
    default:
      break;
  }
  QTableView::keyPressEvent(event);
}

void RunTableView::setRowHeights() {
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(qRound(kRowHeight * textScale()));
}

void RunTableView::toggleSelected() {
  const std::vector<std::filesystem::path> runs = selectedRuns();
  const bool anyUnchecked = std::any_of(
      runs.begin(), runs.end(), [this](const auto& run) { return !runs_.isChecked(run); });
  runs_.setChecked(runs, anyUnchecked);
}

}  // namespace lambda
