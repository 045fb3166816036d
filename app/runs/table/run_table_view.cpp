#include "app/runs/table/run_table_view.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QSettings>

#include "app/runs/run_table_model.h"
#include "app/runs/table/run_sort_filter.h"
#include "app/runs/table/run_table_delegate.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

using Column = RunTableModel::Column;

constexpr int kRowHeight = 28;

/// Widths in pixels at scale 1.
constexpr std::array<int, RunTableModel::kColumns> kWidths{
    34, 150, 96, 92, 82, 66, 80, 98, 64, 92, 70, 100, 104, 96, 60};

const QString kHeaderKey = u"tableHeader"_s;
const QString kScaleKey = u"tableScale"_s;

/// The least used column is hidden at first, so that the table is narrower.
bool isShownAtFirst(int column) {
  return column != Column::kDevice;
}

}  // namespace

RunTableView::RunTableView(RunTableModel& runs, RunSortFilter& sorted, QWidget* parent)
    : QTableView(parent),
      runs_(runs),
      sorted_(sorted),
      columnsMenu_(new QMenu(tr("Columns"), this)),
      scale_(textScale()) {
  setModel(&sorted);
  setItemDelegate(new RunTableDelegate(this));
  setAccessibleName(tr("Runs"));
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
  QHeaderView& header = *horizontalHeader();
  header.setSectionsMovable(true);
  header.setFirstSectionMovable(false);
  header.setHighlightSections(false);
  header.setStretchLastSection(true);
  header.setSortIndicatorShown(true);
  header.setMinimumSectionSize(28);
  setSortingEnabled(true);
  sortByColumn(Column::kStarted, Qt::DescendingOrder);
  for (int column = 0; column < RunTableModel::kColumns; ++column) {
    setColumnWidth(column, qRound(kWidths[static_cast<std::size_t>(column)] * textScale()));
    setColumnHidden(column, !isShownAtFirst(column));
  }
  header.setSectionResizeMode(Column::kShown, QHeaderView::Fixed);
  setRowHeights();
  makeColumnsMenu();
  header.setContextMenuPolicy(Qt::CustomContextMenu);
  connect(&header, &QWidget::customContextMenuRequested, this, [this, &header](const QPoint& at) {
    columnsMenu_->popup(header.mapToGlobal(at));
  });
  connect(selectionModel(),
          &QItemSelectionModel::selectionChanged,
          this,
          &RunTableView::selectionMoved);
  connect(
      selectionModel(), &QItemSelectionModel::currentChanged, this, &RunTableView::selectionMoved);
  connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
    if (index.column() != Column::kShown) Q_EMIT opened(sorted_.rowAt(index).run.path);
  });
  // Another value of a column may be the best one after a change.
  connect(&sorted, &QAbstractItemModel::dataChanged, viewport(), [this] { viewport()->update(); });
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
    if (column != Column::kShown && !isColumnHidden(column)) columns.push_back(column);
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

void RunTableView::saveTo(QSettings& settings) const {
  settings.setValue(kHeaderKey, horizontalHeader()->saveState());
  settings.setValue(kScaleKey, scale_);
}

void RunTableView::restoreFrom(QSettings& settings) {
  const QByteArray state = settings.value(kHeaderKey).toByteArray();
  if (state.isEmpty() || !horizontalHeader()->restoreState(state)) return;
  const QHeaderView& header = *horizontalHeader();
  sortByColumn(header.sortIndicatorSection(), header.sortIndicatorOrder());
  // The saved widths belong to the text size at that time.
  scale_ = std::max(1.0, settings.value(kScaleKey, 1.0).toDouble());
  scaleCells();
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

void RunTableView::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) scaleCells();
}

void RunTableView::makeColumnsMenu() {
  connect(columnsMenu_, &QMenu::aboutToShow, this, [this] {
    columnsMenu_->clear();
    for (int column = Column::kStatus; column < RunTableModel::kColumns; ++column) {
      QAction* action = columnsMenu_->addAction(
          sorted_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
      action->setCheckable(true);
      action->setChecked(!isColumnHidden(column));
      connect(action, &QAction::toggled, this, [this, column](bool on) {
        setColumnHidden(column, !on);
        if (on && columnWidth(column) < 40) {
          setColumnWidth(column, qRound(kWidths[static_cast<std::size_t>(column)] * textScale()));
        }
      });
    }
  });
}

void RunTableView::scaleCells() {
  const double growth = textScale() / std::exchange(scale_, textScale());
  setRowHeights();
  if (growth == 1) return;
  for (int column = 0; column < RunTableModel::kColumns; ++column) {
    if (!isColumnHidden(column)) setColumnWidth(column, qRound(columnWidth(column) * growth));
  }
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
