#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/values/theory/theory_experiment.h"

namespace lambda {

/// Follows a theory experiment. All calls come from the thread of runTheory().
class TheoryObserver {
 public:
  virtual ~TheoryObserver() = default;

  /// `fraction` of the work is done, 0..1; at most some 20 calls a second, and a last one with 1.
  virtual void progressed(double fraction) = 0;

  /// The figures and numbers so far; at most some 10 calls a second. Never modified afterwards.
  virtual void resultChanged(std::shared_ptr<const TheoryResult> result) = 0;

  /// Whether the experiment should end early. Asked at least ten times a second at the default
  /// parameters, often much more often, so it has to be quick.
  virtual bool isStopRequested() { return false; }
};

/// All theory experiments, in the order in which they are shown.
std::span<const TheoryDescription> theoryExperiments();

/// The experiment with this name. Throws Error, naming all experiments, if there is none.
const TheoryDescription& theoryExperiment(std::string_view name);

/// Loads the library that computes experiments, as the first runTheory() does. Throws Error where
/// it is not built.
void loadTheory();

/// Runs an experiment on the calling thread and no other, and returns what it found, or nothing if
/// the observer asked to stop. The same settings give the same result on the same build.
/// `settings` override defaults. Throws Error for a name that is unknown, for a setting that the
/// experiment does not have, and for a value out of range; the message names what is valid. Throws
/// as loadTheory() too.
std::optional<TheoryResult> runTheory(std::string_view name,
                                      const TheorySettings& settings,
                                      TheoryObserver& observer);

}  // namespace lambda
