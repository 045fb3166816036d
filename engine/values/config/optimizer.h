#pragma once

#include <concepts>
#include <string_view>
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

/// Lion (Chen et al., 2023): every weight moves by the learning rate, in the direction of the sign
/// of an average of the gradients. Its weight decay is decoupled.
struct Lion {
  double beta1 = 0.9;
  double beta2 = 0.99;

  bool operator==(const Lion&) const = default;
};

constexpr OptimizerTraits traitsOf(const Lion&) {
  return {.kind = "lion", .title = "Lion", .firstMoment = "mean"};
}

template <Either<Lion> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"beta1", "lion: share of the mean gradient in the direction of a step", 0, 0.99999},
              {"Beta 1", Stepping::hundredth},
              "Smaller values follow the gradient of the batch more closely."},
        value.beta1);
  visit(Field{{"beta2", "lion: decay of the mean gradient", 0, 0.9999999},
              {"Beta 2", Stepping::hundredth},
              "Averages gradients over about 1 / (1 − β) steps."},
        value.beta2);
}

/// A new optimiser is a new alternative: every list of overloads that omits it fails to compile.
using OptimizerKind = std::variant<Sgd, Adam, AdamW, Muon, Lion>;

template <std::same_as<OptimizerKind> Kind>
constexpr OptimizerTraits traitsOf(const Kind& kind) {
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

template <Either<OptimizerConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  const auto same = atSameSpeed(visit);
  visit(
      Field{{"kind", "sgd, adam, adamw, muon or lion"},
            {"Optimiser"},
            "SGD generalises well and keeps one more value per parameter; Adam and AdamW need less "
            "tuning and keep two; Muon learns fastest in short runs of convolutional networks; "
            "Lion keeps one and asks for a tenth of the learning rate of AdamW."},
      value.kind);
  same(Field{{"learningRate", "peak of the schedule", 0, 1000},
             {"Learning rate", Stepping::oneTwoFive},
             "The most important number: too high diverges, too low stays behind. It usually "
             "doubles with the batch size. Free."},
       value.learningRate);
  std::visit([&](auto& options) { visitFields(options, same); }, value.kind);
  same(Field{{"weightDecay", "weight decay; muon: not of the filters that it updates", 0, 10},
             {"Weight decay", Stepping::oneTwoFive, "", "off"},
             "Less overfitting: 1e-4 to 5e-4 with SGD, 0.01 to 0.1 with AdamW. Too much keeps the "
             "training accuracy low. The filters that Muon updates do not decay: it fixes their "
             "norm."},
       value.weightDecay);
  same(Field{{"decayAllParameters",
              "decay all parameters in full, also norms, biases and embeddings"},
             {"Decay all parameters"},
             "Norms, biases and embeddings decay too, as in many older recipes; usually less "
             "accurate."},
       value.decayAllParameters);
  same(Field{{"gradientClip", "greatest norm of all gradients together; 0 = none", 0, 1e6},
             {"Gradient clipping", Stepping::oneTwoFive, "", "off"},
             "Limits the harm of single bad batches; around 1 where the loss jumps."},
       value.gradientClip);
  same(Field{"rateFactors", "learning rates of parameters by their role"}, value.rateFactors);
  same(Field{{"decayFactors", "weight decay of parameters by their role"},
             {},
             "",
             value.weightDecay > 0 && !value.decayAllParameters},
       value.decayFactors);
}

/// The weight decay of the parameters of a role.
inline double weightDecayOf(const OptimizerConfig& config, ParameterRole role) {
  return config.weightDecay * (config.decayAllParameters ? 1 : factorOf(config.decayFactors, role));
}

}  // namespace lambda
