#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/config/run_config.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/resume_options.h"
#include "engine/values/run/run_record.h"

namespace lambda {

class Processes;

// The ways to train. Each call blocks until the run ends, on the thread that owns all tensors;
// other threads steer it through the control. Failures while training (a NaN, no memory, a full
// disk) give a result of status `failed`. A start that is impossible (a bad configuration, missing
// data, a folder that can't be written or that another process trains in) throws Error before the
// first batch. With `processes`, this is rank 0 of many: the others call followTraining(). Null =
// it trains alone.

/// Throws Error, with all problems found, for a configuration that can't be trained.
void requireTrainable(const RunConfig& config);

/// Where the folder of a new run is created.
struct NewRunPlace {
  // Implicit, because most runs get the usual name.
  NewRunPlace(std::filesystem::path runs) : runsFolder(std::move(runs)) {}

  NewRunPlace(std::filesystem::path runs, std::string name)
      : runsFolder(std::move(runs)), folderName(std::move(name)) {}

  std::filesystem::path runsFolder;  ///< Is created if it is missing.
  std::string folderName;            ///< Empty: the time and the name of the run.
};

/// The training images that a run is to have.
struct ExpectedData {
  std::string sha256 = {};  ///< DataDigest::train of another run; empty: any.
  ChangedData otherwise = ChangedData::stop;
};

/// Trains a new run in a new folder. Throws Error where a folder of that name exists.
RunResult trainRun(const RunConfig& config,
                   const NewRunPlace& place,
                   RunControl& control,
                   Observer& observer,
                   const ExpectedData& data = {},
                   Processes* processes = nullptr);

/// Continues a run from its last checkpoint, or, if that is damaged, from the newest intact one.
/// Throws Error if run.json differs from the checkpoint in a setting that decides the results,
/// unless that is accepted, for fewer epochs than are done, and where the data has changed. With
/// the same device and thread count the bits are those of a run that was never interrupted. Images
/// are normalised as before and have the classes of before, by their names, whatever the data is
/// now.
RunResult resumeRun(const std::filesystem::path& run,
                    const ResumeOptions& options,
                    RunControl& control,
                    Observer& observer,
                    Processes* processes = nullptr);

/// Trains as one of many processes, but not the first, what rank 0 trains, until that ends. Writes
/// no file. Throws Error as Processes, and where this process can't train it.
void followTraining(Processes& processes);

/// Starts a new run from a checkpoint of another run, with changed settings. The architecture must
/// have the same parameters. The optimiser's state is loaded if the new optimiser keeps the same
/// state: SGD and Muon do, and so do Adam and AdamW.
RunResult forkRun(const std::filesystem::path& checkpoint,
                  const RunConfig& config,
                  const std::filesystem::path& runsFolder,
                  RunControl& control,
                  Observer& observer);

/// Trains a run again, from its seed in a new folder: the same network, data, recipe and number of
/// threads, with the changes that were made while it trained at their steps. It ends at the step
/// where the run ended. A forked run begins with its checkpoint again, which must lie in the same
/// library. Throws Error if the run, that checkpoint or the data can't be read, and where the data
/// has changed, since the run began or while it trained.
RunResult repeatRun(const std::filesystem::path& run,
                    const std::filesystem::path& runsFolder,
                    RunControl& control,
                    Observer& observer,
                    ChangedData changedData = ChangedData::stop);

}  // namespace lambda
