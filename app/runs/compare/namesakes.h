#pragma once

#include <vector>

#include <QStringList>

#include "app/runs/run_row.h"

namespace lambda {

/// What differs between each row and the other rows of its name, short enough for a table: its
/// architecture where that differs, and settings with their values. Empty where no other row has
/// the name, or nothing differs. One text per row.
QStringList differencesOfNamesakes(const std::vector<RunRow>& rows);

}  // namespace lambda
