#include "app/experiments/experiment_progress.h"

#include <QStringList>

#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr qsizetype kMostFailures = 2;

/// Training seconds of the epochs that remain, without those of failed runs; 0 before the first
/// epoch.
double remainingSeconds(const ExperimentState& state) {
  double seconds = 0;
  int remaining = 0;
  for (const ExperimentCell& cell : state.cells) {
    const bool isOpen = cell.state == CellState::waiting || cell.state == CellState::running;
    seconds += cell.trainSeconds;
    remaining += isOpen ? cell.epochs - cell.epochsDone : 0;
  }
  int done = 0;
  for (const ExperimentCell& cell : state.cells) done += cell.epochsDone;
  return done > 0 ? seconds / done * remaining : 0;
}

}  // namespace

EpochCount epochsOf(const ExperimentState& state) {
  EpochCount epochs;
  for (const ExperimentCell& cell : state.cells) {
    const bool isOver = cell.state == CellState::done || cell.state == CellState::ended;
    epochs.done += isOver ? cell.epochs : cell.epochsDone;
    epochs.all += cell.epochs;
  }
  return epochs;
}

QString runsText(const ExperimentState& state) {
  QString text = u"%1 of %2 done"_s.arg(state.countOf(CellState::done))
                     .arg(countedText(std::ssize(state.cells), u"run"_s));
  const std::size_t failed = state.countOf(CellState::failed);
  if (failed > 0) text += u", %1 failed"_s.arg(failed);
  const std::size_t ended = state.countOf(CellState::ended);
  if (ended > 0) text += u", %1 ended early"_s.arg(ended);
  return text;
}

QString progressText(const ExperimentState& state) {
  const double seconds = remainingSeconds(state);
  if (seconds <= 0) return runsText(state);
  return runsText(state) + u", about %1 of training remain"_s.arg(durationText(seconds));
}

QString failuresText(const ExperimentState& state) {
  QStringList lines;
  for (const ExperimentCell& cell : state.cells) {
    if (cell.state != CellState::failed) continue;
    if (lines.size() == kMostFailures) {
      lines << u"The grid of runs names the others."_s;
      break;
    }
    // The last line of what a process wrote says what ended it.
    const QString reason = QString::fromStdString(cell.text).trimmed();
    lines << u"%1, seed %2, failed: %3"_s.arg(QString::fromStdString(state.variants[cell.variant]))
                 .arg(cell.seed)
                 .arg(reason.section(u'\n', -1));
  }
  return lines.join(u'\n');
}

}  // namespace lambda
