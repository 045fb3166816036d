#pragma once

#include <QString>

#include "app/experiments/theory/theory_session.h"

namespace lambda {

/// The state for a list: "not run", "running, 40 %", "done in 52 s".
QString theoryStateText(const TheoryRun& run);

/// The state as a sentence. `settings`: those of the form, which may no longer be those of the run.
QString theoryStateSentence(const TheoryRun& run, const TheorySettings& settings);

}  // namespace lambda
