#pragma once

#include <filesystem>

class QMenu;

namespace lambda {

class RunTableModel;

/// Adds the choice of a run's colour to a menu. A colour that is chosen also checks the run.
void addColorMenu(QMenu& menu, RunTableModel& runs, const std::filesystem::path& run);

}  // namespace lambda
