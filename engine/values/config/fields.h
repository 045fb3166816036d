#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/values/config/enum_names.h"
#include "engine/values/config/run_config.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// Names of the alternatives of Mixer, in their order: the values of a mixer's "kind".
inline constexpr std::array<std::string_view, kMixerKindCount> kMixerKinds = [] {
  std::array<std::string_view, kMixerKindCount> kinds;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) kinds[kind] = kMixerTraits[kind].kind;
  return kinds;
}();

/// Calls `of` with the defaults of each alternative of a variant; an array of the results.
template <class Variant, class Of>
constexpr auto ofEachKind(const Of& of) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{of(std::variant_alternative_t<I, Variant>{})...};
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
}

/// The kinds of a variant of option structs: the values of its "kind", in the order of its
/// alternatives, and the noun for one of them in messages. `kAreBeside`: the options do not stand
/// in an object of their own, but beside "kind" among the fields of the variant's owner.
template <class Variant>
struct KindsOf;

template <>
struct KindsOf<Mixer> {
  static constexpr auto& names = kMixerKinds;
  static constexpr const char* noun = "a mixer";
};

template <>
struct KindsOf<DataSource> {
  static constexpr auto names = ofEachKind<DataSource>(
      []<class Source>(const Source&) { return traitsOf(std::type_identity<Source>()).kind; });
  static constexpr const char* noun = "a data source";
};

template <>
struct KindsOf<OptimizerKind> {
  static constexpr auto names =
      ofEachKind<OptimizerKind>([](const auto& options) { return traitsOf(options).kind; });
  static constexpr bool kAreBeside = true;
};

template <>
struct KindsOf<ScheduleKind> {
  static constexpr auto names =
      ofEachKind<ScheduleKind>([](const auto& options) { return options.kKind; });
  static constexpr bool kAreBeside = true;
};

/// A variant whose options stand beside its kind. Its value is the field "kind"; its options are
/// fields of its owner.
template <class T>
concept HasOptionsBeside = requires {
  KindsOf<T>::kAreBeside;
};

/// A variant of option structs that stand in an object with their "kind".
template <class T>
concept HasKinds = !HasOptionsBeside<T> && requires {
  KindsOf<T>::names;
};

/// The value of "kind" in JSON.
template <class Variant>
constexpr std::string_view kindNameOf(const Variant& value) {
  return KindsOf<Variant>::names[value.index()];
}

/// The alternative of that kind with its defaults; `kind` is an index of KindsOf<Variant>::names.
template <class Variant, std::size_t I = 0>
Variant valueOfKind(std::size_t kind) {
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    if (kind != I) return valueOfKind<Variant, I + 1>(kind);
  }
  return std::variant_alternative_t<I, Variant>{};
}

/// Changes the kind and keeps what was set: options that both kinds have, unless they were at the
/// default of the kind before.
template <HasOptionsBeside Variant>
void changeKind(Variant& value, std::size_t kind) {
  if (value.index() == kind) return;
  using Options = std::vector<std::pair<std::string_view, double>>;
  const auto optionsOf = [](const Variant& each) {
    Options options;
    const auto add = [&](const Field& field, const auto& member) {
      options.emplace_back(field.name, static_cast<double>(member));
    };
    std::visit([&](const auto& alternative) { visitFields(alternative, add); }, each);
    return options;
  };
  const Options before = optionsOf(value),
                defaults = optionsOf(valueOfKind<Variant>(value.index()));
  value = valueOfKind<Variant>(kind);
  const auto keep = [&](const Field& field, auto& member) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i].first == field.name && before[i] != defaults[i])
        member = static_cast<std::remove_reference_t<decltype(member)>>(before[i].second);
    }
  };
  std::visit([&](auto& alternative) { visitFields(alternative, keep); }, value);
}

/// A value whose member `kind` has its options beside it.
template <class T>
concept HasKindBesideOptions = HasOptionsBeside<decltype(T::kind)>;

/// Calls visit(value) for the value and then for it with each kind whose options stand beside it.
template <class T, class Visit>
void withEachKind(T value, const Visit& visit) {
  visit(value);
  if constexpr (HasKindBesideOptions<T>) {
    for (std::size_t kind = 0; kind < KindsOf<decltype(T::kind)>::names.size(); ++kind) {
      value.kind = valueOfKind<decltype(T::kind)>(kind);
      visit(value);
    }
  }
}

// Each overload calls visit(Field, member) for every field of a value, in the order of its JSON.
// JSON, ranges, command-line overrides and forms all come from these lists. Those of the mixers are
// in their own headers.

