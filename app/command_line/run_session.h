#pragma once

#include <functional>
#include <string>

#include "app/command_line/command.h"
#include "app/command_line/run_source.h"
#include "engine/runs/observer.h"
#include "engine/runtime/processes/processes.h"
#include "engine/runtime/run_control.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// Prints the warnings about a configuration. Throws InvalidConfiguration if it can't be trained,
/// and Error if its data is missing.
void requireTrainable(const std::string& source,
                      const LoadedConfig& loaded,
                      const OutputOptions& output);

/// The training to run: one of the calls of trainer.h with its arguments.
using Training = std::function<RunResult(RunControl&, Observer&)>;

/// Trains with progress on standard error, treats signals as requests to stop, and reports the
/// result on standard output. It is stopped, as by Ctrl-C, after `untilEpoch`; 0 = it trains all
/// epochs. `processes`: that train it, null = this one; a signal to any of them stops it. Returns
/// the exit status.
int runTraining(const Training& training,
                Processes* processes,
                const OutputOptions& output,
                int untilEpoch = 0);

/// Adds the option --until-epoch.
void addUntilEpoch(CLI::App& command, int& untilEpoch);

}  // namespace lambda
