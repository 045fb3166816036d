#include <algorithm>
#include <optional>
#include <utility>

#include "engine/values/architecture/operations.h"
#include "engine/values/config/epoch_batches.h"
#include "engine/values/config/range_check.h"
#include "engine/values/config/validate.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

void checkSource(const DataConfig& data, std::vector<Problem>& problems) {
  const std::string* path = pathOf(data.source);
  if (!path || !path->empty()) return;
  const std::string kind(traitsOf(DataSource()).kind);
  problems.push_back({"data.source",
                      Severity::error,
                      "no data set is named",
                      Fix{"Use the built-in " + kind, "data.source", "\"" + kind + "\""}});
}

void checkDataset(const RunConfig& config,
                  const DatasetInfo& dataset,
                  std::vector<Problem>& problems) {
  const std::string examples = traitsOf(dataset.task).examples;
  const auto add = [&](const char* path, std::string text, Fix fix) {
    problems.push_back({path, Severity::error, std::move(text), std::move(fix)});
  };
  for (const std::string& note : dataset.notes) {
    problems.push_back({"data.source", Severity::warning, note, std::nullopt});
  }
  if (dataset.validationCount > 0 && config.data.validationCount != dataset.validationCount) {
    const std::string count = std::to_string(dataset.validationCount);
    add("data.validationCount",
        "the data's own validation set has " + count + " " + examples +
            ", and all of them are used",
        Fix{"Set to " + count, "data.validationCount", count});
  } else if (config.data.validationCount >= dataset.trainCount) {
    add("data.validationCount",
        "no " + examples + " are left to train on: training and validation together have " +
            std::to_string(dataset.trainCount) + " " + examples,
        Fix{"Keep a tenth for validation",
            "data.validationCount",
            std::to_string(dataset.trainCount / 10)});
  }
  const std::int64_t trainCount = dataset.trainCount - config.data.validationCount;
  const std::int64_t labelled = std::int64_t{config.data.labelledPerClass} * dataset.classes;
  if (trainCount > 0 && labelled > trainCount) {
    add("data.labelledPerClass",
        std::to_string(labelled) + " labelled images are more than the " +
            std::to_string(trainCount) + " training " + examples,
        Fix{"Use all labels", "data.labelledPerClass", "0"});
  }
  // Nobody knows yet how many pseudo-labels are confident enough: at most all.
  const std::int64_t used = trainingImagesOf(config.data, dataset).value_or(trainCount);
  if (used > 0 && config.recipe.batchSize > used) {
    const std::string size = std::to_string(std::min<std::int64_t>(64, used));
    add("recipe.batchSize",
        "a batch is larger than the training set of " + std::to_string(used) + " " + examples,
        Fix{"Set to " + size, "recipe.batchSize", size});
  }
}

/// The length and the vocabulary of the data and the network.
template <SequenceSource Source>
void checkSequences(const Source& source,
                    const Architecture& architecture,
                    std::vector<Problem>& problems) {
  const auto differs = [&](const std::string& path, const char* what, int ofData, int ofNetwork) {
    if (ofData == ofNetwork) return;
    const std::string value = std::to_string(ofData);
    problems.push_back({path,
                        Severity::error,
                        "the data's " + std::string(what) + " is " + value + ", the network's " +
                            std::to_string(ofNetwork),
                        Fix{"Set to " + value, path, value}});
  };
  differs(
      "architecture.input.width", "length of sequences", source.length, architecture.input.width);
  differs("architecture." + std::string(traitsOf(Task::tokens).outputs),
          "vocabulary",
          source.vocabulary,
          architecture.outputs);
  for (Problem& problem : problemsOf(source, "data.source")) problems.push_back(std::move(problem));
}

/// Whether data and network fit each other. `dataset`: where it is known.
void checkAgreement(const RunConfig& config,
                    const std::optional<DatasetInfo>& dataset,
                    std::vector<Problem>& problems) {
  const Architecture& architecture = config.architecture;
  const DataSource& source = config.data.source;
  const DataSourceTraits traits = traitsOf(source);
  const std::string title(traits.title);
  if (traits.isSequences && architecture.task != Task::tokens) {
    const std::string kind(traitsOf(DataSource()).kind);
    problems.push_back({"data.source",
                        Severity::error,
                        "the network is for images, but " + title + " has sequences",
                        Fix{"Use the built-in " + kind, "data.source", "\"" + kind + "\""}});
  } else if (!traits.isSequences && architecture.task == Task::tokens) {
    const std::string kind(traitsOf(RecallSource()).kind);
    problems.push_back({"data.source",
                        Severity::error,
                        "the network is for sequences of tokens, but " + title + " has images",
                        Fix{"Use the built-in " + kind, "data.source", "\"" + kind + "\""}});
  } else if (traits.isSequences) {
    const auto check = [&]<class Source>(const Source& options) {
      if constexpr (SequenceSource<Source>) checkSequences(options, architecture, problems);
    };
    std::visit(check, source);
  } else if (dataset) {
    for (Problem& problem : problemsWithImages(architecture, *dataset)) {
      problems.push_back(std::move(problem));
    }
  }
}

