#include "app/experiments/experiment_grid.h"

#include <algorithm>

#include <QHeaderView>
#include <QKeyEvent>

#include "engine/experiments/difference_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Roles of an item's data.
constexpr int kRunRole = Qt::UserRole;
constexpr int kStateRole = Qt::UserRole + 1;

QColor colorOf(CellState state, const Colors& colors) {
  switch (state) {
    case CellState::waiting:
    case CellState::ended:
      return colors.textSecondary;
    case CellState::running:
      return colors.accent;
    case CellState::failed:
      return colors.error;
    case CellState::done:
      break;
  }
  return colors.text;
}

QString textOf(const ExperimentCell& cell, const Measure& measure, std::size_t index) {
  switch (cell.state) {
    case CellState::waiting:
      if (cell.epochsDone == 0) return u"waiting"_s;
      return u"paused, epoch %1 of %2"_s.arg(cell.epochsDone).arg(cell.epochs);
    case CellState::running:
      return u"epoch %1 of %2"_s.arg(cell.epochsDone).arg(cell.epochs);
    case CellState::failed:
      return u"failed"_s;
    case CellState::ended:
      return u"ended after epoch %1"_s.arg(cell.epochsDone);
    case CellState::done:
      break;
  }
  if (index >= cell.values.size() || !cell.values[index]) return u"done, no value"_s;
  return QString::fromStdString(quantityText(measure.quantity, *cell.values[index]));
}

}  // namespace

ExperimentGrid::ExperimentGrid(QWidget* parent) : QTableWidget(parent) {
  setObjectName(u"grid"_s);
  setAccessibleName(u"Runs of the experiment: variants and seeds"_s);
  setEditTriggers(NoEditTriggers);
  setSelectionMode(SingleSelection);
  setTabKeyNavigation(false);
  verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  connect(this, &QTableWidget::cellClicked, this, &ExperimentGrid::requestRun);
  onPaletteChange(*this, [this] { updateColors(); });
  onFontChangeOfParts(*this, [this] { resizeColumnsToContents(); });
}

void ExperimentGrid::setState(const ExperimentState& state, std::size_t measure) {
  const auto& seeds = state.experiment.seeds;
  setRowCount(static_cast<int>(state.variants.size()));
  setColumnCount(static_cast<int>(seeds.size()));
  for (int row = 0; row < rowCount(); ++row) {
    const auto variant = static_cast<std::size_t>(row);
    QString name = QString::fromStdString(state.variants[variant]);
    if (variant == state.baseline) name += u" (baseline)"_s;
    setVerticalHeaderItem(row, new QTableWidgetItem(name));
  }
  for (int column = 0; column < columnCount(); ++column) {
    const auto seed = seeds[static_cast<std::size_t>(column)];
    setHorizontalHeaderItem(column, new QTableWidgetItem(u"Seed %1"_s.arg(seed)));
  }
  for (const ExperimentCell& cell : state.cells) {
    const auto column = std::ranges::find(seeds, cell.seed) - seeds.begin();
    showCell(cell, static_cast<int>(column), state.experiment.measures[measure], measure);
  }
  updateColors();
  resizeColumnsToContents();
}

void ExperimentGrid::showCell(const ExperimentCell& cell,
                              int column,
                              const Measure& measure,
                              std::size_t index) {
  const int row = static_cast<int>(cell.variant);
  if (!item(row, column)) setItem(row, column, new QTableWidgetItem);
  QTableWidgetItem& shown = *item(row, column);
  const QString reason = QString::fromStdString(cell.text);
  shown.setText(textOf(cell, measure, index));
  shown.setToolTip(reason.toHtmlEscaped());
  shown.setData(Qt::AccessibleDescriptionRole, reason);
  shown.setData(kRunRole, cell.hasRun ? QString::fromStdString(cell.runFolder) : QString());
  shown.setData(kStateRole, static_cast<int>(cell.state));
}

void ExperimentGrid::updateColors() {
  const Colors& colors = colorsOf(*this);
  for (int row = 0; row < rowCount(); ++row) {
    for (int column = 0; column < columnCount(); ++column) {
      QTableWidgetItem* cell = item(row, column);
      if (!cell) continue;
      cell->setForeground(colorOf(static_cast<CellState>(cell->data(kStateRole).toInt()), colors));
    }
  }
}

void ExperimentGrid::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    requestRun(currentRow(), currentColumn());
    return;
  }
  QTableWidget::keyPressEvent(event);
}

void ExperimentGrid::requestRun(int row, int column) {
  const QTableWidgetItem* cell = item(row, column);
  const QString run = cell ? cell->data(kRunRole).toString() : QString();
  if (!run.isEmpty()) Q_EMIT runRequested(run.toStdString());
}

}  // namespace lambda