template <Either<MapShape> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"channels", "colour channels of an image", 1, 64}, value.channels);
  visit(Field{"height", "image height in pixels", 1, 1024}, value.height);
  visit(Field{"width", "image width in pixels", 1, 1024}, value.width);
}

template <Either<Block> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"mixer", "what mixes information between positions"}, value.mixer);
  visit(Field{"residual", "plain family: add a shortcut even if the mixer needs none"},
        value.residual);
  visit(Field{"squeezeExcitation", "channel attention by squeeze-and-excitation"},
        value.squeezeExcitation);
  visit(Field{"squeezeRatio", "it squeezes to 1 / ratio of the channels", 1, 1024},
        value.squeezeRatio);
  visit(Field{"squeezePlace", "bottleneck: afterMixer or afterExpansion, on the wide channels"},
        value.squeezePlace);
  visit(Field{"expansion",
              "inverted bottleneck: channels of the mixer per input channel; 0 = no convolution "
              "before it",
              0,
              64},
        value.expansion);
  visit(Field{"stochasticDepth", "probability of skipping the branch in training", 0, 0.95},
        value.stochasticDepth);
}

template <Either<Stage> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"width", "depth d of the mixers", 1, 8192}, value.width);
  visit(Field{"stride", "spatial stride of the first block, 1 or 2", 1, 2}, value.stride);
  visit(Field{"blocks", "the blocks in order", 0, 256}, value.blocks);
}

template <Either<Stem> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(
      Field{"kind",
            "cifar 3x3/1, imagenet 7x7/2 and max pool, resnetD, resnetRS, patch or strided 3x3/2"},
      value.kind);
  visit(Field{"width", "output channels", 1, 8192}, value.width);
  visit(Field{"patchSize", "side of a patch in pixels, for the patch stem", 1, 64},
        value.patchSize);
  visit(Field{"whitened",
              "filters of the first convolution are not learnt but whiten the training images' "
              "patches"},
        value.whitened);
}

template <Either<Head> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"width", "channels of a 1x1 convolution before the pooling; 0 = none", 0, 65536},
        value.width);
  visit(Field{"pooling", "average or max over all positions"}, value.pooling);
  visit(Field{"dropout", "probability of zeroing a pooled feature in training", 0, 0.95},
        value.dropout);
  visit(Field{"bias", "add a bias for every class"}, value.bias);
  visit(Field{"scale", "factor on the logits", 1e-4, 1e4}, value.scale);
}

template <Either<Architecture> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "short name"}, value.name);
  visit(Field{"description", "one line on its purpose"}, value.description);
  visit(Field{"input", "shape of the images"}, value.input);
  visit(Field{"classes", "number of classes", 2, 100000}, value.classes);
  visit(Field{"family", "bottleneck, basic, invertedBottleneck or plain"}, value.family);
  visit(Field{"activation", "relu, celu, gelu, silu or relu6"}, value.activation);
  visit(Field{"normStatistics", "of batch norms outside training: running or batch"},
        value.normStatistics);
  visit(Field{"zeroInitResidual", "last norm of a residual branch starts at 0"},
        value.zeroInitResidual);
  visit(Field{"stem", "the first convolutions"}, value.stem);
  visit(Field{"stages", "the stages in order", 0, 32}, value.stages);
  visit(Field{"head", "pooling and classifier"}, value.head);
}

template <Either<AugmentationConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"cropPadding", "pixels added on each side before a random crop; 0 = no crop", 0, 16},
        value.cropPadding);
  visit(Field{"padding", "pixels that are added: reflect or zero"}, value.padding);
  visit(Field{"horizontalFlip", "mirror half of the images"}, value.horizontalFlip);
  visit(Field{"alternatingFlip", "each image is mirrored in every other epoch, not by chance"},
        value.alternatingFlip);
  visit(Field{"cutoutSize", "side of the erased square in pixels; 0 = none", 0, 64},
        value.cutoutSize);
  visit(Field{"randAugmentOperations", "RandAugment: operations for every image; 0 = none", 0, 8},
        value.randAugmentOperations);
  visit(Field{"randAugmentMagnitude", "RandAugment: strength of the operations", 0, 30},
        value.randAugmentMagnitude);
  visit(Field{"erasingProbability", "share of images with an erased rectangle; 0 = none", 0, 1},
        value.erasingProbability);
  visit(Field{"mixupAlpha", "mixup: alpha of the shares of two images; 0 = none", 0, 10},
        value.mixupAlpha);
  visit(Field{"cutmixAlpha", "CutMix: alpha of the shares of two images; 0 = none", 0, 10},
        value.cutmixAlpha);
}

template <Either<Shapes10Source> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"trainCount", "images drawn for training and validation together", 20, 1000000},
        value.trainCount);
  visit(Field{"testCount", "images drawn for the test set", 10, 1000000}, value.testCount);
}