/// Settings that have no meaning for the task.
void checkTask(const RunConfig& config, std::vector<Problem>& problems) {
  const auto refuse = [&](bool isSet, const std::string& path, std::string text, const char* none) {
    if (!isSet) return;
    problems.push_back({path, Severity::error, std::move(text), Fix{"Turn it off", path, none}});
  };
  const auto refuseLabels = [&](const std::string& needs) {
    refuse(config.data.labelledPerClass > 0,
           "data.labelledPerClass",
           "a number of labels " + needs,
           "0");
    refuse(!config.data.pseudoLabels.empty(),
           "data.pseudoLabels",
           "pseudo-labelling " + needs,
           "\"\"");
  };
  const AugmentationConfig& augmentation = config.data.augmentation;
  const auto refuseForImages =
      [&](bool isSet, const std::string& path, const char* what, const char* none) {
        refuse(isSet, path, std::string(what) + " is for images, not for sequences", none);
      };
  const std::string inAugmentation = "data.augmentation.";
  switch (config.architecture.task) {
    case Task::classification:
      break;
    case Task::regression:
      refuse(config.recipe.labelSmoothing > 0,
             "recipe.labelSmoothing",
             "label smoothing needs classes, which a regression does not have",
             "0");
      refuseLabels("needs classes, which a regression does not have");
      break;
    case Task::tokens:
      refuseLabels("is for images, not for sequences");
      refuseForImages(augmentation.cropPadding > 0, inAugmentation + "cropPadding", "a crop", "0");
      refuseForImages(
          augmentation.horizontalFlip, inAugmentation + "horizontalFlip", "mirroring", "false");
      refuseForImages(augmentation.cutoutSize > 0, inAugmentation + "cutoutSize", "cutout", "0");
      refuseForImages(augmentation.randAugmentOperations > 0,
                      inAugmentation + "randAugmentOperations",
                      "RandAugment",
                      "0");
      refuseForImages(augmentation.erasingProbability > 0,
                      inAugmentation + "erasingProbability",
                      "random erasing",
                      "0");
      refuseForImages(augmentation.mixupAlpha > 0, inAugmentation + "mixupAlpha", "mixup", "0");
      refuseForImages(augmentation.cutmixAlpha > 0, inAugmentation + "cutmixAlpha", "CutMix", "0");
      refuseForImages(
          config.recipe.flipAveraging, "recipe.flipAveraging", "averaging over mirrors", "false");
      refuseForImages(
          config.recipe.shiftAveraging, "recipe.shiftAveraging", "averaging over shifts", "false");
      break;
  }
}

void checkPseudoLabels(const RunConfig& config, std::vector<Problem>& problems) {
  const DataConfig& data = config.data;
  if (data.pseudoLabels.empty()) return;
  if (data.labelledPerClass == 0) {
    problems.push_back({"data.pseudoLabels",
                        Severity::error,
                        "all training images use their own labels, so that none is left for "
                        "pseudo-labels: set the number of labelled images per class",
                        Fix{"Use no pseudo-labels", "data.pseudoLabels", "\"\""}});
  }
  // The most probable class of a teacher that meets its smoothed labels exactly.
  const double smoothing = config.recipe.labelSmoothing;
  const double most = 1 - smoothing + smoothing / config.architecture.outputs;
  const std::string usual = formatRounded(most > 0.95 ? 0.95 : 0.85 * most, 2);
  const Fix fix{"Set to " + usual, "data.pseudoLabelThreshold", usual};
  if (data.pseudoLabelThreshold * config.architecture.outputs <= 1) {
    problems.push_back({"data.pseudoLabelThreshold",
                        Severity::warning,
                        "the most probable of " + std::to_string(config.architecture.outputs) +
                            " classes always has this probability: no wrong label is left out",
                        fix});
  } else if (data.pseudoLabelThreshold > most) {
    problems.push_back({"data.pseudoLabelThreshold",
                        Severity::warning,
                        "a teacher with the same label smoothing, " + formatNumber(smoothing) +
                            ", learns probabilities of at most " + formatRounded(most, 3) +
                            ": few of its predictions reach the threshold",
                        fix});
  }
}

