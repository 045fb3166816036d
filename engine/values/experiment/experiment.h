#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/config/fields.h"
#include "engine/values/config/run_config.h"
#include "engine/values/fields/enum_name.h"

namespace lambda {

/// A quantity of a finished run that an experiment compares.
enum class Quantity {
  validationAccuracy,  ///< The best of all epochs, 0..1.
  testAccuracy,        ///< Of the best checkpoint, scored once, at the run's end, 0..1.
  validationLoss,      ///< The lowest of all epochs.
  secondsToAccuracy,   ///< Training seconds to the first epoch with `target` validation accuracy.
  imagesPerSecond,     ///< Training images a second, over the whole run.
  parameters,
  flops,         ///< Of the forward pass of one image, 2 per multiply-add.
  validationR2,  ///< As the accuracies, for a regression.
  testR2,
  secondsToR2,
  validationBits,  ///< validationLoss in bits; of a text, in bits per byte.
  testBits,        ///< The loss of the best checkpoint on the test set, in bits.
};

template <>
inline constexpr EnumNames<12> kNamesOf<Quantity>{{"validationAccuracy",
                                                   "testAccuracy",
                                                   "validationLoss",
                                                   "secondsToAccuracy",
                                                   "imagesPerSecond",
                                                   "parameters",
                                                   "flops",
                                                   "validationR2",
                                                   "testR2",
                                                   "secondsToR2",
                                                   "validationBits",
                                                   "testBits"}};

struct Measure {
  Quantity quantity = Quantity::validationAccuracy;
  double target = 0.9;  ///< secondsToAccuracy, secondsToR2: the validation score to be reached.

  bool operator==(const Measure&) const = default;
};

/// A named change of the base configuration.
struct Variant {
  std::string name;
  std::vector<std::string> settings;  ///< "PATH=VALUE", as for applyOverride().
  /// A variant before this one, whose best checkpoint labels the images that have no label of their
  /// own (data.pseudoLabels): the teacher of this student. Empty: none. Teacher and student have
  /// the same seed.
  std::string labelsFrom = {};

  bool operator==(const Variant&) const = default;
};

/// How the values of an axis follow each other.
enum class AxisScale {
  list,               ///< Those that are named.
  linear,             ///< `count` from `from` to `to`, both included.
  logarithmic,        ///< The same with equal ratios.
  random,             ///< `count` draws, uniform between `from` and `to`.
  randomLogarithmic,  ///< `count` draws whose logarithms are uniform.
};

template <>
inline constexpr EnumNames<5> kNamesOf<AxisScale>{
    {"list", "linear", "logarithmic", "random", "randomLogarithmic"}};

/// A field of the configuration that takes several values.
struct Axis {
  std::string path;  ///< "recipe.optimizer.learningRate".
  AxisScale scale = AxisScale::list;
  std::vector<std::string> values = {};  ///< list: JSON texts, "0.1" or "{\"kind\": \"lambda\"}".
  double from = 0;
  double to = 1;
  int count = 5;
  std::uint64_t seed = 0;  ///< Of the draws.

  bool operator==(const Axis&) const = default;
};

/// How the values of several axes are combined.
enum class AxisCombination {
  crossed,  ///< Each with each.
  zipped,   ///< The first with the first, the second with the second, ...
};

template <>
inline constexpr EnumNames<2> kNamesOf<AxisCombination>{{"crossed", "zipped"}};

/// Early ends of the worse variants: successive halving (Jamieson and Talwalkar, 2016). All
/// variants train `firstEpochs`; of n variants the n / factor best (rounded up) go on, until factor
/// times as many epochs, and so on. The baseline always goes on, and is none of the n. Compared are
/// the means over all seeds of the best validation accuracy so far. The learning rate follows the
/// schedule of the whole run.
struct Halving {
  int firstEpochs = 0;  ///< 0: no variant ends early.
  double factor = 2;

  bool isOn() const { return firstEpochs > 0; }

  bool operator==(const Halving&) const = default;
};

inline constexpr std::size_t kMostVariants = 1000;
inline constexpr std::size_t kMostAxes = 8;
inline constexpr std::size_t kMostSeeds = 100;

/// Another extent of an experiment: changes of the base for all variants.
struct ExperimentSize {
  std::string name;                   ///< "cpu", "gpu".
  std::string description;            ///< One sentence: what is smaller or larger.
  std::string preset;                 ///< Of the base at this size; empty: the experiment's.
  std::vector<std::string> settings;  ///< "PATH=VALUE", applied to the base.

  bool operator==(const ExperimentSize&) const = default;
};

/// The value of one variant in a publication.
struct PublishedValue {
  std::string variant;
  double value = 0;

