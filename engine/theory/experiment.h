#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

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

/// The only symbol that lambda-theory.so exports: computes the experiment `name`, which has to
/// exist, into `result`, and returns false if the observer asked to stop. It has C linkage, so that
/// it is found by its name; the caller and the library are always built together.
using ComputeTheory = bool (*)(std::string_view name,
                               const Settings& settings,
                               TheoryObserver& observer,
                               TheoryResult& result);

inline constexpr const char* kComputeTheorySymbol = "lambdaComputeTheory";
inline constexpr const char* kTheoryLibrary = "lambda-theory.so";

}  // namespace lambda::theory
