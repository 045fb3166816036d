#include "engine/theory/theory.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/error.h"
#include "engine/theory/experiment.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace theory {

Experiment smallInitialisation();
Experiment largeLearningRate();
Experiment singleEpoch();
Experiment deepLinearLabelNoise();
Experiment kernelRegression();

namespace {

/// A new experiment is a file with a function like those above, and its line here.
const std::vector<Experiment>& allExperiments() {
  static const std::vector<Experiment> experiments = {
      smallInitialisation(),
      largeLearningRate(),
      singleEpoch(),
      deepLinearLabelNoise(),
      kernelRegression(),
  };
  return experiments;
}

/// The valid names, and before them the one that was probably meant.
std::string hintFor(std::string_view wrong,
                    const std::vector<std::string_view>& valid,
                    const std::string& what) {
  const std::string nearest = nearestName(wrong, valid);
  const std::string guess = nearest.empty() ? "" : "Did you mean " + nearest + "? ";
  return guess + what + ": " + joined(valid) + ".";
}

const Experiment& experimentNamed(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : allExperiments()) {
    if (experiment.description.name == name) return experiment;
    names.push_back(experiment.description.name);
  }
  throw Error(std::string(name),
              "There is no theory experiment of this name.",
              hintFor(name, names, "The experiments are"));
}

void checkValue(const std::string& experiment, const TheoryParameter& parameter, double value) {
  const bool isInRange = value >= parameter.least && value <= parameter.greatest;
  if (isInRange && (!parameter.isWhole || value == std::floor(value))) return;
  throw Error(experiment + ", " + parameter.name,
              "The value " + formatNumber(value) + " is not possible.",
              std::string(parameter.isWhole ? "Give a whole number from " : "Give a number from ") +
                  formatNumber(parameter.least) + " to " + formatNumber(parameter.greatest) + ".");
}

Settings checkedSettings(const TheoryDescription& description, const TheorySettings& settings) {
  TheorySettings values;
  std::vector<std::string_view> names;
  for (const TheoryParameter& parameter : description.parameters) {
    values[parameter.name] = parameter.value;
    names.push_back(parameter.name);
  }
  for (const auto& [name, value] : settings) {
    const auto parameter = std::ranges::find(description.parameters, name, &TheoryParameter::name);
    if (parameter == description.parameters.end()) {
      throw Error(description.name + ", " + name,
                  "The experiment has no parameter of this name.",
                  hintFor(name, names, "The parameters are"));
    }
    checkValue(description.name, *parameter, value);
    values[name] = value;
  }
  return Settings(std::move(values));
}

}  // namespace

}  // namespace theory

std::span<const TheoryDescription> theoryExperiments() {
  static const std::vector<TheoryDescription> descriptions = [] {
    std::vector<TheoryDescription> all;
    for (const theory::Experiment& experiment : theory::allExperiments()) {
      all.push_back(experiment.description);
    }
    return all;
  }();
  return descriptions;
}

const TheoryDescription& theoryExperiment(std::string_view name) {
  return theory::experimentNamed(name).description;
}

std::optional<TheoryResult> runTheory(std::string_view name,
                                      const TheorySettings& settings,
                                      TheoryObserver& observer) {
  const theory::Experiment& experiment = theory::experimentNamed(name);
  const theory::Settings checked = theory::checkedSettings(experiment.description, settings);
  theory::Progress progress(observer);
  try {
    TheoryResult result = experiment.run(checked, progress);
    observer.resultChanged(std::make_shared<const TheoryResult>(result));
    observer.progressed(1);
    return result;
  } catch (const theory::Stopped&) {
    return std::nullopt;
  }
}

}  // namespace lambda
