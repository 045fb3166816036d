#pragma once

#include "app/command_line/command.h"

namespace lambda {

// Each function adds one command to the program; a command line with its name sets `action`.

void addPresets(CLI::App& program, Action& action);
void addLayers(CLI::App& program, Action& action);
void addSettings(CLI::App& program, Action& action);
void addDescribe(CLI::App& program, Action& action);
void addData(CLI::App& program, Action& action);
void addTrain(CLI::App& program, Action& action);
void addResume(CLI::App& program, Action& action);
void addRepeat(CLI::App& program, Action& action);
void addFork(CLI::App& program, Action& action);
void addEvaluate(CLI::App& program, Action& action);
void addInspect(CLI::App& program, Action& action);
void addPredict(CLI::App& program, Action& action);
void addGenerate(CLI::App& program, Action& action);
void addExport(CLI::App& program, Action& action);
void addImport(CLI::App& program, Action& action);
void addReport(CLI::App& program, Action& action);
void addCurves(CLI::App& program, Action& action);
void addControl(CLI::App& program, Action& action);
void addFollow(CLI::App& program, Action& action);
void addInfo(CLI::App& program, Action& action);
void addCompletion(CLI::App& program, Action& action);
void addExperiment(CLI::App& program, Action& action);
void addVerify(CLI::App& program, Action& action);
void addBench(CLI::App& program, Action& action);

/// Adds the commands below `bench`, which are in a library that is loaded when they are needed.
/// Throws Error where it is not built.
void addBenchParts(CLI::App& program, Action& action);

}  // namespace lambda
