#include "engine/experiments/experiment_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/experiments/difference_text.h"
#include "engine/formats/json/config_override.h"
#include "engine/runtime/error.h"
#include "engine/values/config/validate.h"
#include "engine/values/experiment/axis_values.h"

namespace lambda {

namespace {

/// A place in the values of all axes.
using Cell = std::vector<std::string>;

/// The last name in a path: "learningRate" of "recipe.optimizer.learningRate".
std::string shortName(const std::string& path) {
  const std::size_t point = path.rfind('.');
  return point == std::string::npos ? path : path.substr(point + 1);
}

/// Collects problems and variants together, because what is wrong shows when a variant is made.
class Planner {
 public:
  explicit Planner(const Experiment& experiment)
      : experiment_(experiment), ofBase_(validate(experiment.base)) {}

  void run() {
    checkSeeds();
    checkHalving();
    for (std::size_t i = 0; i < experiment_.variants.size(); ++i) addNamed(i);
    addCells();
    if (variants_.empty() && problems_.empty()) {
      add("variants", "the experiment has no variants: name some, or vary a field by an axis");
    }
    checkNames();
    checkMeasures();
    addWarnings();
    for (const std::uint64_t seed : experiment_.seeds) {
      for (std::size_t i = 0; i < variants_.size(); ++i) runs_.push_back({i, seed});
    }
  }

  const std::vector<Problem>& problems() const { return problems_; }

  ExperimentPlan plan() && {
    return {experiment_.name, std::move(variants_), std::move(runs_), baseline_};
  }

 private:
  void add(std::string path, std::string text) {
    problems_.push_back({std::move(path), Severity::error, std::move(text), std::nullopt});
  }

  void checkSeeds() {
    const auto& seeds = experiment_.seeds;
    if (seeds.empty()) add("seeds", "an experiment needs at least one seed");
    const std::set<std::uint64_t> distinct(seeds.begin(), seeds.end());
    if (distinct.size() != seeds.size()) add("seeds", "a seed is named twice");
  }

  void checkHalving() {
    const Halving& halving = experiment_.halving;
    if (!halving.isOn()) return;
    if (experiment_.base.data.validationCount == 0) {
      add("halving.firstEpochs",
          "variants are compared by their validation accuracy, but no images are kept for "
          "validation: set data.validationCount");
    }
    const bool hasStudent = std::ranges::any_of(
        experiment_.variants, [](const Variant& each) { return !each.labelsFrom.empty(); });
    if (hasStudent) {
      add("halving.firstEpochs",
          "a student waits for its teacher's last epoch, so that their variants can't be compared "
          "earlier");
    }
  }

  /// A score that no variant's task has would be measured in no run.
  void checkMeasures() {
    for (std::size_t i = 0; i < experiment_.measures.size(); ++i) {
      const Quantity quantity = experiment_.measures[i].quantity;
      const std::optional<ScoreKind> score = traitsOf(quantity).scoredBy;
      const auto hasScore = [&](const PlannedVariant& variant) {
        return !score || traitsOf(variant.config.architecture.task).score == *score;
      };
      if (variants_.empty() || std::ranges::any_of(variants_, hasScore)) continue;
      const Task task = variants_.front().config.architecture.task;
      const Quantity fitting = validationQuantityOf(traitsOf(task).score);
      add("measures[" + std::to_string(i) + "]",
          "no variant has a " + std::string(nameOf(quantity)) +
              ", because none has a task with that score: measure " + std::string(nameOf(fitting)));
    }
  }

  /// The variant of that name, of those before. Adds a problem where there is none.
  std::optional<std::size_t> teacherOf(const Variant& variant, const std::string& place) {
    if (variant.labelsFrom.empty()) return std::nullopt;
    const auto found = std::ranges::find(variants_, variant.labelsFrom, &PlannedVariant::name);
    if (found != variants_.end()) return static_cast<std::size_t>(found - variants_.begin());
    add(place + ".labelsFrom",
        "no variant before " + variant.name + " has the name " + variant.labelsFrom);
    return std::nullopt;
  }

