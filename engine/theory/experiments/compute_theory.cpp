#include <map>

#include "engine/theory/experiment.h"

namespace lambda::theory {

// An experiment reports to `progress` at least ten times a second and lets its exception pass.

TheoryResult runSmallInitialisation(const Settings& settings, Progress& progress);
TheoryResult runLargeLearningRate(const Settings& settings, Progress& progress);
TheoryResult runSingleEpoch(const Settings& settings, Progress& progress);
TheoryResult runDeepLinearLabelNoise(const Settings& settings, Progress& progress);
TheoryResult runKernelRegression(const Settings& settings, Progress& progress);

namespace {

/// A new experiment is a file with a function like those above and its line here, and its
/// description.
const std::map<std::string_view, TheoryResult (*)(const Settings&, Progress&)> kExperiments = {
    {"small-initialisation", runSmallInitialisation},
    {"large-learning-rate", runLargeLearningRate},
    {"single-epoch", runSingleEpoch},
    {"deep-linear-label-noise", runDeepLinearLabelNoise},
    {"kernel-regression", runKernelRegression},
};

}  // namespace

}  // namespace lambda::theory

extern "C" __attribute__((visibility("default"))) bool lambdaComputeTheory(
    std::string_view name,
    const lambda::theory::Settings& settings,
    lambda::TheoryObserver& observer,
    lambda::TheoryResult& result) {
  lambda::theory::Progress progress(observer);
  try {
    result = lambda::theory::kExperiments.at(name)(settings, progress);
    return true;
  } catch (const lambda::theory::Stopped&) {
    return false;
  }
}
