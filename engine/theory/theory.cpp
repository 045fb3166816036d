#include "engine/theory/theory.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/error.h"
#include "engine/runtime/plugin.h"
#include "engine/theory/experiment.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace theory {

std::vector<TheoryDescription> describeExperiments();

namespace {

/// A library that is missing is searched for again the next time: it may be built meanwhile.
ComputeTheory loadedComputation() {
  const PluginFunction function = pluginFunction(pluginFile(kTheoryLibrary), kComputeTheorySymbol);
  if (function.address == nullptr) {
    throw Error(kTheoryLibrary,
                "The theory experiments can't be computed: " + function.obstacle + ".",
                "From the sources, app/run experiment builds their library.");
  }
  return reinterpret_cast<ComputeTheory>(function.address);
}

/// The valid names, and before them the one that was probably meant.
std::string hintFor(std::string_view wrong,
                    const std::vector<std::string_view>& valid,
                    const std::string& what) {
  const std::string nearest = nearestName(wrong, valid);
  const std::string guess = nearest.empty() ? "" : "Did you mean " + nearest + "? ";
  return guess + what + ": " + joined(valid) + ".";
}

const TheoryDescription& experimentNamed(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TheoryDescription& experiment : theoryExperiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
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
  static const std::vector<TheoryDescription> descriptions = theory::describeExperiments();
  return descriptions;
}

const TheoryDescription& theoryExperiment(std::string_view name) {
  return theory::experimentNamed(name);
}

void loadTheory() {
  theory::loadedComputation();
}

std::optional<TheoryResult> runTheory(std::string_view name,
                                      const TheorySettings& settings,
                                      TheoryObserver& observer) {
  const theory::Settings checked = theory::checkedSettings(theory::experimentNamed(name), settings);
  TheoryResult result;
  if (!theory::loadedComputation()(name, checked, observer, result)) return std::nullopt;
  observer.resultChanged(std::make_shared<const TheoryResult>(result));
  observer.progressed(1);
  return result;
}

}  // namespace lambda