void checkAugmentation(const RunConfig& config, std::vector<Problem>& problems) {
  const AugmentationConfig& augmentation = config.data.augmentation;
  const int channels = config.architecture.input.channels;
  if (augmentation.randAugmentOperations > 0 && channels != 1 && channels != 3) {
    problems.push_back(
        {"data.augmentation.randAugmentOperations",
         Severity::error,
         "RandAugment is for images with 1 or 3 channels, these have " + std::to_string(channels),
         Fix{"Use none", "data.augmentation.randAugmentOperations", "0"}});
  }
  if (config.recipe.batchSize > 1) return;
  const auto hasNoPartner = [&](const char* name, const char* path, double alpha) {
    if (alpha == 0) return;
    problems.push_back(
        {path,
         Severity::warning,
         std::string(name) + " blends two images of a batch: a batch of 1 has no second one",
         Fix{std::string("Use no ") + name, path, "0"}});
  };
  hasNoPartner("mixup", "data.augmentation.mixupAlpha", augmentation.mixupAlpha);
  hasNoPartner("CutMix", "data.augmentation.cutmixAlpha", augmentation.cutmixAlpha);
}

/// Warns of flips and crops that change the class where the classes are directions. The figures of
/// such a data set also reach to the border of the image.
void checkDirectedAugmentation(const DataConfig& data, std::vector<Problem>& problems) {
  const DataSourceTraits traits = traitsOf(data.source);
  if (!traits.classesAreDirections) return;
  if (data.augmentation.horizontalFlip) {
    problems.push_back({"data.augmentation.horizontalFlip",
                        Severity::warning,
                        "the classes of " + std::string(traits.title) +
                            " are directions: a mirrored image shows another class than its label "
                            "says",
                        Fix{"Don't mirror", "data.augmentation.horizontalFlip", "false"}});
  }
  if (data.augmentation.cropPadding > 0) {
    problems.push_back({"data.augmentation.cropPadding",
                        Severity::warning,
                        "the figures of " + std::string(traits.title) +
                            " reach to the border: a shifted crop cuts off what shows the class, "
                            "and a reflected border repeats it mirrored",
                        Fix{"Don't crop", "data.augmentation.cropPadding", "0"}});
  }
}

void checkRecipe(const RunConfig& config, std::vector<Problem>& problems) {
  const Recipe& recipe = config.recipe;
  const OptimizerConfig& optimizer = recipe.optimizer;
  const double warmupEpochs = std::visit(
      [](const auto& options) {
        if constexpr (requires { options.warmupEpochs; }) return options.warmupEpochs;
        return 0.0;
      },
      recipe.schedule.kind);
  if (warmupEpochs >= recipe.epochs) {
    problems.push_back({"recipe.schedule.warmupEpochs",
                        Severity::warning,
                        "the warm-up is as long as the run: the peak learning rate is never used",
                        Fix{"Warm up for a tenth of the run",
                            "recipe.schedule.warmupEpochs",
                            formatNumber(recipe.epochs / 10.0)}});
  }
  const bool looksAheadInVain = std::visit(
      [](const auto& options) {
        if constexpr (requires { options.nesterov; })
          return options.nesterov && options.momentum == 0;
        return false;
      },
      optimizer.kind);
  if (looksAheadInVain) {
    problems.push_back({"recipe.optimizer.nesterov",
                        Severity::error,
                        "Nesterov's look-ahead needs momentum",
                        Fix{"Set momentum to 0.9", "recipe.optimizer.momentum", "0.9"}});
  }
  if (optimizer.decayAllParameters && optimizer.decayFactors != DecayFactors{}) {
    problems.push_back({"recipe.optimizer.decayAllParameters",
                        Severity::warning,
                        "all parameters decay in full, so that the factors of weight decay by role "
                        "have no effect",
                        Fix{"Decay by role", "recipe.optimizer.decayAllParameters", "false"}});
  }
  if (traitsOf(optimizer.kind).orthogonalizesFilters && optimizer.weightDecay > 0 &&
      (optimizer.decayAllParameters || optimizer.decayFactors.filter != DecayFactors().filter)) {
    const bool isForAll = optimizer.decayAllParameters;
    problems.push_back(
        {isForAll ? "recipe.optimizer.decayAllParameters" : "recipe.optimizer.decayFactors.filter",
         Severity::warning,
         "the filters that Muon updates do not decay: it fixes their norm",
         isForAll ? Fix{"Decay by role", "recipe.optimizer.decayAllParameters", "false"}
                  : Fix{"Use the usual factor",
                        "recipe.optimizer.decayFactors.filter",
                        formatNumber(DecayFactors().filter)}});
  }
  if (config.checkpoints.keepBest && config.data.validationCount == 0) {
    problems.push_back({"checkpoints.keepBest",
                        Severity::warning,
                        "without validation images there is no best checkpoint",
                        Fix{"Keep none", "checkpoints.keepBest", "false"}});
  }
}

