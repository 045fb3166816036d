#pragma once

#include <string_view>
#include <type_traits>
#include <variant>

#include "engine/values/fields/field.h"

namespace lambda {

struct Recipe;

// Each kind of schedule is a struct of its options, with the value of "kind" in JSON and a curve in
// schedule.cpp.

struct ConstantSchedule {
  static constexpr std::string_view kKind = "constant";
  double warmupEpochs = 0;

  bool operator==(const ConstantSchedule&) const = default;
};

struct CosineSchedule {
  static constexpr std::string_view kKind = "cosine";
  double warmupEpochs = 0;
  double finalFactor = 0;

  bool operator==(const CosineSchedule&) const = default;
};

struct LinearSchedule {
  static constexpr std::string_view kKind = "linear";
  double warmupEpochs = 0;
  double finalFactor = 0;

  bool operator==(const LinearSchedule&) const = default;
};

/// Rises until the peak and falls from there.
struct TriangularSchedule {
  static constexpr std::string_view kKind = "triangular";
  double finalFactor = 0;
  double peakFraction = 0.2;  ///< Where in the run the peak lies, 0..1.

  bool operator==(const TriangularSchedule&) const = default;
};

struct StepSchedule {
  static constexpr std::string_view kKind = "step";
  double warmupEpochs = 0;
  double stepEpochs = 30;   ///< Epochs between two drops.
  double stepFactor = 0.1;  ///< Factor of each drop.

  bool operator==(const StepSchedule&) const = default;
};

using ScheduleKind = std::
    variant<ConstantSchedule, CosineSchedule, LinearSchedule, TriangularSchedule, StepSchedule>;

/// The learning rate over a run, as a factor of the peak.
struct ScheduleConfig {
  ScheduleKind kind = CosineSchedule{};

  bool operator==(const ScheduleConfig&) const = default;
};

template <class Value, class Visit>
requires requires {
  std::remove_const_t<Value>::kKind;
}

void visitFields(Value& value, Visit&& visit) {
  if constexpr (requires { value.warmupEpochs; }) {
    visit(Field{{"warmupEpochs", "epochs of linear rise from 0; not for triangular", 0, 100000},
                {"Warm-up", Stepping::one, "epochs", "none"},
                "Starts with small steps, which large batches and Adam need to stay stable."},
          value.warmupEpochs);
  }
  if constexpr (requires { value.finalFactor; }) {
    visit(Field{{"finalFactor", "factor of the peak at the end", 0, 1},
                {"Final factor", Stepping::hundredth},
                "The smaller the last steps, the better the weights settle; 0 is usual."},
          value.finalFactor);
  }
  if constexpr (requires { value.peakFraction; }) {
    visit(Field{{"peakFraction", "triangular: share of the run before the peak", 0, 1},
                {"Peak at", Stepping::hundredth, "of the run"},
                "An early peak leaves more of the run for settling."},
          value.peakFraction);
  }
  if constexpr (requires { value.stepEpochs; }) {
    visit(Field{{"stepEpochs", "step: epochs between two drops", 1e-3, 100000},
                {"Drop every", Stepping::one, "epochs"},
                "The accuracy jumps up at each drop; drop when it no longer grows."},
          value.stepEpochs);
    visit(Field{{"stepFactor", "step: factor of a drop", 0, 1},
                {"Drop to", Stepping::hundredth},
                "How far the learning rate falls at each drop; 0.1 is usual."},
          value.stepFactor);
  }
}

template <Either<ScheduleConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"kind", "constant, cosine, linear, triangular or step"},
              {"Schedule"},
              "How the learning rate falls: cosine and linear end the most accurate, triangular "
              "suits runs of few epochs, constant is for experiments."},
        value.kind);
  std::visit([&](auto& options) { visitFields(options, visit); }, value.kind);
}

/// The learning rate as a factor of its peak, after `epoch` epochs (fractional, 0 at the first
/// batch) of a run of `epochs`. It lies in 0..1 for every time in 0..epochs.
double learningRateFactor(const ScheduleConfig& schedule, double epoch, int epochs);

/// The learning rate after `epoch` epochs of a run with this recipe, its factor included.
double learningRateAt(const Recipe& recipe, double epoch);

/// The learning rate of a step: batch `batch` of epoch `epoch`, both counted from 0. The schedule
/// is read at the middle of the step, so that neither the first nor the last step has a rate of 0.
double learningRateOfStep(const Recipe& recipe, int epoch, int batch, int batchesPerEpoch);

}  // namespace lambda
