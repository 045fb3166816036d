#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/experiments/experiment_plan.h"
#include "engine/values/experiment/experiment.h"

namespace lambda {

/// The folder of one experiment and the paths in it. It holds the whole state:
///   experiment.json   the Experiment, with its base in full
///   runs/             an ordinary run folder for each run, VARIANT_seed-N
///   configurations/   the configuration from which each run starts, as JSON
///   labels/           what teachers predict for the runs of their students
///   claims/           which worker trains which run (RunClaim)
///   failures/         why a run's process ended without a result
class ExperimentFolder {
 public:
  /// Creates EXPERIMENTS/NAME for an experiment whose base is in full (resolvedExperiment()), or
  /// opens it where it holds the same experiment already. Throws Error where it holds another one,
  /// for a name that is no name of a folder, and where it can't be created.
  static ExperimentFolder create(const std::filesystem::path& experimentsFolder,
                                 const Experiment& experiment);

  /// An existing experiment. Throws Error if the folder or its experiment.json is missing or can't
  /// be read, and with all problems of an experiment that can't be run.
  static ExperimentFolder open(const std::filesystem::path& path);

  /// Whether a folder has an experiment.json.
  static bool isAt(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

  const Experiment& experiment() const { return experiment_; }

  const ExperimentPlan& plan() const { return plan_; }

  std::filesystem::path record() const { return path_ / "experiment.json"; }

  std::filesystem::path runs() const { return path_ / "runs"; }

  /// The name of a run's folder in runs(), and of its files: the number and name of its variant and
  /// its seed.
  std::string nameOf(const PlannedRun& run) const;

  std::filesystem::path runFolder(const PlannedRun& run) const { return runs() / nameOf(run); }

  std::filesystem::path configuration(const PlannedRun& run) const;

  /// The file of the pseudo-labels of a student's run.
  std::filesystem::path labels(const PlannedRun& run) const;

  std::filesystem::path claims() const { return path_ / "claims"; }

  std::filesystem::path failure(const PlannedRun& run) const;

  /// Adds seeds to the experiment, each of them unused so far, and publishes the new record. Throws
  /// Error.
  void addSeeds(int count);

 private:
  ExperimentFolder(std::filesystem::path path, Experiment experiment);

  std::filesystem::path path_;
  Experiment experiment_;
  ExperimentPlan plan_;
};

/// The experiment with its preset, its settings and those of one of its sizes applied to the base;
/// the fields that named them are empty. `size`: empty for the first. Throws Error for a preset, a
/// setting or a size that there is not.
Experiment resolvedExperiment(const Experiment& experiment, const std::string& size = {});

/// Folders of experiments (with an experiment.json) in a folder, sorted by name. A folder that
/// can't be listed has none.
std::vector<std::filesystem::path> experimentFoldersIn(const std::filesystem::path& folder);

}  // namespace lambda
