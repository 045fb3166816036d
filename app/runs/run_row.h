#pragma once

#include <limits>

#include <QString>

#include "app/runs/library/imported_log.h"
#include "app/session/run_summary.h"
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

RunState stateOf(const RunSummary& run);

RunRow rowOf(const RunSummary& run);

/// The summary of an imported log's curves: best and last accuracies, epochs, time.
RunRow rowOf(const ImportedLog& log);

/// "Finished"
QString nameOf(RunState state);

/// The meaning of the state for this run and what can be done, in a sentence or two.
QString sentenceFor(const RunRow& row);

/// Three digits and a prefix: "1.19 M", "456"; for parameters and FLOPs.
QString shortCountText(double count);

/// "21 Nov, 01:46" in local time, for other years "10 Apr 2021"; empty for NaN.
QString dateTimeText(double secondsSince1970);

/// "1 epoch", "3 epochs"
QString countedText(qint64 count, const QString& one, const QString& many);

/// "1.5 MB"
QString bytesText(std::uint64_t bytes);

}  // namespace lambda
