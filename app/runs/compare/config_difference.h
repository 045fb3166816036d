#pragma once

#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include "engine/values/run/run_record.h"

namespace lambda {

/// One setting of several runs.
struct SettingRow {
  std::string path;    ///< "recipe.batchSize"; for several equal blocks the path of the first.
  QString group;       ///< "Network", "Data", "Recipe", "Device", "Checkpoints", "Environment"
  QString label;       ///< "Batch size", "Stages 3 and 4, lambda layers: Query depth k"
  QString meaning;     ///< One line.
  QStringList values;  ///< One per run; empty where a run has no such setting.
  bool differs = false;

  bool operator==(const SettingRow&) const = default;
};

/// All settings of the runs in the order of their documents, and their environments. A setting that
/// the same runs have with equal values in several blocks is one row, which names the blocks. Names
/// and dates, which differ in all runs, are left out.
std::vector<SettingRow> compareRuns(const std::vector<const RunRecord*>& runs);

/// The differences of each run from the others, short enough for a legend: its architecture where
/// that differs, and the settings that differ with their values, without names and descriptions.
/// Texts are empty where nothing differs. "C-C-L-L, learning rate 0.1"
QStringList legendTexts(const std::vector<const RunRecord*>& runs);

}  // namespace lambda
