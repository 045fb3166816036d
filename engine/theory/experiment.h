#pragma once

#include <cstdint>
#include <string_view>

#include "engine/theory/progress.h"
#include "engine/values/theory/theory_experiment.h"

namespace lambda::theory {

/// The value of every parameter of an experiment, checked and with defaults filled in.
class Settings {
 public:
  explicit Settings(TheorySettings values) : values_(std::move(values)) {}

  /// Requires that the experiment has a parameter of this name.
  double real(const char* name) const { return values_.at(name); }

  int whole(const char* name) const { return static_cast<int>(real(name)); }

  std::uint64_t seed() const { return static_cast<std::uint64_t>(real("seed")); }

 private:
  TheorySettings values_;
};

/// A theory experiment: what it asks, and the function that answers. The function reports to
/// `progress` at least ten times a second and lets its exception pass.
struct Experiment {
  TheoryDescription description;
  TheoryResult (*run)(const Settings& settings, Progress& progress);
};

/// The parameter that all experiments with random draws share.
inline TheoryParameter seedParameter() {
  return {
      "seed", "Seed", 0, 0, 1e9, true, "Other seeds draw other data, initial weights and noise."};
}

}  // namespace lambda::theory
