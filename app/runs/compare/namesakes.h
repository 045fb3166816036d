#pragma once

#include <vector>

#include <QStringList>

#include "app/runs/run_row.h"

namespace lambda {

/// Returns one text per row, short enough for a table, that tells the row from the others of its
/// name: its architecture where that differs, and settings with their values. The text is empty
/// where no other row has the name, or nothing differs.
QStringList differencesOfNamesakes(const std::vector<RunRow>& rows);

}  // namespace lambda