template <Either<Cifar10Source> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"path", "folder or archive with the binary version of CIFAR-10"}, value.path);
}

template <Either<Cifar100Source> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"path", "folder or archive with the binary version of CIFAR-100"}, value.path);
  visit(Field{"labels", "fine: 100 classes; coarse: the 20 superclasses"}, value.labels);
}

template <Either<IdxSource> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"path", "folder with the IDX files of MNIST or a relative"}, value.path);
}

template <Either<ImageFolderSource> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"path", "folder with a folder of pictures for each class"}, value.path);
  visit(Field{"size", "side in pixels that pictures are resized and cropped to", 8, 512},
        value.size);
  visit(Field{"corrupt", "a picture that can't be decoded: refuse the data set, or skip it"},
        value.corrupt);
  visit(Field{"transparent",
              "a picture that is not opaque: on white, or refuse it as one that can't be decoded"},
        value.transparent);
  visit(Field{"validation",
              "validation images: drawn from the training pictures, or those of the folder val/"},
        value.validation);
}

template <Either<DataConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"source", "the data set: its kind, its path and the part that is read"},
        value.source);
  visit(Field{"validationCount", "images of the training set kept for validation", 0, 10000000},
        value.validationCount);
  visit(Field{"splitSeed", "seed of that split"}, value.splitSeed);
  visit(Field{"labelledPerClass",
              "training images of each class whose labels are used; 0 = all",
              0,
              10000000},
        value.labelledPerClass);
  visit(Field{"pseudoLabels", "predictions that label the other training images; empty = none"},
        value.pseudoLabels);
  visit(Field{"pseudoLabelsSha256", "digest of that file; empty = any"}, value.pseudoLabelsSha256);
  visit(Field{"pseudoLabelThreshold", "probability from which a prediction is a label", 0, 1},
        value.pseudoLabelThreshold);
  visit(Field{"augmentation", "random changes of the training images"}, value.augmentation);
}

template <Either<RateFactors> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"input", "learning rate of filters of the first convolution, as a factor", 0, 1000},
        value.input);
  visit(
      Field{
          "filter", "learning rate of filters of convolutions before a norm, as a factor", 0, 1000},
      value.filter);
  visit(Field{"projection",
              "learning rate of queries, keys, values and channel attention, as a factor",
              0,
              1000},
        value.projection);
  visit(Field{"norm", "learning rate of scales and shifts of norms, as a factor", 0, 1000},
        value.norm);
  visit(Field{"bias", "learning rate of biases, as a factor", 0, 1000}, value.bias);
  visit(Field{"embedding", "learning rate of position embeddings, as a factor", 0, 1000},
        value.embedding);
  visit(Field{"head", "learning rate of weights of the classifier, as a factor", 0, 1000},
        value.head);
}

template <Either<DecayFactors> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"input", "weight decay of filters of the first convolution, as a factor", 0, 1000},
        value.input);
  visit(
      Field{
          "filter", "weight decay of filters of convolutions before a norm, as a factor", 0, 1000},
      value.filter);
  visit(Field{"projection",
              "weight decay of queries, keys, values and channel attention, as a factor",
              0,
              1000},
        value.projection);
  visit(Field{"norm", "weight decay of scales and shifts of norms, as a factor", 0, 1000},
        value.norm);
  visit(Field{"bias", "weight decay of biases, as a factor", 0, 1000}, value.bias);
  visit(Field{"embedding", "weight decay of position embeddings, as a factor", 0, 1000},
        value.embedding);
  visit(Field{"head", "weight decay of weights of the classifier, as a factor", 0, 1000},
        value.head);
}

template <Either<OptimizerConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"kind", "sgd, adam, adamw or muon"}, value.kind);
  visit(Field{"learningRate", "peak of the schedule", 0, 1000}, value.learningRate);
  std::visit([&](auto& options) { visitFields(options, visit); }, value.kind);
  visit(Field{"weightDecay", "weight decay; muon: not of the filters that it updates", 0, 10},
        value.weightDecay);
  visit(Field{"decayAllParameters",
              "decay all parameters in full, also norms, biases and embeddings"},
        value.decayAllParameters);
  visit(Field{"gradientClip", "greatest norm of all gradients together; 0 = none", 0, 1e6},
        value.gradientClip);
  visit(Field{"rateFactors", "learning rates of parameters by their role"}, value.rateFactors);
  visit(Field{"decayFactors", "weight decay of parameters by their role"}, value.decayFactors);
}

template <Either<ScheduleConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"kind", "constant, cosine, linear, triangular or step"}, value.kind);
  std::visit([&](auto& options) { visitFields(options, visit); }, value.kind);
}

