#pragma once

#include <string_view>
#include <type_traits>
#include <variant>

#include "engine/values/architecture/parameter_role.h"
#include "engine/values/fields/field.h"

namespace lambda {

// Each kind of optimiser is a struct of its options with traitsOf() and visitFields() of it, and a
// rule in engine/training/update/backends/update_rules.cpp.

/// The properties, besides their options, in which the kinds of optimisers differ.
struct OptimizerTraits {
  std::string_view kind;         ///< The value of "kind" in JSON.
  std::string_view title;        ///< "AdamW"
  std::string_view firstMoment;  ///< The name in checkpoints of what it keeps of each parameter.
  std::string_view secondMoment = {};  ///< The same for a second tensor; empty = none.
  bool countsSteps = false;            ///< Keeps the number of updates of each parameter.
  int stateCopies = 1;                 ///< Of the parameters: the memory that its state needs.
  /// Filters of convolutions are updated by Muon (engine/training/update/muon/muon.h), the other
  /// parameters by SGD.
  bool orthogonalizesFilters = false;
};

struct Sgd {
  double momentum = 0.9;
  bool nesterov = true;

  bool operator==(const Sgd&) const = default;
};

constexpr OptimizerTraits traitsOf(const Sgd& sgd) {
  return {.kind = "sgd",
          .title = "SGD",
          .firstMoment = "momentum",
          .stateCopies = sgd.momentum > 0 ? 1 : 0};
}

struct Adam {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  bool operator==(const Adam&) const = default;
};

constexpr OptimizerTraits traitsOf(const Adam&) {
  return {.kind = "adam",
          .title = "Adam",
          .firstMoment = "mean",
          .secondMoment = "variance",
          .countsSteps = true,
          .stateCopies = 2};
}

/// Adam with decoupled weight decay.
struct AdamW : Adam {
  bool operator==(const AdamW&) const = default;
};

constexpr OptimizerTraits traitsOf(const AdamW& adamw) {
  OptimizerTraits traits = traitsOf(static_cast<const Adam&>(adamw));
  traits.kind = "adamw";
  traits.title = "AdamW";
  return traits;
}

struct Muon {
  double muonLearningRate = 0.08;
  double momentum = 0.9;
  bool nesterov = true;

  bool operator==(const Muon&) const = default;
};

constexpr OptimizerTraits traitsOf(const Muon&) {
  return {
      .kind = "muon", .title = "Muon", .firstMoment = "momentum", .orthogonalizesFilters = true};
}

template <class Value, class Visit>
requires Either<Value, Sgd> || Either<Value, Muon>

void visitFields(Value& value, Visit&& visit) {
  if constexpr (Either<Value, Muon>) {
    visit(Field{{"muonLearningRate",
                 "muon: change of a convolution's filters in a step at the peak, as a share of "
                 "their norm",
                 0,
                 1,
                 "filterRate"},
                {"Muon learning rate", Stepping::oneTwoFive},
                "How far the filters move in a step, as a share of their size; independent of the "
                "gradients' size."},
          value.muonLearningRate);
  }
  visit(Field{{"momentum", "sgd and muon: momentum", 0, 0.9999},
              {"Momentum", Stepping::hundredth},
              "Averages gradients over about 1 / (1 − m) steps: steadier and faster, one value "
              "more per parameter."},
        value.momentum);
  visit(Field{{"nesterov", "sgd and muon: Nesterov's look-ahead"},
              {"Nesterov"},
              "Often converges a little faster than plain momentum, at no cost."},
        value.nesterov);
}

template <class Value, class Visit>
requires Either<Value, Adam> || Either<Value, AdamW>

void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"beta1", "adam: decay of the first moment", 0, 0.99999},
              {"Beta 1", Stepping::hundredth},
              "Averages gradients over about 1 / (1 − β) steps."},
        value.beta1);
  visit(Field{{"beta2", "adam: decay of the second moment", 0, 0.9999999},
              {"Beta 2", Stepping::hundredth},
              "Averages squared gradients; values near 1 are steadier, and need more steps of "
              "warm-up."},
        value.beta2);
  visit(Field{{"epsilon", "adam: added to the denominator", 1e-16, 1},
              {"Epsilon", Stepping::oneTwoFive},
              "Larger values limit the steps of parameters with tiny gradients."},
        value.epsilon);
}

/// A new optimiser is a new alternative: every list of overloads that omits it fails to compile.
using OptimizerKind = std::variant<Sgd, Adam, AdamW, Muon>;

inline OptimizerTraits traitsOf(const OptimizerKind& kind) {
  return std::visit([](const auto& options) { return traitsOf(options); }, kind);
}

struct OptimizerConfig {
  OptimizerKind kind;
  double learningRate = 0.1;        ///< Peak of the schedule.
  double weightDecay = 5e-4;        ///< Not of the filters that Muon updates: it fixes their norm.
  bool decayAllParameters = false;  ///< In full, whatever `decayFactors` says.
  double gradientClip = 0;          ///< Greatest 2-norm of all gradients together; 0 = none.
  RateFactors rateFactors;
  DecayFactors decayFactors;

  bool operator==(const OptimizerConfig&) const = default;
};

/// The weight decay of the parameters of a role.
inline double weightDecayOf(const OptimizerConfig& config, ParameterRole role) {
  return config.weightDecay * (config.decayAllParameters ? 1 : factorOf(config.decayFactors, role));
}

}  // namespace lambda