  /// Applies the settings to the base. `place` names them in problems.
  void addVariant(std::string name,
                  const std::vector<std::string>& settings,
                  const std::string& place,
                  const std::vector<std::string>& places,
                  std::optional<std::size_t> teacher = std::nullopt,
                  const Cell& axisValues = {}) {
    PlannedVariant variant{std::move(name), settings, experiment_.base, axisValues};
    for (std::size_t i = 0; i < settings.size(); ++i) {
      try {
        applyOverride(variant.config, settings[i]);
      } catch (const Error& error) {
        add(places[i], settings[i] + ": " + error.reason());
        return;
      }
    }
    if (variant.config.seed != experiment_.base.seed) {
      add(place, variant.name + " changes the seed, which the experiment's seeds decide");
      return;
    }
    variant.teacher = teacher;
    RunConfig trained = variant.config;
    if (teacher) trained.data.pseudoLabels = "predictions of the teacher";
    for (Problem& problem : validate(trained)) {
      if (problem.severity == Severity::error) {
        add(place, variant.name + " can't be trained: " + problem.path + ": " + problem.text);
      } else {
        noteWarning(std::move(problem), variant.name);
      }
    }
    variants_.push_back(std::move(variant));
  }

  /// Keeps a warning that the base does not have. The same of several variants is one.
  void noteWarning(Problem problem, const std::string& variant) {
    if (std::ranges::find(ofBase_, problem) != ofBase_.end()) return;
    const auto found = std::ranges::find(warnings_, problem, &Warning::problem);
    if (found != warnings_.end()) {
      found->variants.push_back(variant);
    } else {
      warnings_.push_back({std::move(problem), {variant}});
    }
  }

  /// Adds the warnings, with the names of their variants.
  void addWarnings() {
    for (auto& [problem, variants] : warnings_) {
      const std::size_t named = std::min(variants.size(), kMostNames);
      std::string names = variants.front();
      for (std::size_t i = 1; i < named; ++i) names += "; " + variants[i];
      if (named < variants.size())
        names += " and " + std::to_string(variants.size() - named) + " more";
      problem.fix.reset();
      problem.text = "with " + names + ": " + problem.text;
      problems_.push_back(std::move(problem));
    }
  }

  void addNamed(std::size_t index) {
    const Variant& variant = experiment_.variants[index];
    const std::string place = "variants[" + std::to_string(index) + "]";
    if (variant.name.empty()) {
      add(place + ".name", "a variant needs a name");
      return;
    }
    std::vector<std::string> places;
    for (std::size_t i = 0; i < variant.settings.size(); ++i) {
      places.push_back(place + ".settings[" + std::to_string(i) + "]");
    }
    addVariant(variant.name, variant.settings, place, places, teacherOf(variant, place));
  }

  /// The values of all axes; empty where an axis is wrong.
  std::vector<std::vector<std::string>> axisValues() {
    std::vector<std::vector<std::string>> values;
    std::set<std::string> paths;
    bool areRight = true;
    for (std::size_t i = 0; i < experiment_.axes.size(); ++i) {
      const Axis& axis = experiment_.axes[i];
      const std::string place = "axes[" + std::to_string(i) + "]";
      values.push_back(valuesOf(axis));
      if (axis.path.empty()) {
        add(place + ".path", "an axis needs the path of a field");
        areRight = false;
      } else if (!paths.insert(axis.path).second) {
        add(place + ".path", axis.path + " is the field of another axis");
        areRight = false;
      }
      if (values.back().empty()) {
        add(place,
            axis.scale == AxisScale::list
                ? axis.path + " has no values"
                : axis.path +
                      " has no values: the range needs finite bounds, and a "
                      "logarithmic one bounds above 0");
        areRight = false;
      }
    }
    if (!areRight) values.clear();
    return values;
  }