template <Either<Recipe> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"epochs", "passes over the training images", 1, 100000}, value.epochs);
  visit(Field{"batchSize", "images per step", 1, 65536}, value.batchSize);
  visit(Field{"lastBatch",
              "the images left over in an epoch: drop, keep as a smaller batch, or automatic: keep "
              "where an epoch has fewer than 10 whole batches"},
        value.lastBatch);
  visit(Field{"optimizer", "the optimiser"}, value.optimizer);
  visit(Field{"schedule", "the learning rate over the run"}, value.schedule);
  visit(
      Field{"learningRateFactor",
            "factor of the learning rate of the whole schedule; can be changed while a run trains",
            0,
            1000},
      value.learningRateFactor);
  visit(Field{"labelSmoothing", "share of the target spread over all classes", 0, 0.99},
        value.labelSmoothing);
  visit(Field{"emaDecay",
              "decay of the moving average of the weights, per step; it warms up as "
              "(1 + t) / (10 + t) at step t; 0 = none",
              0,
              0.999999},
        value.emaDecay);
  visit(Field{"flipAveraging", "score the mean logits of an image and its mirror image"},
        value.flipAveraging);
  visit(Field{"shiftAveraging",
              "score the mean logits of an image and of itself moved by a pixel each way"},
        value.shiftAveraging);
  visit(Field{"precision",
              "float32, bfloat16 autocast, or automatic: the faster of them on this device, "
              "measured when the run starts"},
        value.precision);
  visit(Field{"channelsLast", "channels-last memory layout"}, value.channelsLast);
}

template <Either<StartConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"weights",
              "file of weights to start from: of a run, or of torchvision's and timm's ResNets; "
              "empty = drawn from the seed"},
        value.weights);
  visit(Field{"sha256", "digest of that file; empty = any"}, value.sha256);
  visit(Field{"frozenStages",
              "stages at the start of the network that are not trained; the stem is the first",
              0,
              1000},
        value.frozenStages);
  visit(Field{"backboneRate", "learning rate of everything but the head, as a factor", 0, 1000},
        value.backboneRate);
  visit(Field{"pairedDraws",
              "draw each parameter from the seed and its name: networks share initial values"},
        value.pairedDraws);
}

template <Either<DeviceConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"kind", "automatic, cpu or cuda"}, value.kind);
  visit(Field{"index", "CUDA: the number of the GPU, counted from 0", 0, 63}, value.index);
  visit(Field{"threads", "threads for tensor work; 0 = one per core", 0, 1024}, value.threads);
  visit(Field{"yieldsToOthers",
              "with one thread per core: use fewer while other programs slow training down; such "
              "a run can't be repeated bit for bit"},
        value.yieldsToOthers);
  visit(Field{"cudaGraphs", "CUDA: record a training step and replay it as a whole"},
        value.cudaGraphs);
}

template <Either<CheckpointConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"everyEpochs", "a checkpoint at every n-th epoch's end; 0 = none", 0, 100000},
        value.everyEpochs);
  visit(Field{"keepEpochs", "how many of these checkpoints stay on disk; 0 = all", 0, 100000},
        value.keepEpochs);
  visit(Field{"keepBest", "keep the weights of the best validation"}, value.keepBest);
  visit(Field{"bestBy", "the best validation: accuracy or loss; the other one decides ties"},
        value.bestBy);
  visit(Field{"keepInitial", "keep the state before the first step"}, value.keepInitial);
  visit(Field{"everyMinutes", "save also in mid-epoch; 0 = never", 0, 100000}, value.everyMinutes);
}

template <Either<MonitoringConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"histograms",
              "record histograms of weights, gradients, activations and lambda norms over time"},
        value.histograms);
}

template <Either<RunConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "short name of the run"}, value.name);
  visit(Field{"seed", "seed of weights, data order and augmentation"}, value.seed);
  visit(Field{"parentRun", "run that this one repeats with other mixers"}, value.parentRun);
  visit(Field{"experiment", "experiment that the run belongs to"}, value.experiment);
  visit(Field{"architecture", "the network"}, value.architecture);
  visit(Field{"data", "the data set and its augmentation"}, value.data);
  visit(Field{"recipe", "the training recipe"}, value.recipe);
  visit(Field{"start", "weights to start from, and which of them are trained"}, value.start);
  visit(Field{"device", "the device to train on"}, value.device);
  visit(Field{"checkpoints", "which checkpoints are kept on disk"}, value.checkpoints);
  visit(Field{"monitoring", "what is recorded beside the metrics"}, value.monitoring);
}

}  // namespace lambda
