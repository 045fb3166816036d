#pragma once

#include "app/command_line/command.h"
#include "engine/values/experiment/experiment.h"

namespace lambda {

/// Prints the plan of an experiment with its cost, and the time that it needs on this machine,
/// measured by a few training steps of each variant that differs in them. Returns the exit status.
/// Throws Error where a variant can't be trained here.
int printExperimentTime(const Experiment& experiment, int parallel, const OutputOptions& output);

}  // namespace lambda
