#include <filesystem>
#include <string>

#include "app/command_line/commands/commands.h"
#include "app/command_line/ranks.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_session.h"
#include "app/command_line/run_source.h"
#include "engine/training/loop/trainer.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

struct TrainOptions {
  std::string source;
  ConfigOptions changes;
  std::string out = kRunsFolder;
  std::string folder;
  ExpectedData expected;
  int untilEpoch = 0;
  int processes = 0;
  OutputOptions output;
};

int train(const TrainOptions& options, Processes* processes) {
  LoadedConfig loaded = loadConfig(options.source);
  applyOptions(loaded.config, options.changes);
  requireTrainable(options.source, loaded, options.output);
  const NewRunPlace place(runsFolder(options.out), options.folder);
  return runTraining(
      [&](RunControl& control, Observer& observer) {
        return trainRun(loaded.config, place, control, observer, options.expected, processes);
      },
      processes,
      options.output,
      options.untilEpoch);
}

int trainTogether(const TrainOptions& options) {
  Ranks ranks(options.processes, options.output);
  return ranks.run([&] { return train(options, ranks.processes()); });
}

}  // namespace

void addTrain(CLI::App& program, Action& action) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* command = addCommand(
      program,
      "train",
      "Train a network in a new run folder",
      {{"lambda train quickstart", "a small lambda network on built-in images, in a minute or two"},
       {"lambda train mine.json --data ~/flowers --set data.source.size=64",
        "your own pictures, a folder for each class"},
       {"lambda train mine.json --from resnet50.pth --set start.frozenStages=4 --set "
        "start.backboneRate=0.1",
        "fine-tuning: weights of torchvision or timm, the first stages frozen"},
       {"lambda train resnet50-cifar-ccll --data ~/cifar10 --epochs 10",
        "a hybrid ResNet-50 on CIFAR-10, ten epochs"},
       {"lambda train mine.json --set recipe.batchSize=64 --set "
        "'architecture.stages[2].blocks[*].mixer.k=8'",
        "your own network, with changed settings"},
       {"lambda train cpu-hybrid --data ~/cifar10 --processes 2",
        "two processes on this machine, each on a half of every batch"},
       {"lambda train quickstart --json --quiet | jq .testAccuracy", "from a script"}},
      "Ctrl-C saves within a batch and stops, lambda resume continues. A run folder contains "
      "everything:\n"
      "configuration, checkpoints, metrics, TensorBoard events, log.");
  command
      ->add_option("PRESET|FILE", options->source, "a preset, or a JSON file of a run or a network")
      ->required();
  addConfigOptions(command, options->changes);
  command->add_option("-o,--out", options->out, "folder for the run folder (default: runs)")
      ->type_name("DIR");
  command
      ->add_option("--folder",
                   options->folder,
                   "name of the run folder (default: the time and the name of the run)")
      ->type_name("NAME");
  command
      ->add_option("--data-sha256",
                   options->expected.sha256,
                   "the digest that the training images must have: dataSha256.train of a run.json")
      ->type_name("DIGEST")
      ->check([](const std::string& text) -> std::string {
        const bool isDigest =
            text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
        return isDigest ? "" : text + " is no SHA-256, which has 64 digits of 0-9 and a-f";
      });
  addChangedData(*command, options->expected.otherwise);
  addUntilEpoch(*command, options->untilEpoch);
  addProcesses(*command, options->processes);
  addOutputFlags(command, options->output);
  onChosen(command, options, action, trainTogether);
}

}  // namespace lambda
