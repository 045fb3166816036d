#pragma once

#include <functional>
#include <vector>

#include <QString>

#include "app/runs/run_row.h"

namespace lambda {

/// The columns that code refers to. Others need no name.
enum class RunColumn {
  none,
  shown,  ///< The check, in the colour of the run.
  name,
  status,
  dataSet,
  architecture,
  parameters,
  flops,
  validation,
  test,
  epochs,
  time,
  imagesPerSecond,
  started,
  device,
  tags,
  notes,
};

/// How the cells of a column are drawn.
enum class CellLook { check, name, state, text, number, aside, tags };

/// A field of an exported table: its name in the first line, and its text for a run.
struct ExportedField {
  QString name;
  std::function<QString(const RunRow&)> text;
};

/// Everything about one column of the table of runs.
struct ColumnSpec {
  RunColumn id = RunColumn::none;
  QString key;  ///< Its name in saved layouts.
  QString title;
  QString meaning;  ///< A line for tooltips.
  CellLook look = CellLook::text;
  int widest = 200;  ///< In pixels at scale 1; longer content is cut.
  /// Down to this width it gives way where the table is too narrow for all columns; 0 = never.
  int narrowest = 0;
  bool isShownAtFirst = true;
  bool marksBest = false;        ///< The best of the runs on one data set is marked.
  bool isOfDamagedRuns = false;  ///< Known without the run's record.
  std::function<QString(const RunRow&)> text;
  /// The value to sort by, NaN where it is missing; none = sorted by text.
  std::function<double(const RunRow&)> number = {};
  /// Additional facts: exact numbers, the meaning of a state, warnings; none = the text.
  std::function<QString(const RunRow&)> toolTip = {};
  std::vector<ExportedField> exported = {};
};

/// All columns in their order. A new one is added here and nowhere else.
const std::vector<ColumnSpec>& runColumns();

/// The position of a column in runColumns().
int columnOf(RunColumn column);

const ColumnSpec& specOf(RunColumn column);

/// The text of a cell; empty where the value is missing.
QString cellText(const ColumnSpec& column, const RunRow& row);

}  // namespace lambda
