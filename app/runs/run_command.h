#pragma once

#include <QString>

#include "app/session/runs/run_summary.h"

namespace lambda {

/// The command line that trains such a run again: from the nearest preset with the settings that
/// differ, or from the run's own record where no preset has its network.
QString commandFor(const RunSummary& run);

/// The text as one word of a POSIX shell.
QString shellQuoted(const QString& text);

}  // namespace lambda
