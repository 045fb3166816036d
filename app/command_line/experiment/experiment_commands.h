#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/command_line/command.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// The folder for experiments unless --out names another.
inline constexpr char kExperimentsFolder[] = "experiments";

void addExperimentList(CLI::App& command, Action& action);
void addExperimentRun(CLI::App& command, Action& action);
void addExperimentShow(CLI::App& command, Action& action);
void addExperimentReport(CLI::App& command, Action& action);

/// The folder of an experiment that exists, given as a path or by its name in `experiments`.
std::optional<std::filesystem::path> existingExperiment(
    const std::string& given, const std::filesystem::path& experiments = kExperimentsFolder);

/// The same, opened. Throws Error where there is none.
ExperimentFolder findExperiment(const std::string& given);

/// The state of an experiment for people: its grid and the results of every measure.
std::string stateText(const ExperimentState& state);

/// Prints the state as JSON on standard output.
void printStateJson(const ExperimentFolder& folder, const ExperimentState& state);

}  // namespace lambda