  std::vector<Cell> crossed(const std::vector<std::vector<std::string>>& values) {
    std::size_t count = 1;
    for (const auto& each : values) {
      // Stops early: a product of long axes may not fit any number.
      count *= each.size();
      if (count > kMostVariants) {
        add("axes",
            "the axes give more than " + std::to_string(kMostVariants) +
                " variants: take fewer values, or combine the axes as zipped");
        return {};
      }
    }
    std::vector<Cell> cells = {{}};
    for (const auto& each : values) {
      std::vector<Cell> longer;
      for (const Cell& cell : cells) {
        for (const std::string& value : each) {
          longer.push_back(cell);
          longer.back().push_back(value);
        }
      }
      cells = std::move(longer);
    }
    return cells;
  }

  std::vector<Cell> zipped(const std::vector<std::vector<std::string>>& values) {
    for (const auto& each : values) {
      if (each.size() == values.front().size()) continue;
      add("axes",
          "zipped axes need the same number of values, not " +
              std::to_string(values.front().size()) + " and " + std::to_string(each.size()));
      return {};
    }
    std::vector<Cell> cells(values.front().size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const auto& each : values) cells[i].push_back(each[i]);
    }
    return cells;
  }

  void addCells() {
    const std::vector<std::vector<std::string>> values = axisValues();
    if (values.empty()) return;
    const bool isZipped = experiment_.combination == AxisCombination::zipped;
    for (const Cell& cell : isZipped ? zipped(values) : crossed(values)) {
      std::string name;
      std::vector<std::string> settings;
      std::vector<std::string> places;
      for (std::size_t i = 0; i < cell.size(); ++i) {
        const std::string& path = experiment_.axes[i].path;
        name += (i > 0 ? ", " : "") + shortName(path) + " = " + cell[i];
        settings.push_back(path + "=" + cell[i]);
        places.push_back("axes[" + std::to_string(i) + "]");
      }
      addVariant(std::move(name), settings, "axes", places, std::nullopt, cell);
    }
  }

  void checkNames() {
    std::set<std::string> names;
    for (const PlannedVariant& variant : variants_) {
      if (!names.insert(variant.name).second) {
        add("variants", "two variants have the name " + variant.name);
      }
    }
    if (variants_.size() > kMostVariants) {
      add("variants", "there are more than " + std::to_string(kMostVariants) + " variants");
    }
    if (experiment_.baseline.empty()) return;
    const auto found = std::ranges::find(variants_, experiment_.baseline, &PlannedVariant::name);
    if (found == variants_.end()) {
      add("baseline", "no variant has the name " + experiment_.baseline);
    } else {
      baseline_ = static_cast<std::size_t>(found - variants_.begin());
    }
  }

  struct Warning {
    Problem problem;
    std::vector<std::string> variants;
  };

  static constexpr std::size_t kMostNames = 3;

  const Experiment& experiment_;
  std::vector<Problem> problems_;
  std::vector<Problem> ofBase_;  ///< What the base itself is warned of.
  std::vector<Warning> warnings_;
  std::vector<PlannedVariant> variants_;
  std::vector<PlannedRun> runs_;
  std::size_t baseline_ = 0;
};

}  // namespace

RunConfig ExperimentPlan::configOf(const PlannedRun& run) const {
  RunConfig config = variants[run.variant].config;
  config.seed = run.seed;
  config.name = variants[run.variant].name;
  config.experiment = experiment;
  config.start.pairedDraws = true;
  return config;
}

std::vector<Problem> problemsOf(const Experiment& experiment) {
  Planner planner(experiment);
  planner.run();
  return planner.problems();
}

ExperimentPlan planOf(const Experiment& experiment) {
  Planner planner(experiment);
  planner.run();
  if (hasErrors(planner.problems())) {
    throw Error("experiment", "it can't be run:\n" + toText(planner.problems()));
  }
  return std::move(planner).plan();
}

}  // namespace lambda
