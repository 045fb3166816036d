#pragma once

#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/runs/run_row.h"
#include "app/runs/run_table_model.h"

namespace lambda {

// What the cells of the table of runs say.

QString columnTitle(RunTableModel::Column column);
QString columnMeaning(RunTableModel::Column column);

/// Empty where the value is missing.
QString cellText(const RunRow& row, RunTableModel::Column column);

/// What there is to know beyond the text: exact numbers, what a state means, what to beware of.
QString cellToolTip(const RunRow& row, RunTableModel::Column column);

/// What a column of numbers is sorted by; NaN where the value is missing and in columns of text.
double cellNumber(const RunRow& row, RunTableModel::Column column);

QStringList tagsOf(const RunRow& row);

/// "good, seed 0" as tags, each once.
std::vector<std::string> tagsFrom(const QString& text);

/// Whether its name, tags and notes can be changed: nobody trains it, and its record is ours.
bool canChange(const RunRow& row);

}  // namespace lambda
