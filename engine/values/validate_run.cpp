#include <algorithm>
#include <optional>
#include <utility>

#include "engine/values/range_check.h"
#include "engine/values/text.h"
#include "engine/values/validate.h"

namespace lambda {

namespace {

constexpr int kCifarTrainCount = 50000;
constexpr int kDataClasses = 10;
constexpr MapShape kDataImage{3, 32, 32};

bool isGenerated(const DataConfig& data) {
  return data.source == "shapes10";
}

/// Images for training and validation together.
int trainCountOf(const DataConfig& data) {
  return isGenerated(data) ? data.generatedTrainCount : kCifarTrainCount;
}

void checkData(const RunConfig& config, std::vector<Problem>& problems) {
  const auto add = [&](const char* path, std::string text, Fix fix) {
    problems.push_back({path, Severity::error, std::move(text), std::move(fix)});
  };
  const DataConfig& data = config.data;
  if (data.source.empty()) {
    add("data.source",
        "no data set is named",
        Fix{"Use the built-in shapes10", "data.source", "\"shapes10\""});
  }
  const int total = trainCountOf(data);
  if (data.validationCount >= total) {
    add("data.validationCount",
        "nothing is left to train on: there are " + std::to_string(total) +
            " images for training and validation together",
        Fix{"Hold out a tenth", "data.validationCount", std::to_string(total / 10)});
  }
  const MapShape& input = config.architecture.input;
  if (input != kDataImage) {
    add("architecture.input",
        "the data's images are 3x32x32, the network takes " + std::to_string(input.channels) + "x" +
            std::to_string(input.height) + "x" + std::to_string(input.width),
        Fix{"Set to 3x32x32",
            "architecture.input",
            R"({"channels": 3, "height": 32, "width": 32})"});
  }
  if (config.architecture.classes != kDataClasses) {
    add("architecture.classes",
        "the data has 10 classes, the network " + std::to_string(config.architecture.classes),
        Fix{"Set to 10", "architecture.classes", "10"});
  }
}

/// The classes of shapes10 are directions, and its figures reach to the border of the image.
void checkGeneratedAugmentation(const DataConfig& data, std::vector<Problem>& problems) {
  if (!isGenerated(data)) return;
  if (data.augmentation.horizontalFlip) {
    problems.push_back({"data.augmentation.horizontalFlip",
                        Severity::warning,
                        "the classes of shapes10 are directions: a mirrored image shows another "
                        "class than its label says",
                        Fix{"Don't mirror", "data.augmentation.horizontalFlip", "false"}});
  }
  if (data.augmentation.cropPadding > 0) {
    problems.push_back({"data.augmentation.cropPadding",
                        Severity::warning,
                        "the figures of shapes10 reach to the border: a shifted crop cuts off what "
                        "tells the class, and a reflected border repeats it mirrored",
                        Fix{"Don't crop", "data.augmentation.cropPadding", "0"}});
  }
}

void checkRecipe(const RunConfig& config, std::vector<Problem>& problems) {
  const Recipe& recipe = config.recipe;
  const ScheduleConfig& schedule = recipe.schedule;
  if (schedule.kind != ScheduleKind::triangular && schedule.warmupEpochs >= recipe.epochs) {
    problems.push_back({"recipe.schedule.warmupEpochs",
                        Severity::warning,
                        "the warm-up is as long as the run: the peak learning rate is never used",
                        Fix{"Warm up for a tenth of the run",
                            "recipe.schedule.warmupEpochs",
                            formatNumber(recipe.epochs / 10.0)}});
  }
  if (hasMomentum(recipe.optimizer.kind) && recipe.optimizer.nesterov &&
      recipe.optimizer.momentum == 0) {
    problems.push_back({"recipe.optimizer.nesterov",
                        Severity::error,
                        "Nesterov's look-ahead needs momentum",
                        Fix{"Set momentum to 0.9", "recipe.optimizer.momentum", "0.9"}});
  }
  if (recipe.optimizer.decayAllParameters && recipe.optimizer.decayFactors != DecayFactors{}) {
    problems.push_back({"recipe.optimizer.decayAllParameters",
                        Severity::warning,
                        "all parameters decay in full, so that the factors of weight decay by role "
                        "mean nothing",
                        Fix{"Decay by role", "recipe.optimizer.decayAllParameters", "false"}});
  }
  const int trainCount = trainCountOf(config.data) - config.data.validationCount;
  if (trainCount > 0 && recipe.batchSize > trainCount) {
    const std::string size = std::to_string(std::min(64, trainCount));
    problems.push_back(
        {"recipe.batchSize",
         Severity::error,
         "a batch is larger than the training set of " + std::to_string(trainCount) + " images",
         Fix{"Set to " + size, "recipe.batchSize", size}});
  }
  if (config.checkpoints.keepBest && config.data.validationCount == 0) {
    problems.push_back({"checkpoints.keepBest",
                        Severity::warning,
                        "without validation images there is no best checkpoint",
                        Fix{"Keep none", "checkpoints.keepBest", "false"}});
  }
}

void checkDevice(const DeviceConfig& device, std::vector<Problem>& problems) {
  if (!device.yieldsToOthers || device.threads == 0) return;
  problems.push_back({"device.yieldsToOthers",
                      Severity::warning,
                      "a chosen number of threads is kept, whatever other programs do",
                      Fix{"Use one thread a core", "device.threads", "0"}});
}

}  // namespace

std::vector<Problem> validate(const RunConfig& config) {
  std::vector<Problem> problems = validate(config.architecture);
  RangeCheck ranges(problems);
  ranges.check("data", config.data);
  ranges.check("recipe", config.recipe);
  ranges.check("device", config.device);
  ranges.check("checkpoints", config.checkpoints);
  RunConfig inRange = config;
  clampToRanges(inRange);
  checkData(inRange, problems);
  checkGeneratedAugmentation(inRange.data, problems);
  checkRecipe(inRange, problems);
  checkDevice(inRange.device, problems);
  return problems;
}

}  // namespace lambda