/// A batch norm computes the deviation of each channel over the images and positions of a batch, of
/// which it needs two.
void checkSingleImages(const RunConfig& config, std::vector<Problem>& problems) {
  if (config.recipe.batchSize > 1) return;
  const NetworkOperations network = operationsOf(config.architecture);
  for (const Operation& operation : network.operations) {
    const OperatedLayer& layer = network.layers[static_cast<std::size_t>(operation.layer)];
    const bool isSingle =
        operation.output.size() == 3 && operation.output[0] == 1 && operation.output[1] == 1;
    if (operation.name != kBatchNorm || !isSingle) continue;
    // The norms of frozen stages use their running statistics; the stem is the first of these.
    const int frozen = config.start.frozenStages;
    const bool isFrozen =
        layer.stage < 0 ? frozen > 0 && layer.name.starts_with("stem") : layer.stage + 1 < frozen;
    if (isFrozen) continue;
    problems.push_back({"recipe.batchSize",
                        Severity::error,
                        "the batch norm of " + layer.name +
                            " has a map of 1x1, so that a batch of 1 image gives it a single value "
                            "per channel: it needs two",
                        Fix{"Set to 2", "recipe.batchSize", "2"}});
    return;
  }
}

void checkStart(const RunConfig& config, std::vector<Problem>& problems) {
  const auto parts = static_cast<int>(config.architecture.stages.size()) + 1;
  const int frozen = config.start.frozenStages;
  if (frozen > parts) {
    problems.push_back({"start.frozenStages",
                        Severity::error,
                        "the network has " + std::to_string(parts) +
                            " stages with the stem, of which " + std::to_string(frozen) +
                            " can't be frozen",
                        Fix{"Train only the head", "start.frozenStages", std::to_string(parts)}});
  }
  if (frozen > 0 && config.start.weights.empty()) {
    problems.push_back({"start.frozenStages",
                        Severity::warning,
                        "no weights to start from are named: the frozen stages keep random weights",
                        Fix{"Train all stages", "start.frozenStages", "0"}});
  }
}

void checkDevice(const DeviceConfig& device, std::vector<Problem>& problems) {
  if (!device.yieldsToOthers || device.threads == 0) return;
  problems.push_back({"device.yieldsToOthers",
                      Severity::warning,
                      "with a chosen number of threads, a run does not yield to other programs",
                      Fix{"Use one thread per core", "device.threads", "0"}});
}

}  // namespace

std::vector<Problem> problemsWithImages(const Architecture& architecture,
                                        const DatasetInfo& dataset) {
  std::vector<Problem> problems;
  const MapShape& shape = dataset.shape;
  if (architecture.input != shape) {
    problems.push_back({"architecture.input",
                        Severity::error,
                        "the data's images are " + shapeText(shape) + ", the network takes " +
                            shapeText(architecture.input),
                        Fix{"Set to " + shapeText(shape),
                            "architecture.input",
                            "{\"channels\": " + std::to_string(shape.channels) +
                                ", \"height\": " + std::to_string(shape.height) +
                                ", \"width\": " + std::to_string(shape.width) + "}"}});
  }
  if (architecture.task != dataset.task) {
    const std::string task(nameOf(dataset.task));
    problems.push_back({"architecture.task",
                        Severity::error,
                        "the data is for a " + task + ", the network for a " +
                            std::string(nameOf(architecture.task)),
                        Fix{"Set to " + task, "architecture.task", task}});
  } else if (architecture.outputs != dataset.classes) {
    const std::string outputs = traitsOf(architecture.task).outputs;
    const std::string count = std::to_string(dataset.classes);
    problems.push_back({"architecture." + outputs,
                        Severity::error,
                        "the data has " + count + " " + outputs + ", the network " +
                            std::to_string(architecture.outputs),
                        Fix{"Set to " + count, "architecture." + outputs, count}});
  }
  return problems;
}

std::vector<Problem> validate(const RunConfig& config, const std::optional<DatasetInfo>& dataset) {
  std::vector<Problem> problems = validate(config.architecture);
  RangeCheck ranges(problems);
  ranges.check("data", config.data);
  ranges.check("recipe", config.recipe);
  ranges.check("start", config.start);
  ranges.check("device", config.device);
  ranges.check("checkpoints", config.checkpoints);
  RunConfig inRange = config;
  clampToRanges(inRange);
  checkSource(inRange.data, problems);
  const std::optional<DatasetInfo> known = dataset ? dataset : announcedInfo(inRange.data.source);
  if (known) checkDataset(inRange, *known, problems);
  checkAgreement(inRange, known, problems);
  checkTask(inRange, problems);
  checkPseudoLabels(inRange, problems);
  checkAugmentation(inRange, problems);
  checkDirectedAugmentation(inRange.data, problems);
  checkRecipe(inRange, problems);
  checkSingleImages(inRange, problems);
  checkStart(inRange, problems);
  checkDevice(inRange.device, problems);
  return problems;
}

}  // namespace lambda
