#include <filesystem>
#include <string>

#include "app/command_line/commands/commands.h"
#include "app/command_line/ranks.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_session.h"
#include "app/command_line/run_source.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/training/loop/trainer.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

struct ForkOptions {
  std::string source;
  ConfigOptions changes;
  std::string out = kRunsFolder;
  OutputOptions output;
};

int fork(const ForkOptions& options) {
  requireNoLaunch("fork");
  const fs::path checkpoint = checkpointOf(findRun(options.source), CheckpointChoice::last);
  LoadedConfig loaded;
  loaded.config = readCheckpointHeader(checkpoint).config;
  applyOptions(loaded.config, options.changes);
  requireTrainable(options.source, loaded, options.output);
  const fs::path runs = runsFolder(options.out);
  return runTraining(
      [&](RunControl& control, Observer& observer) {
        if (options.changes.from) return trainRun(loaded.config, runs, control, observer);
        return forkRun(checkpoint, loaded.config, runs, control, observer);
      },
      /*processes=*/nullptr,
      options.output);
}

}  // namespace

void addFork(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ForkOptions>();
  CLI::App* command = addCommand(
      program,
      "fork",
      "Start a new run from a checkpoint of another, with changed settings",
      {{"lambda fork runs/2026-11-20_22-48-00_quickstart --epochs 60 --set "
        "recipe.optimizer.learningRate=0.01",
        "continue from the last checkpoint at a lower learning rate"},
       {"lambda fork runs/2026-11-20_22-48-00_quickstart/checkpoints/epoch-0005.safetensors --seed "
        "2",
        "continue from the end of epoch 5 with other random numbers"}},
      "The network stays, the recipe may change. The old run is left alone; the new one notes "
      "where\n"
      "it comes from. With --from, the new run has the settings of the old one and other weights,\n"
      "and begins at epoch 1.");
  command
      ->add_option(
          "CHECKPOINT|RUN", options->source, "a checkpoint, or a run folder for its last one")
      ->required();
  addConfigOptions(command, options->changes);
  command->add_option("-o,--out", options->out, "folder for the run folder (default: runs)")
      ->type_name("DIR");
  addOutputFlags(command, options->output);
  onChosen(command, options, action, fork);
}

}  // namespace lambda
