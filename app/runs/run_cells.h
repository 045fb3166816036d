#pragma once

#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/runs/run_row.h"
#include "app/runs/run_table_model.h"

namespace lambda {

// The texts of the cells in the table of runs.

QString columnTitle(RunTableModel::Column column);
QString columnMeaning(RunTableModel::Column column);

/// Empty where the value is missing.
QString cellText(const RunRow& row, RunTableModel::Column column);

/// Additional facts for a tooltip: exact numbers, the meaning of a state, warnings.
QString cellToolTip(const RunRow& row, RunTableModel::Column column);

/// The value by which a column of numbers is sorted; NaN where it is missing and in columns of
/// text.
double cellNumber(const RunRow& row, RunTableModel::Column column);

QStringList tagsOf(const RunRow& row);

/// Splits "good, seed 0" into tags, each once.
std::vector<std::string> tagsFrom(const QString& text);

/// Whether its name, tags and notes can be changed: no process trains it, and the record is this
/// program's.
bool canChange(const RunRow& row);

}  // namespace lambda
