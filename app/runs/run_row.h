#pragma once

#include <limits>
#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/runs/library/imported_log.h"
#include "app/session/runs/run_summary.h"
#include "widgets/theme/shown_text.h"

namespace lambda {

/// The state of a run in lists.
enum class RunState {
  training,     ///< A process is training it.
  paused,       ///< A process has paused its training.
  finished,     ///< All epochs are done.
  stopped,      ///< A person stopped it; it can be continued.
  failed,       ///< It ended with an error.
  interrupted,  ///< Recorded as running without a process: it was killed.
  damaged,      ///< Its run.json can't be read.
  imported,     ///< Curves of another program.
};

inline constexpr int kRunStates = 8;

/// A row of the table: a run, or the curves of another program as far as they fill a row.
struct RunRow {
  RunSummary run;
  RunState state = RunState::damaged;
  /// Seconds since 1970; NaN where it is not known.
  double started = std::numeric_limits<double>::quiet_NaN();

  bool operator==(const RunRow& other) const { return run == other.run && state == other.state; }

  bool isImported() const { return state == RunState::imported; }

  bool isHeld() const { return state == RunState::training || state == RunState::paused; }

  /// Whether its settings and network are known.
  bool hasRecord() const { return !isImported() && state != RunState::damaged; }

  /// The name a person gave it, else the folder's.
  QString name() const;
};

/// Whether its name, tags and notes can be changed: no process trains it, and the record is this
/// program's.
bool canChange(const RunRow& row);

QStringList tagsOf(const RunRow& row);

/// Splits "good, seed 0" into tags, each once.
std::vector<std::string> tagsFrom(const QString& text);

/// "CIFAR-10", or the last part of the path of other images; empty where it is not known.
QString dataSetName(const RunRow& row);

/// The path of the data set, or its kind where there is no path.
QString dataSetPlace(const RunRow& row);

/// Equal for runs whose accuracies can be compared: those on the same images or sequences, wherever
/// they lie. Empty where the data set is not known.
std::string comparableDataOf(const RunRow& row);

RunState stateOf(const RunSummary& run);

RunRow rowOf(const RunSummary& run);

/// The summary of an imported log's curves: best and last accuracies, epochs, time.
RunRow rowOf(const ImportedLog& log);

/// "Finished"
QString nameOf(RunState state);

/// The meaning of the state for this run and what can be done, in a sentence or two.
QString sentenceFor(const RunRow& row);

}  // namespace lambda