  bool operator==(const PublishedValue&) const = default;
};

/// A column of published values, shown beside the measured ones.
struct PublishedColumn {
  std::string title;   ///< "ImageNet top-1 accuracy, ResNet-50, %".
  std::string source;  ///< "LambdaNetworks (Bello, 2021), table 10".
  std::vector<PublishedValue> values;

  bool operator==(const PublishedColumn&) const = default;
};

/// A question about networks or recipes, and the runs that answer it: every variant of a base
/// configuration with every seed. Runs of one seed have the same data order and augmentation, and
/// the same initial weights where shapes agree, so that their differences are paired.
struct Experiment {
  std::string name;
  std::string question;               ///< One sentence.
  std::string preset;                 ///< Of the base; empty: `base` itself.
  std::vector<std::string> settings;  ///< "PATH=VALUE": changes of the preset or the base.
  std::vector<ExperimentSize> sizes;  ///< The first is the usual one; may be empty.
  RunConfig base;
  std::vector<Variant> variants;  ///< Named ones; empty: those that the axes give.
  std::vector<Axis> axes;         ///< Empty: the named variants alone.
  AxisCombination combination = AxisCombination::crossed;
  std::vector<std::uint64_t> seeds = {0, 1, 2};
  std::string
      baseline;  ///< Name of the variant that the others are compared with; empty: the first.
  Halving halving;
  std::vector<Measure> measures = {Measure{}};  ///< The first is that of the pictures.
  std::vector<PublishedColumn> published;

  bool operator==(const Experiment&) const = default;
};

template <Either<Measure> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"quantity", "what is compared: a quantity of a finished run"}, value.quantity);
  visit(Field{"target", "secondsToAccuracy, secondsToR2: the validation score to be reached", 0, 1},
        value.target);
}

template <Either<Variant> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "name of the variant"}, value.name);
  visit(Field{"settings", "changes of the base: PATH=VALUE", 0, 1000}, value.settings);
  visit(Field{"labelsFrom", "variant that labels the other training images; empty = none"},
        value.labelsFrom);
}

template <Either<Axis> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"path", "the field that takes several values"}, value.path);
  visit(Field{"scale", "list, linear, logarithmic, random or randomLogarithmic"}, value.scale);
  visit(Field{"values", "list: the values", 0, kMostVariants}, value.values);
  visit(Field{"from", "first value of a range"}, value.from);
  visit(Field{"to", "last value of a range"}, value.to);
  visit(Field{"count", "number of values in a range", 1, kMostVariants}, value.count);
  visit(Field{"seed", "seed of random values"}, value.seed);
}

template <Either<Halving> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"firstEpochs",
              "epochs after which the first variants end early; 0 = none does",
              0,
              1000000},
        value.firstEpochs);
  visit(Field{"factor", "of n variants, n / factor go on", 1.1, 100}, value.factor);
}

template <Either<ExperimentSize> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "name of the size"}, value.name);
  visit(Field{"description", "what is smaller or larger, in one sentence"}, value.description);
  visit(Field{"preset", "preset of the base at this size; empty = the experiment's"}, value.preset);
  visit(Field{"settings", "changes of the base: PATH=VALUE", 0, 1000}, value.settings);
}

template <Either<PublishedValue> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"variant", "name of the variant"}, value.variant);
  visit(Field{"value", "its published value"}, value.value);
}

template <Either<PublishedColumn> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"title", "quantity and unit"}, value.title);
  visit(Field{"source", "publication and table"}, value.source);
  visit(Field{"values", "a value for each variant", 0, kMostVariants}, value.values);
}

template <Either<Experiment> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "short name of the experiment"}, value.name);
  visit(Field{"question", "the question, in one sentence"}, value.question);
  visit(Field{"preset", "preset of the base; empty = the base itself"}, value.preset);
  visit(Field{"settings", "changes of the preset or base: PATH=VALUE", 0, 1000}, value.settings);
  visit(Field{"sizes", "smaller or larger forms of the base", 0, 10}, value.sizes);
  visit(Field{"base", "configuration that the variants change"}, value.base);
  visit(Field{"variants", "named changes of the base", 0, kMostVariants}, value.variants);
  visit(Field{"axes", "fields that take several values", 0, kMostAxes}, value.axes);
  visit(Field{"combination", "of several axes: crossed or zipped"}, value.combination);
  visit(Field{"seeds", "a run of every variant for each of them", 1, kMostSeeds}, value.seeds);
  visit(Field{"baseline", "variant that the others are compared with; empty = the first"},
        value.baseline);
  visit(Field{"halving", "early ends of the worse variants"}, value.halving);
  visit(Field{"measures", "what is compared", 1, 20}, value.measures);
  visit(Field{"published", "published values, shown beside the measured ones", 0, 20},
        value.published);
}

}  // namespace lambda
