#pragma once

#include "app/command_line/command.h"

namespace lambda {

/// Adds `export` to the command `data`.
void addExportData(CLI::App* data, Action& action);

}  // namespace lambda
